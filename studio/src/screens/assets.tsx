import { useComputed, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Asset, api, fieldErrors, unwrap } from "../api.ts";
import { readPage } from "../pages.ts";
import { useAttempt } from "../parts/attempt.ts";
import { Dialog, RemoveDialog } from "../parts/dialog.tsx";
import { bound, Field } from "../parts/field.tsx";
import { droppable, FileButton } from "../parts/file-button.tsx";
import { Failure, Show, useLoaded } from "../parts/loaded.tsx";
import { Tile } from "../parts/tile.tsx";
import { Title } from "../parts/title.tsx";
import { addUploads, isUploading, removeUploads, retryUpload, type Upload, uploads } from "../parts/uploads.ts";
import { sizeText, t, timeText, type Word } from "../words.ts";

const routes = api.projects[":projectId"].assets;

const pageSize = "60";
const types = ["image", "video", "audio", "font"] as const;

type List = {
  readonly assets: readonly Asset[];
  readonly count: number;
  readonly totalSize: number;
  readonly next?: string;
};

/** The pictures, clips, sounds and fonts of a project. */
export function AssetsScreen({ projectId }: { projectId: string }) {
  const words = useSignal("");
  const type = useSignal("");
  const open = useSignal<Asset | undefined>(undefined);
  const param = { projectId };

  const read = async (cursor?: string, limit = pageSize): Promise<List> => {
    const { body, next } = await readPage(routes.$get({ param, query: { limit, ...(cursor && { cursor }) } }));
    return { ...body, ...(next && { next }) };
  };
  const loaded = useLoaded(async () => {
    removeUploads((upload) => upload.projectId === projectId && upload.asset !== undefined);
    return await read();
  });
  const { value: list, attempt } = loaded;
  const readMore = (limit?: string) =>
    attempt(async () => {
      const { assets = [], next } = list.value ?? {};
      if (next) {
        const more = await read(next, limit);
        list.value = { ...more, assets: [...assets, ...more.assets] };
      }
    });
  const isSearching = words.value.trim() !== "" || type.value !== "";
  useEffect(() => {
    // files that are not loaded yet may match the search
    if (isSearching && list.value?.next) void readMore("1000");
  }, [isSearching, list.value?.next]);

  const own = useComputed(() => uploads.value.filter((upload) => upload.projectId === projectId));
  const arrived = own.value.flatMap(({ asset }) => asset ?? []).toReversed();
  const known = new Set(list.value?.assets.map(({ id }) => id));
  const newer = arrived.filter(({ id }) => !known.has(id));
  const all = [...newer, ...(list.value?.assets ?? [])];
  const shown = all.filter((asset) => (!type.value || asset.type === type.value) && isFound(asset, words.value));
  const count = (list.value?.count ?? 0) + newer.length;
  const totalSize = newer.reduce((sum, { size }) => sum + size, list.value?.totalSize ?? 0);

  const add = (files: readonly File[]) => {
    addUploads(projectId, files);
  };
  /** Updates an asset in the list; removes it if there is none. */
  const replace = (id: string, asset?: Asset) => {
    const { assets = [], ...rest } = list.value ?? { count: 0, totalSize: 0 };
    const isHere = assets.some((each) => each.id === id);
    removeUploads((upload) => upload.asset?.id === id);
    const kept = assets.flatMap((each) => (each.id === id ? (asset ?? []) : each));
    list.value = {
      ...rest,
      assets: isHere || !asset ? kept : [asset, ...kept],
      count: rest.count + (asset ? Number(!isHere) : -Number(isHere)),
    };
  };

  return (
    <div class="place drop" {...droppable(add)}>
      <header class="place-head">
        <Title quiet>{t("assets")}</Title>
        <p class="actions">
          <span class="soft wide-only">{t("dropHere")}</span>
          <FileButton class="button" multiple accept="image/*,video/*,audio/*,.ttf,.otf,.woff,.woff2" onFiles={add}>
            {t("addFiles")}
          </FileButton>
        </p>
      </header>
      <UploadList uploads={own.value.filter(({ asset }) => !asset)} done={arrived.length} />
      <Show of={loaded}>
        {({ next }) =>
          all.length === 0 ? (
            <div class="empty">
              <p class="lead">{t("assetsEmpty")}</p>
            </div>
          ) : (
            <>
              <search class="filter">
                <label>
                  <span class="unseen">{t("searchAssets")}</span>
                  <input type="search" placeholder={t("searchAssets")} {...bound(words)} />
                </label>
                <label>
                  <span class="unseen">{t("kind")}</span>
                  <select
                    value={type.value}
                    onChange={(event) => {
                      type.value = event.currentTarget.value;
                    }}
                  >
                    <option value="">{t("allKinds")}</option>
                    {types.map((name) => (
                      <option key={name} value={name}>
                        {t(`kind_${name}` as Word)}
                      </option>
                    ))}
                  </select>
                </label>
                <p class="soft" role="status">
                  {isSearching
                    ? t("foundOf", { count: shown.length, all: count })
                    : t("filesOf", { count, size: sizeText(totalSize) })}
                </p>
              </search>
              <ul class="tiles">
                {shown.map((asset) => (
                  <li key={asset.id}>
                    <Tile
                      asset={asset}
                      onOpen={() => {
                        open.value = asset;
                      }}
                    />
                  </li>
                ))}
              </ul>
              {next && (
                <button type="button" class="plain more" onClick={() => void readMore()}>
                  {t("showMore")}
                </button>
              )}
            </>
          )
        }
      </Show>
      {open.value && (
        <AssetDialog
          asset={open.value}
          onChange={replace}
          onClose={() => {
            open.value = undefined;
          }}
        />
      )}
    </div>
  );
}

