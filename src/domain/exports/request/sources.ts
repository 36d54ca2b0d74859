import type { Source } from "../../../engine/timeline/source.ts";
import { atTimes, type Times } from "../../../engine/timeline/time.ts";
import { DomainError, invalid, isDomainError } from "../../../errors.ts";
import type { AssetStore } from "../../assets/assets.ts";
import { type CaptionContent, captionLanguage, readCaptions } from "../../captions/content.ts";
import type { CaptionsRequest } from "../../captions/schema.ts";
import { sourceOf } from "../../files/file-store.ts";
import { type FindProjectFilePorts, findProjectFile } from "../../media-sources/project-files.ts";
import { isId } from "../../shared/ids.ts";
import { largestPage } from "../../shared/paging.ts";
import type { WorkMedia, WorkMediaStore } from "../../works/media.ts";
import type { Work } from "../../works/works.ts";
import type { ImageRequest, TextRequest } from "./layers/overlays.ts";
import type { LayerRequest } from "./layers/schema.ts";
import { cardFamilies, type LayerFile, layerFiles, maskFile } from "./placement/files.ts";
import type { ClipRequest } from "./schema.ts";
import type { SoundItem } from "./sound-list.ts";
import { type Recordings, recordingsOf } from "./voices.ts";

/** The sources of a request, by the index of the clip, text or image that refers to them. */
export type Sources = {
  readonly clips: readonly (Source | undefined)[];
  /** The pictures of the transitions of clips. */
  readonly lumas?: readonly (Source | undefined)[];
  readonly fonts: readonly (Source | undefined)[];
  readonly images: readonly (Source | undefined)[];
  /** The files of layers and of masks, by the paths of the fields that name them. */
  readonly files?: ReadonlyMap<string, Source> | undefined;
  readonly recordings: Recordings;
  /** The assets of added sounds, by their indexes. */
  readonly sounds?: readonly (Source | undefined)[];
  readonly captions?: FoundCaptions | undefined;
  /** The work's media; none by default. */
  readonly media?: readonly WorkMedia[];
};

/** The content of the captions; undefined if they are unreadable. */
type FoundCaptions = { readonly content: CaptionContent | undefined; readonly font: Source | undefined };

type References<Item, Field extends keyof Item> = readonly ((Pick<Item, Field> & Times) | undefined)[];

type ClipReferences = Pick<ClipRequest, "sceneIndex"> &
  Partial<Pick<ClipRequest, "transition" | "transitionAssetId" | "mask">>;

type Masked = Partial<Pick<TextRequest, "mask">>;

/** All files that a request refers to. Invalid items are undefined, so that the others keep their index. */
export type SourceReferences = {
  readonly clips: readonly ((ClipReferences & Times) | undefined)[];
  readonly texts?: References<Pick<TextRequest, "fontAssetId"> & Masked, "fontAssetId" | "mask"> | undefined;
  readonly images?: References<Pick<ImageRequest, "assetId"> & Masked, "assetId" | "mask"> | undefined;
  readonly layers?: readonly (LayerRequest | undefined)[] | undefined;
  readonly sounds?: readonly (Pick<SoundItem, "assetId"> | undefined)[] | undefined;
  readonly captions?: CaptionsRequest | undefined;
};

export type FindSourcesPorts = FindProjectFilePorts & {
  readonly assets: Pick<AssetStore, "findMany" | "findAlike" | "list">;
  readonly workMedia: Pick<WorkMediaStore, "list">;
};

