import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Asset, api, sentenceOf, unwrap } from "../api.ts";
import { useModal } from "../parts/dialog.tsx";
import { Alert } from "../parts/field.tsx";
import { uploadAsset } from "../parts/uploads.ts";
import { asUser } from "../session.ts";
import { t } from "../words.ts";

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
  const assets = useSignal<readonly Asset[] | undefined>(undefined);
  const part = useSignal<number | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const attempt = async (act: () => Promise<void>) => {
    failure.value = undefined;
    try {
      await asUser(act);
    } catch (error) {
      failure.value = error;
    }
    part.value = undefined;
  };
  useEffect(() => {
    void attempt(async () => {
      const param = { projectId };
      const list = await unwrap(api.projects[":projectId"].assets.$get({ param, query: {} }));
      assets.value = list.assets.filter(({ type }) => types.includes(type));
    });
  }, []);
  const choose = (asset: Asset) =>
    attempt(async () => {
      part.value = 1;
      await onChoose(asset);
      dialog.current?.close();
    });
  const upload = (file: File | undefined) =>
    attempt(async () => {
      if (!file) return;
      part.value = 0;
      const asset = await uploadAsset(projectId, file, (done) => {
        part.value = done;
      });
      if (!types.includes(asset.type)) throw new Error(t("workWrongFile"));
      await onChoose(asset);
      dialog.current?.close();
    });
  return (
    <dialog ref={dialog} class="assets-dialog" onClose={onClose} aria-labelledby="assets-title">
      {/* from here, Tab leads to the first file once there are some */}
      <h2 id="assets-title" tabIndex={-1} autofocus>
        {title}
      </h2>
      {assets.value?.length === 0 && <p class="soft">{t("workNoFiles")}</p>}
      <ul>
        {assets.value?.map((asset) => (
          <li key={asset.id}>
            <button type="button" onClick={() => void choose(asset)} disabled={part.value !== undefined}>
              <span class="poster">
                {asset.thumbnail ? (
                  <img src={asset.thumbnail} alt="" loading="lazy" />
                ) : (
                  <span aria-hidden="true">♪</span>
                )}
              </span>
              <span dir="auto">{asset.name}</span>
              {asset.duration !== undefined && (
                <span class="soft">{t("seconds", { count: Math.round(asset.duration * 10) / 10 })}</span>
              )}
            </button>
            {asset.type === "audio" && (
              // biome-ignore lint/a11y/useMediaCaption: it is the person's own
              <audio src={asset.url} controls preload="none" aria-label={asset.name} />
            )}
          </li>
        ))}
      </ul>
      {part.value !== undefined && (
        <progress {...(part.value < 1 && { value: part.value })} aria-label={t("progress")} />
      )}
      {failure.value !== undefined && <Alert>{sentenceOf(failure.value, t("offline"))}</Alert>}
      <p class="actions">
        <label class="upload">
          <input
            class="unseen"
            type="file"
            accept={types.map((type) => `${type}/*`).join(",")}
            onChange={({ currentTarget }) => void upload(currentTarget.files?.[0])}
          />
          <span class="tool">{t("workUpload")}</span>
        </label>
        <button type="button" class="plain" onClick={() => dialog.current?.close()}>
          {t("close")}
        </button>
      </p>
    </dialog>
  );
}