/** True if each word is part of the name or of a tag. */
function isFound({ name, filename, tags = [] }: Asset, words: string): boolean {
  const text = [name, filename, ...tags].join("\n").toLocaleLowerCase();
  return words
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Running and failed uploads. */
function UploadList({ uploads: list, done }: { uploads: readonly Upload[]; done: number }) {
  const failed = list.filter(({ error }) => error !== undefined);
  return (
    <>
      <p class="soft" role="status">
        {list.length > failed.length && t("uploadsDone", { count: done, all: done + list.length })}
        {list.length === failed.length && failed.length > 0 && t("uploadsFailed", { count: failed.length })}
      </p>
      {list.length > 0 && (
        <section class="uploads card" aria-label={t("uploads")}>
          <ul>
            {list.map((upload) => (
              <li key={upload.id}>
                <span dir="auto">{upload.file.name}</span>
                {isUploading(upload) ? (
                  <progress value={upload.part} aria-label={t("uploading", { name: upload.file.name })} />
                ) : (
                  <>
                    <span class="wrong">{upload.error}</span>
                    <button type="button" class="small" onClick={() => retryUpload(upload)}>
                      {t("again")}
                      <span class="unseen"> {upload.file.name}</span>
                    </button>
                    <button type="button" class="plain" onClick={() => removeUploads(({ id }) => id === upload.id)}>
                      {t("leaveOut")}
                      <span class="unseen"> {upload.file.name}</span>
                    </button>
                  </>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

type AssetDialogProps = {
  readonly asset: Asset;
  readonly onChange: (id: string, asset?: Asset) => void;
  readonly onClose: () => void;
};

function AssetDialog({ asset, onChange, onClose }: AssetDialogProps) {
  const { failure, attempt } = useAttempt();
  const isRemoving = useSignal(false);
  const errors = fieldErrors(failure.value);
  const param = { projectId: asset.projectId, assetId: asset.id };
  const submit = (fields: FormData) => {
    const text = (name: string) => String(fields.get(name) ?? "").trim();
    const tags = [
      ...new Set(
        text("tags")
          .split(",")
          .map((tag) => tag.trim()),
      ),
    ].filter(Boolean);
    return attempt(async () => {
      if (isRemoving.value) {
        await unwrap(routes[":assetId"].$delete({ param }));
        onChange(asset.id);
      } else {
        const json = { name: text("name"), tags };
        onChange(asset.id, await unwrap(routes[":assetId"].$put({ param, json })));
      }
    });
  };
  if (isRemoving.value) {
    return (
      <RemoveDialog
        name={asset.name}
        help={t("removeAssetHelp")}
        failure={failure.value}
        onSubmit={submit}
        onClose={onClose}
      />
    );
  }
  const { width, height, duration, size } = asset;
  const facts = [
    ...(width && height ? [`${width} × ${height}`] : []),
    ...(duration === undefined ? [] : [timeText(duration)]),
    sizeText(size),
  ];
  return (
    <Dialog title={asset.name} action={t("save")} onSubmit={submit} onClose={onClose}>
      <Medium asset={asset} />
      <p class="soft">
        {facts.join(" · ")}
        {asset.source && (
          <>
            <br />
            {t("stockSource", { author: asset.source.author, licence: asset.source.licence })}
          </>
        )}
      </p>
      <Field label={t("assetName")} name="name" defaultValue={asset.name} error={errors.name} autoComplete="off" />
      <Field
        label={t("tags")}
        name="tags"
        defaultValue={asset.tags?.join(", ")}
        hint={t("tagsHint")}
        error={Object.entries(errors).find(([name]) => name !== "name")?.[1]}
        autoComplete="off"
      />
      {Object.keys(errors).length === 0 && <Failure of={failure.value} />}
      <p class="actions">
        <a href={asset.url} download={asset.filename}>
          {t("downloadFile")}
        </a>
        <button
          type="button"
          class="plain"
          onClick={() => {
            isRemoving.value = true;
          }}
        >
          {t("remove")}
        </button>
      </p>
    </Dialog>
  );
}

function Medium({ asset: { type, url, name } }: { asset: Asset }) {
  if (type === "image") return <img class="medium" src={url} alt={name} />;
  if (type === "video") {
    return <video class="medium" src={url} aria-label={name} controls muted playsInline preload="metadata" />;
  }
  // biome-ignore lint/a11y/useMediaCaption: the sound is the person's own
  return type === "audio" ? <audio class="medium" src={url} aria-label={name} controls preload="metadata" /> : null;
}
