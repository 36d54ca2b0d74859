import type { Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { sentenceOf } from "../api.ts";
import { t } from "../words.ts";
import { uploadAsset } from "./uploads.ts";

/** A picture or clip of the product on its way to the project. */
export type Picture = {
  readonly id: string;
  readonly file: File;
  readonly preview: string;
  readonly part: number;
  readonly assetId?: string;
  readonly error?: string;
};

type PicturesProps = {
  readonly pictures: Signal<readonly Picture[]>;
  readonly ensureProject: () => Promise<string>;
};

const maxPictures = 20;

/** Chosen or dropped files, which are uploaded at once; one that fails can be sent again. */
export function Pictures({ pictures, ensureProject }: PicturesProps) {
  const input = useRef<HTMLInputElement>(null);
  const change = (id: string, changes: Partial<Picture>) => {
    pictures.value = pictures.value.map((picture) => (picture.id === id ? { ...picture, ...changes } : picture));
  };
  const send = async ({ id, file }: Picture) => {
    change(id, { part: 0, error: undefined });
    try {
      const asset = await uploadAsset(await ensureProject(), file, (part) => change(id, { part }));
      change(id, { part: 1, assetId: asset.id });
    } catch (error) {
      change(id, { error: sentenceOf(error, t("offline")) });
    }
  };
  const add = (files: FileList | null | undefined) => {
    const added = [...(files ?? [])].slice(0, maxPictures - pictures.value.length).map((file) => ({
      id: crypto.randomUUID(),
      file,
      preview: URL.createObjectURL(file),
      part: 0,
    }));
    pictures.value = [...pictures.value, ...added];
    for (const picture of added) void send(picture);
  };
  const remove = (picture: Picture) => {
    URL.revokeObjectURL(picture.preview);
    pictures.value = pictures.value.filter(({ id }) => id !== picture.id);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button does the same
    <div
      class="pictures"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        add(event.dataTransfer?.files);
      }}
    >
      <ul>
        {pictures.value.map((picture) => (
          <li key={picture.id} data-failed={picture.error ? "" : undefined}>
            {picture.file.type.startsWith("video/") ? (
              <video src={picture.preview} muted aria-label={picture.file.name} />
            ) : (
              <img src={picture.preview} alt={picture.file.name} />
            )}
            {picture.part < 1 && !picture.error && (
              <progress value={picture.part} aria-label={t("uploading", { name: picture.file.name })} />
            )}
            {picture.error && (
              <button type="button" class="again" onClick={() => void send(picture)} title={picture.error}>
                {t("again")}
              </button>
            )}
            <button type="button" class="remove" onClick={() => remove(picture)}>
              <span class="unseen">{t("removeFile", { name: picture.file.name })}</span>
            </button>
          </li>
        ))}
        <li class="add">
          <button type="button" onClick={() => input.current?.click()}>
            {t("addPictures")}
          </button>
        </li>
      </ul>
      <p class="wrong" role="status">
        {pictures.value.find(({ error }) => error)?.error}
      </p>
      <input
        ref={input}
        type="file"
        accept="image/*,video/*"
        multiple
        hidden
        onChange={(event) => {
          add(event.currentTarget.files);
          event.currentTarget.value = "";
        }}
      />
    </div>
  );
}
