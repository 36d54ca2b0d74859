import { type ReadonlySignal, type Signal, useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { t } from "../words.ts";
import { droppable, FileButton } from "./file-button.tsx";
import { addUploads, removeUploads, retryUpload, type Upload, uploads } from "./uploads.ts";

type Chosen = { readonly id: string; readonly preview: string };

/** Pictures and clips of the product that are being uploaded; each is shown at once. */
type Pictures = {
  readonly chosen: Signal<readonly Chosen[]>;
  readonly uploads: ReadonlySignal<readonly Upload[]>;
};

export function usePictures(): Pictures {
  const chosen = useSignal<readonly Chosen[]>([]);
  const own = useComputed(() => uploads.value.filter(({ id }) => chosen.value.some((picture) => picture.id === id)));
  useEffect(
    () => () => {
      for (const { preview } of chosen.value) URL.revokeObjectURL(preview);
    },
    [],
  );
  return { chosen, uploads: own };
}

type PicturesProps = {
  readonly pictures: Pictures;
  readonly ensureProject: () => Promise<string>;
};

const maxPictures = 20;

/** Uploads chosen or dropped files at once; a failed one can be sent again. */
export function PicturesField({ pictures: { chosen, uploads: own }, ensureProject }: PicturesProps) {
  const add = async (dropped: readonly File[]) => {
    const files = dropped.slice(0, maxPictures - own.value.length);
    if (files.length === 0) return;
    const added = addUploads(await ensureProject(), files);
    chosen.value = [...chosen.value, ...added.map(({ id, file }) => ({ id, preview: URL.createObjectURL(file) }))];
  };
  const previewOf = (upload: Upload) => chosen.value.find(({ id }) => id === upload.id)?.preview;

  return (
    <div class="pictures" {...droppable(add)}>
      <ul>
        {own.value.map((upload) => (
          <li key={upload.id} data-failed={upload.error ? "" : undefined}>
            {upload.file.type.startsWith("video/") ? (
              <video src={previewOf(upload)} muted aria-label={upload.file.name} />
            ) : (
              <img src={previewOf(upload)} alt={upload.file.name} />
            )}
            {!upload.asset && !upload.error && (
              <progress value={upload.part} aria-label={t("uploading", { name: upload.file.name })} />
            )}
            {upload.error && (
              <button type="button" class="again" onClick={() => retryUpload(upload)} title={upload.error}>
                {t("again")}
              </button>
            )}
            <button
              type="button"
              class="remove"
              onClick={() => {
                URL.revokeObjectURL(previewOf(upload) ?? "");
                removeUploads(({ id }) => id === upload.id);
              }}
            >
              <span class="unseen">{t("removeFile", { name: upload.file.name })}</span>
            </button>
          </li>
        ))}
        <li class="add">
          <FileButton class="" multiple accept="image/*,video/*" onFiles={add}>
            {t("addPictures")}
          </FileButton>
        </li>
      </ul>
      <p class="wrong" role="status">
        {own.value.find(({ error }) => error)?.error}
      </p>
    </div>
  );
}
