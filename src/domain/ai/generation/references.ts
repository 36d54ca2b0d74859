import type { FileStore, ImageConverter } from "../../../engine/ports.ts";
import { DomainError } from "../../../errors.ts";
import type { Asset, AssetStore } from "../../assets/assets.ts";
import type { ImageModel, ReferenceImage, VideoModel } from "../models.ts";
import type { ProviderCall } from "../provider-calls.ts";
import type { SceneTarget } from "./scene-lock.ts";

/** The most references that a scene can name. */
export const maxReferenceAssets = 8;

/** The types that every model with image input takes. */
export const acceptedTypes = ["image/jpeg", "image/png", "image/webp"];

/** A request contains them in base64, and may contain several. */
const maxBytes = 4_000_000;

const what = "The picture of the product";

/** Finds the pictures of the product that a scene names. Throws asset_missing and asset_wrong_type. */
export const findSceneReferences = (
  ports: { readonly assets: Pick<AssetStore, "findMany"> },
  { work, sceneIndex }: SceneTarget,
): Promise<readonly Asset[]> => {
  const ids = work.scenes[sceneIndex]?.referenceAssetIds ?? [];
  return findReferences(ports, { projectId: work.projectId, ids, path: `scenes.${sceneIndex}.referenceAssetIds` });
};

/** Finds the images with these ids, each once. `path` names the list in errors. */
export async function findReferences(
  { assets }: { readonly assets: Pick<AssetStore, "findMany"> },
  { projectId, ids, path }: { readonly projectId: string; readonly ids: readonly string[]; readonly path: string },
): Promise<readonly Asset[]> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return [];
  const found = new Map((await assets.findMany(projectId, unique)).map((asset) => [asset.id, asset]));
  return unique.map((id) => {
    const reference = { path: `${path}.${ids.indexOf(id)}`, what };
    const asset = found.get(id);
    if (!asset) throw new DomainError("asset_missing", reference);
    if (asset.type !== "image") throw new DomainError("asset_wrong_type", { ...reference, expected: "an image" });
    return asset;
  });
}

type ReadPorts = { readonly files: FileStore; readonly videoAnalyzer: ImageConverter };

/** Reads the images that the model takes, scaled down to be sent. */
export const referencesFor = (
  { files, videoAnalyzer }: ReadPorts,
  { model, call }: { readonly model: ImageModel | VideoModel; readonly call: ProviderCall },
  assets: readonly Asset[] = [],
): Promise<readonly ReferenceImage[]> =>
  Promise.all(
    assets.slice(0, model.maxReferences ?? 0).map((asset) => readImage({ files, videoAnalyzer }, call, asset)),
  );

async function readImage({ files, videoAnalyzer }: ReadPorts, { taskOptions }: ProviderCall, { file }: Asset) {
  const { width, height } = file.facts;
  const image = await files.withLocalFile(file, (path) =>
    videoAnalyzer.convertImage(path, file.facts, acceptedTypes, { ...taskOptions, maxBytes }),
  );
  return { ...image, ...(width && height && { pixels: { width, height } }) };
}
