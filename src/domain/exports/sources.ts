import { DomainError, isDomainError } from "../../errors.ts";
import type { Source } from "../../timeline/source.ts";
import type { StoredFile } from "../files/file-store.ts";
import type { Services } from "../services.ts";
import { isId } from "../shared/ids.ts";
import type { Work, WorkMedia } from "../works/works.ts";
import type { ClipRequest, ImageRequest, TextRequest } from "./schema.ts";

/** What was found for a request, by the index of the clip, text or image that named it. */
export type Sources = {
  readonly clips: readonly (Source | undefined)[];
  readonly fonts: readonly (Source | undefined)[];
  readonly images: readonly (Source | undefined)[];
};

export const sourceOf = ({ key, sha256, facts }: StoredFile): Source => ({ file: key, hash: sha256, facts });

type Named<Item, Field extends keyof Item> = readonly (Pick<Item, Field> | undefined)[];

/** All that a request names. What could not be read of it is undefined, so that the others keep their index. */
export type NamedSources = {
  readonly clips: Named<ClipRequest, "sceneIndex">;
  readonly texts?: Named<TextRequest, "fontAssetId"> | undefined;
  readonly images?: Named<ImageRequest, "assetId"> | undefined;
};

/** Finds the stored file behind every scene, font and image; what is missing is told, all of it, in `errors`. */
export async function findSources(
  services: Pick<Services, "assets" | "workMedia">,
  work: Work,
  { clips, texts = [], images = [] }: NamedSources,
): Promise<Sources & { readonly errors: readonly DomainError[] }> {
  const errors: DomainError[] = [];
  const media = await services.workMedia.list(work.id);
  const asset = await assetFinder(services, work.projectId, [
    ...texts.map((text) => text?.fontAssetId),
    ...images.map((image) => image?.assetId),
  ]);
  const found = <Name>(name: Name | undefined, find: (name: Name) => Source) =>
    name === undefined
      ? undefined
      : foundOr(
          () => find(name),
          (error) => errors.push(error),
        );
  return {
    clips: clips.map((clip, at) =>
      found(clip?.sceneIndex, (index) => sceneSource(media, index, `clips.${at}.sceneIndex`)),
    ),
    // an empty id asks for no font
    fonts: texts.map((text, at) =>
      found(text?.fontAssetId || undefined, (id) => fontSource(asset, id, `texts.${at}.fontAssetId`)),
    ),
    images: images.map((image, at) => found(image?.assetId, (id) => imageSource(asset, id, `images.${at}.assetId`))),
    errors,
  };
}

function foundOr(find: () => Source | undefined, tell: (error: DomainError) => void): Source | undefined {
  try {
    return find();
  } catch (error) {
    if (!isDomainError(error)) throw error;
    tell(error);
    return undefined;
  }
}

/** A scene's video, else its image: that is animated. */
function sceneSource(media: readonly WorkMedia[], sceneIndex: number, path: string): Source {
  const slots = [`scene/${sceneIndex}/video`, `scene/${sceneIndex}/image`];
  const found = slots.map((slot) => media.find((candidate) => candidate.slot === slot)).find(Boolean);
  if (!found) throw new DomainError("scene_video_missing", { path, sceneIndex });
  return sourceOf(found.file);
}

type AssetFinder = (assetId: string, path: string) => Source;

async function assetFinder(
  { assets }: Pick<Services, "assets">,
  projectId: string,
  wanted: readonly (string | undefined)[],
): Promise<AssetFinder> {
  const ids = new Set(wanted.filter((id) => id !== undefined).filter((id) => isId("asset", id)));
  const found = new Map((await assets.findMany(projectId, [...ids])).map(({ id, file }) => [id, sourceOf(file)]));
  return (assetId, path) => {
    const source = found.get(assetId);
    if (!source) throw new DomainError("asset_missing", { path, what: `Asset ${assetId}` });
    return source;
  };
}

function imageSource(asset: AssetFinder, assetId: string, path: string): Source {
  const source = asset(assetId, path);
  if (source.facts.kind === "image") return source;
  throw new DomainError("asset_wrong_type", { path, what: `Asset ${assetId}`, expected: "an image" });
}

function fontSource(asset: AssetFinder, assetId: string, path: string): Source {
  const source = asset(assetId, path);
  if (source.facts.kind === "font") return source;
  throw new DomainError("font_unusable", { path, what: `Asset ${assetId}` });
}
