import { useSignal } from "@preact/signals";
import { type Asset, api, unwrap } from "../api.ts";
import { t } from "../words.ts";
import { useModal } from "./dialog.tsx";
import { FileButton } from "./file-button.tsx";
import { Show, useLoaded } from "./loaded.tsx";
import { Tile } from "./tile.tsx";
import { uploadAsset } from "./uploads.ts";

type AssetDialogProps = {
  readonly projectId: string;
  readonly title: string;
  readonly types: readonly Asset["type"][];
  readonly onChoose: (asset: Asset) => Promise<void>;
  readonly onClose: () => void;
};

/** Chooses a file of the project, or adds one. */
export function AssetDialog({ projectId, title, types, onChoose, onClose }: AssetDialogProps) {
  const dialog = useModal();
  const part = useSignal<number | undefined>(undefined);
  const loaded = useLoaded(async () => {
    const { assets } = await unwrap(api.projects[":projectId"].assets.$get({ param: { projectId }, query: {} }));
    return assets.filter(({ type }) => types.includes(type));
  });
  const choose = async (find: () => Asset | Promise<Asset>) => {
    await loaded.attempt(async () => {
      part.value = 1;
      await onChoose(await find());
      dialog.current?.close();
    });
    part.value = undefined;
  };
  const upload = async (file: File) => {
    const asset = await uploadAsset(projectId, file, (done) => {
      part.value = done;
    });
    if (!types.includes(asset.type)) throw new Error(t("workWrongFile"));
    return asset;
  };
  return (
    <dialog ref={dialog} class="assets-dialog" onClose={onClose} aria-labelledby="assets-title">
      {/* from here, Tab leads to the first file once there are some */}
      <h2 id="assets-title" tabIndex={-1} autofocus>
        {title}
      </h2>
      <Show of={loaded}>
        {(assets) => (
          <>
            {assets.length === 0 && <p class="soft">{t("workNoFiles")}</p>}
            <ul class="tiles">
              {assets.map((asset) => (
                <li key={asset.id}>
                  <Tile asset={asset} onOpen={() => void choose(() => asset)} disabled={part.value !== undefined} />
                  {asset.type === "audio" && (
                    // biome-ignore lint/a11y/useMediaCaption: it is the person's own
                    <audio src={asset.url} controls preload="none" aria-label={asset.name} />
                  )}
                </li>
              ))}
            </ul>
          </>
        )}
      </Show>
      {part.value !== undefined && (
        <progress {...(part.value < 1 && { value: part.value })} aria-label={t("progress")} />
      )}
      <p class="actions">
        <FileButton
          accept={types.map((type) => `${type}/*`).join(",")}
          onFiles={([file]) => void choose(() => upload(file))}
        >
          {t("workUpload")}
        </FileButton>
        <button type="button" class="plain" onClick={() => dialog.current?.close()}>
          {t("close")}
        </button>
      </p>
    </dialog>
  );
}
