import { DomainError, isDomainError } from "../errors.ts";
import type { Source } from "../timeline/source.ts";
import type { CompleteRequest } from "./export-draft.ts";
import type { StoredFile } from "./files.ts";
import { isId } from "./ids.ts";
import type { Services } from "./services.ts";
import type { Work, WorkMedia } from "./works.ts";

/** What was found for a request, by the index of the clip, text or image that named it. */
export type Sources = {
  readonly clips: readonly (Source | undefined)[];
  readonly fonts: readonly (Source | undefined)[];
  readonly images: readonly (Source | undefined)[];
};

export const sourceOf = ({ key, sha256, facts }: StoredFile): Source => ({ file: key, hash: sha256, facts });

/** Finds the stored file behind every scene, font and image; what is missing is told, all of it, in `errors`. */
export async function findSources(
  services: Pick<Services, "assets" | "workMedia">,
  work: Work,
  { clips, texts = [], images = [] }: CompleteRequest,
): Promise<Sources & { readonly errors: readonly DomainError[] }> {
  const errors: DomainError[] = [];
  const media = await services.workMedia.list(work.id);
  const asset = await assetFinder(services, work.projectId, [
    ...texts.map(({ fontAssetId }) => fontAssetId),
    ...images.map(({ assetId }) => assetId),
  ]);
  const orTell = (find: () => Source | undefined) => foundOr(find, (error) => errors.push(error));
  return {
    clips: clips.map(({ sceneIndex }, at) => orTell(() => sceneSource(media, sceneIndex, `clips.${at}.sceneIndex`))),
    fonts: texts.map(({ fontAssetId }, at) =>
      orTell(() => (fontAssetId ? fontSource(asset, fontAssetId, `texts.${at}.fontAssetId`) : undefined)),
    ),
    images: images.map(({ assetId }, at) => orTell(() => imageSource(asset, assetId, `images.${at}.assetId`))),
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