/** Finds the stored file of every scene, font and image. `errors` lists all that are missing or of the wrong type. */
export async function findSources(
  ports: FindSourcesPorts,
  work: Work,
  { clips, texts = [], images = [], layers = [], sounds = [], captions }: SourceReferences,
): Promise<Sources & { readonly errors: readonly DomainError[] }> {
  const errors: DomainError[] = [];
  const files = [
    ...layerFiles(layers),
    ...clips.flatMap((clip, at) => (clip ? maskFile(clip, `clips.${at}`, `the clip${atTimes(clip)}`) : [])),
    ...texts.flatMap((text, at) => (text ? maskFile(text, `texts.${at}`, `the text${atTimes(text)}`) : [])),
    ...images.flatMap((image, at) => (image ? maskFile(image, `images.${at}`, `the image${atTimes(image)}`) : [])),
  ];
  const media = await ports.workMedia.list(work.id);
  const assetSource = await assetSources(ports, work.projectId, [
    ...texts.map((text) => text?.fontAssetId),
    ...images.map((image) => image?.assetId),
    ...clips.map(lumaIdOf),
    ...sounds.map((sound) => sound?.assetId),
    ...files.map((file) => ("assetId" in file ? file.assetId : undefined)),
    captions?.fontAssetId,
  ]);
  const urls = await filesByUrl(ports, work.projectId, files);
  const find = <Id>(id: Id | undefined, source: (id: Id) => Source) =>
    id === undefined ? undefined : captureError(() => source(id), errors);
  const font = (id: string | undefined, reference: AssetReference) =>
    // an empty id means no font
    find(id || undefined, (known) => fontSource(assetSource, known, reference));
  return {
    clips: clips.map((clip, at) =>
      find(clip?.sceneIndex, (index) => sceneSource(media, index, `clips.${at}.sceneIndex`)),
    ),
    lumas: clips.map((clip, at) =>
      find(lumaIdOf(clip), (id) =>
        imageSource(assetSource, id, {
          path: `clips.${at}.transitionAssetId`,
          what: `The picture of the transition after the clip${atTimes(clip)}`,
        }),
      ),
    ),
    fonts: texts.map((text, at) =>
      font(text?.fontAssetId, { path: `texts.${at}.fontAssetId`, what: `The font file of the text${atTimes(text)}` }),
    ),
    images: images.map((image, at) =>
      find(image?.assetId, (id) =>
        imageSource(assetSource, id, { path: `images.${at}.assetId`, what: `The file of the image${atTimes(image)}` }),
      ),
    ),
    files: new Map([
      ...(await fontsByFamily(ports, work.projectId, layers)),
      ...files.flatMap((file) => {
        const found = find(file, (each) => layerSource(each, { assetSource, media, urls }));
        return found ? [[file.path, found] as const] : [];
      }),
    ]),
    recordings: recordingsOf(media),
    sounds: sounds.map((sound, at) =>
      find(sound?.assetId || undefined, (id) =>
        soundSource(assetSource, id, { path: `sounds.${at}.assetId`, what: `The file of sound ${at + 1}` }),
      ),
    ),
    media,
    captions: captions && {
      content: await captionContent(ports, work, captions).catch((error) => collect(error, errors)),
      font: font(captions.fontAssetId, { path: "captions.fontAssetId", what: "The font file of the captions" }),
    },
    errors,
  };
}

/** The fonts of the project that HTML layers name by family: assets whose name is the family, or a file of it. */
async function fontsByFamily(
  { assets }: FindSourcesPorts,
  projectId: string,
  layers: readonly (LayerRequest | undefined)[],
): Promise<readonly (readonly [string, Source])[]> {
  const named = cardFamilies(layers);
  if (named.length === 0) return [];
  const fonts = await assets.list(projectId, { type: "font" }, largestPage);
  const byFamily = new Map(fonts.items.toReversed().map((font) => [familyOfName(font.name), sourceOf(font.file)]));
  return named.flatMap(({ path, family }) => {
    const source = byFamily.get(familyOfName(family));
    return source ? [[path, source] as const] : [];
  });
}

/** "Bebas Neue", "BebasNeue-Regular.ttf" and "bebas_neue.woff2" are one family. */
const familyOfName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\.(?:ttf|otf|woff2?)$/, "")
    .replaceAll(/[^\p{L}\p{N}]/gu, "")
    .replace(/regular$/, "");

/** Other transitions ignore the picture. */
const lumaIdOf = (clip: ClipReferences | undefined): string | undefined =>
  clip?.transition === "luma" ? clip.transitionAssetId : undefined;

async function captionContent({ assets }: FindSourcesPorts, work: Work, captions: CaptionsRequest) {
  const { assetId = "" } = captions;
  const [asset] = isId("asset", assetId) ? await assets.findMany(work.projectId, [assetId]) : [];
  return readCaptions(captions, {
    language: captionLanguage(captions, work),
    speech: asset?.speech,
    owner: work.projectId,
  });
}

function captureError(find: () => Source, errors: DomainError[]): Source | undefined {
  try {
    return find();
  } catch (error) {
    return collect(error, errors);
  }
}

