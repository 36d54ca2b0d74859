import { Readable } from "node:stream";
import type { ReceivedFile, StoredFile } from "../../engine/ports.ts";
import { DomainError, isDomainError } from "../../errors.ts";
import { concurrencyLimit, type TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import type { Caller } from "../accounts/caller.ts";
import { type AssetPorts, type AssetStore, addAsset } from "../assets/assets.ts";
import { decodeDataUrl, isDataUrl } from "../files/data-urls.ts";
import type { Fetcher } from "../files/fetcher.ts";
import { receiveStored } from "../files/file-store.ts";
import { type FindInternalUrlPorts, findInternalUrl } from "../media-sources/internal-files.ts";
import type { Project } from "../projects/projects.ts";
import { isId } from "../shared/ids.ts";
import type { Settings } from "../shared/settings.ts";
import type { Media, MediaType, ReadContext } from "./reading/draft.ts";
import { ignored, type MergeValues, type Property, placeholderKeys, used } from "./reading/property.ts";

/** A file of the project, or why there is none. */
export type FetchedMedia =
  | { readonly asset: { readonly id: string; readonly type: MediaType; readonly file: StoredFile } }
  | { readonly failure: string };

/** The files of an edit by their addresses. */
export type FetchedFiles = ReadonlyMap<string, FetchedMedia>;

export type MediaReader = ReadContext & {
  /** The addresses that the edit names, with what they should be. */
  readonly wanted: ReadonlyMap<string, MediaType>;
  /** Asset ids by the keys of placeholders that stand for media. */
  readonly assetValues: ReadonlyMap<string, string>;
};

const pending = "asset_pending";

/** The length of a video that could not be had, if the edit names none. */
const missingSeconds = 5;

/** Reads media of an edit: without `fetched`, only collects their addresses. */
export function mediaReader(values: MergeValues, fetched?: FetchedFiles): MediaReader {
  const wanted = new Map<string, MediaType>();
  const assetValues = new Map<string, string>();
  const media = (property: Property, type: MediaType, placeholder?: string): Media | undefined => {
    const template = property.template?.trim();
    if (!template) {
      if (!property.isAbsent) property.mark(ignored("Must be the address of a file."));
      return undefined;
    }
    const [inner] = placeholderKeys(template);
    const isPlaceholder = inner !== undefined && template === `{{${inner}}}`;
    const key = isPlaceholder ? inner : placeholder;
    const url = (isPlaceholder ? values.get(inner) : property.text)?.trim();
    if (isPlaceholder && !url) {
      property.mark(used(`assetId: ${template}, which has no value`));
      return { assetId: template, type };
    }
    if (!url) return undefined;
    wanted.set(url, wanted.get(url) ?? type);
    const found = fetched?.get(url);
    const media = found ? mediaOf(found, type) : { assetId: pending, type };
    if (typeof media === "string") {
      property.mark(ignored(media));
      return { assetId: "", type, ...(type === "video" && { seconds: missingSeconds }) };
    }
    property.mark(used(key === undefined ? "assetId" : `assetId: {{${key}}}`));
    if (key === undefined) return media;
    assetValues.set(key, media.assetId);
    return { ...media, assetId: `{{${key}}}` };
  };
  return { media, fonts: new Map(), wanted, assetValues };
}

const accepted: Readonly<Record<MediaType, readonly MediaType[]>> = {
  image: ["image", "video"],
  video: ["video", "image"],
  audio: ["audio", "video"],
  font: ["font"],
};

/** A sentence if the file is missing or of another kind. */
function mediaOf(found: FetchedMedia, wanted: MediaType): Media | string {
  if ("failure" in found) return `The file could not be had: ${found.failure}`;
  const { id, type, file } = found.asset;
  const { width, height, durationSeconds: seconds, hasSound, animation } = file.facts;
  const isSilent = wanted === "audio" && type === "video" && hasSound === false;
  if (!accepted[wanted].includes(type) || isSilent || animation) return `The file is not of the type ${wanted}.`;
  return {
    assetId: id,
    type,
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(seconds !== undefined && { seconds }),
  };
}

export type FetchMediaPorts = AssetPorts &
  FindInternalUrlPorts & {
    readonly assets: AssetStore;
    readonly fetcher: Pick<Fetcher, "download">;
    readonly settings: Pick<Settings, "maxUserBytes" | "maxUploadBytes">;
  };

export type Importer = { readonly caller: Caller; readonly project: Project };

const filesAtOnce = 4;

/** What a file that cannot be had may be caused by; other errors end the import. */
const failures: readonly string[] = [
  "url_not_allowed",
  "url_unreachable",
  "payload_too_large",
  "unsupported_media_type",
  "validation_error",
  "asset_missing",
  "source_unreadable",
  "insufficient_scope",
  "not_found",
];

/** Fetches each address once, as an asset of the project; a file that the project has is not stored again. */
export async function fetchMedia(
  ports: FetchMediaPorts,
  importer: Importer,
  wanted: ReadonlyMap<string, MediaType>,
  options: Required<TaskOptions>,
): Promise<FetchedFiles> {
  const limit = concurrencyLimit({ concurrency: filesAtOnce });
  const fetched = await Promise.all(
    [...wanted].map(([url]) =>
      limit(async (): Promise<[string, FetchedMedia]> => {
        options.signal.throwIfAborted();
        try {
          return [url, await fetchOne(ports, importer, url, options)];
        } catch (error) {
          if (!isDomainError(error) || !failures.includes(error.code)) throw error;
          return [url, { failure: error.message }];
        }
      }),
    ),
  );
  return new Map(fetched);
}

async function fetchOne(
  ports: FetchMediaPorts,
  { caller, project }: Importer,
  url: string,
  options: Required<TaskOptions>,
): Promise<FetchedMedia> {
  const own = await ownAsset(ports, project, url);
  if (own) return { asset: own };
  const received = await receive(ports, caller, url, options);
  try {
    const alike = await ports.assets.findAlike(project.id, { hashes: [received.sha256], names: [] });
    const [known] = alike;
    if (known) return { asset: known };
    const asset = { projectId: project.id, received, filename: nameIn(url) };
    return { asset: await addAsset(ports, asset, options) };
  } finally {
    await ports.files.discard(received);
  }
}

/** The asset that an id, `asset:<id>` or a URL of this service names. */
async function ownAsset(ports: FetchMediaPorts, project: Project, url: string) {
  const id = url.replace(/^asset:/, "");
  if (isId("asset", id)) return await requireAsset(ports, project, id);
  const file = ports.internalUrls.parse(url)?.file;
  return file?.kind === "asset" && file.projectId === project.id
    ? await ports.assets.find(project.id, file.assetId)
    : undefined;
}

async function requireAsset({ assets }: FetchMediaPorts, project: Project, id: string) {
  const found = await assets.find(project.id, id);
  if (!found) throw new DomainError("asset_missing", { path: "", what: "The file" });
  return found;
}

async function receive(
  ports: FetchMediaPorts,
  caller: Caller,
  url: string,
  options: Required<TaskOptions>,
): Promise<ReceivedFile> {
  const { maxUploadBytes: maxBytes } = ports.settings;
  if (isDataUrl(url)) {
    const bytes = decodeDataUrl(url, "url");
    return await ports.files.receive(Readable.from([bytes]), maxBytes);
  }
  const internal = await findInternalUrl(ports, caller, url);
  if (!internal) return await ports.fetcher.download(url, { path: "url", maxBytes, ...options });
  if (!internal.file) throw new DomainError("asset_missing", { path: "", what: "The file" });
  return await receiveStored(ports, internal.file, maxBytes);
}

function nameIn(url: string): string {
  if (isDataUrl(url) || !URL.canParse(url)) return "file";
  const name = new URL(url).pathname.split("/").at(-1) || "file";
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