function collect(error: unknown, errors: DomainError[]): undefined {
  if (!isDomainError(error)) throw error;
  errors.push(error);
}

/** The scene's video, or else its image, which is then animated. */
function sceneSource(media: readonly WorkMedia[], sceneIndex: number, path: string): Source {
  const slots = [`scene/${sceneIndex}/video`, `scene/${sceneIndex}/image`];
  const found = slots.map((slot) => media.find((candidate) => candidate.slot === slot)).find(Boolean);
  if (!found) throw new DomainError("scene_video_missing", { path, sceneIndex });
  return sourceOf(found.file);
}

/** The field of the request, and a description for people: editors show an error's sentence, but no ids. */
type AssetReference = { readonly path: string; readonly what: string };

/** Throws asset_missing. */
type AssetSource = (assetId: string, reference: AssetReference) => Source;

/** Loads all assets with one query. */
async function assetSources(
  { assets }: FindSourcesPorts,
  projectId: string,
  assetIds: readonly (string | undefined)[],
): Promise<AssetSource> {
  const ids = new Set(assetIds.filter((id) => id !== undefined).filter((id) => isId("asset", id)));
  const found = new Map((await assets.findMany(projectId, [...ids])).map(({ id, file }) => [id, sourceOf(file)]));
  return (assetId, reference) => {
    const source = found.get(assetId);
    if (!source) throw new DomainError("asset_missing", reference);
    return source;
  };
}

type LayerSources = {
  readonly assetSource: AssetSource;
  readonly media: readonly WorkMedia[];
  readonly urls: ReadonlyMap<string, FoundFile>;
};

function layerSource(file: LayerFile, { assetSource, media, urls }: LayerSources): Source {
  const { path, what } = file;
  const reference = { path, what };
  switch (file.kind) {
    case "image":
      return imageSource(assetSource, file.assetId, reference);
    case "lottie":
      return lottieSource(assetSource, file.assetId, reference);
    case "font":
      return fontSource(assetSource, file.assetId, reference);
    case "video":
      return requireVideo(assetSource(file.assetId, reference), reference);
    case "scene":
      return sceneSource(media, file.sceneIndex, path);
    case "videoByUrl":
      return videoByUrl(urls.get(file.url), reference);
  }
}

function videoByUrl(found: FoundFile, reference: AssetReference): Source {
  if (!found) throw invalid(reference.path, "Must be the URL of a video of this project: add other videos as assets.");
  if (!found.file) throw new DomainError("asset_missing", reference);
  return requireVideo(sourceOf(found.file), reference);
}

function requireVideo(source: Source, reference: AssetReference): Source {
  if (source.facts.kind === "video") return source;
  throw new DomainError("asset_wrong_type", { ...reference, expected: "a video" });
}

type FoundFile = Awaited<ReturnType<typeof findProjectFile>>;

/** The files of videos by URL. */
async function filesByUrl(ports: FindProjectFilePorts, projectId: string, files: readonly LayerFile[]) {
  const urls = new Set(files.flatMap((file) => (file.kind === "videoByUrl" ? file.url : [])));
  const found = new Map<string, FoundFile>();
  for (const url of urls) found.set(url, await findProjectFile(ports, projectId, url));
  return found;
}

function imageSource(assetSource: AssetSource, assetId: string, reference: AssetReference): Source {
  const source = assetSource(assetId, reference);
  if (source.facts.kind === "image") return source;
  throw new DomainError("asset_wrong_type", { ...reference, expected: "an image" });
}

function lottieSource(assetSource: AssetSource, assetId: string, reference: AssetReference): Source {
  const source = assetSource(assetId, reference);
  if (source.facts.animation) return source;
  throw new DomainError("asset_wrong_type", { ...reference, expected: "a Lottie animation" });
}

function soundSource(assetSource: AssetSource, assetId: string, reference: AssetReference): Source {
  const source = assetSource(assetId, reference);
  if (hasSound(source)) return source;
  throw new DomainError("asset_wrong_type", { ...reference, expected: "a file with sound" });
}

export const hasSound = ({ facts }: Source): boolean => facts.kind === "audio" || facts.hasSound === true;

function fontSource(assetSource: AssetSource, assetId: string, reference: AssetReference): Source {
  const source = assetSource(assetId, reference);
  if (source.facts.kind === "font") return source;
  throw new DomainError("font_unusable", reference);
}
