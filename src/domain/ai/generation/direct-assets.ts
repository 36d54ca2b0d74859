import { Readable } from "node:stream";
import type { VideoAnalyzer } from "../../../engine/ports.ts";
import { pictureEnd } from "../../../engine/timeline/source.ts";
import { DomainError } from "../../../errors.ts";
import { isMissing } from "../../../platform/files.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import type { Asset, AssetStore } from "../../assets/assets.ts";
import { isId } from "../../shared/ids.ts";
import { longestSide } from "../../shared/schemas.ts";
import { type GenerationTarget, putCopy, putGenerated, type WorkMediaPorts } from "../../works/media.ts";
import { directAssetIds } from "../../works/works.ts";
import type { SceneTarget } from "./scene-lock.ts";

/** An image or a video that a scene shows directly, and its path in the work for errors. */
export type DirectAsset = { readonly asset: Asset; readonly path: string };

/** Finds the asset that a scene shows directly, if any. Throws asset_missing and asset_wrong_type. */
export async function findDirectAsset(
  { assets }: { readonly assets: Pick<AssetStore, "find"> },
  { work, sceneIndex }: SceneTarget,
): Promise<DirectAsset | undefined> {
  const ids = directAssetIds(work);
  if (!ids) return undefined;
  const index = sceneIndex % ids.length;
  const path = `selectedAssetIds.${index}`;
  const id = ids[index]!; // safe because the list is not empty
  const asset = isId("asset", id) ? await assets.find(work.projectId, id) : undefined;
  if (!asset) throw assetMissing(path);
  if (asset.type !== "image" && asset.type !== "video") {
    throw new DomainError("asset_wrong_type", { path, what, expected: "an image or a video" });
  }
  return { asset, path };
}

/** Stores the asset's own file in a slot. */
export const putAssetFile = (ports: WorkMediaPorts, { asset, path }: DirectAsset, target: GenerationTarget) =>
  putCopy(ports, target, asset.file).then(
    ({ url }) => url,
    (error) => {
      throw isMissing(error) ? assetMissing(path) : error;
    },
  );

type StillPorts = WorkMediaPorts & { readonly videoAnalyzer: VideoAnalyzer };

/** Stores a frame of a video asset in a slot. */
export async function putAssetStill(
  ports: StillPorts,
  { asset, path }: DirectAsset,
  target: GenerationTarget,
  taskOptions: Required<TaskOptions>,
): Promise<string> {
  const { file } = asset;
  const { facts } = file;
  // many videos begin with black frames
  const atSeconds = [(pictureEnd(facts) ?? 0) / 10, 0];
  const options = { ...taskOptions, atSeconds, maxSide: longestSide };
  const [frame] = await ports.files.withLocalFile(file, (local) => ports.videoAnalyzer.frames(local, facts, options));
  if (!frame) throw new DomainError("source_unreadable", { path, what });
  const received = await ports.files.receive(Readable.from([frame.bytes]), frame.bytes.length);
  try {
    const { generatedBy, declaredSources } = facts;
    const manifest = facts.manifest ?? (declaredSources && { sources: declaredSources });
    const known = {
      ...(generatedBy && { generatedBy }),
      // the frame shows what the manifest describes, but was not signed itself
      ...(manifest && { manifest: { ...manifest, state: "unchecked" as const, failures: [], isIntact: false } }),
    };
    return (await putGenerated(ports, { ...target, ...known }, received, taskOptions.owner)).url;
  } finally {
    await ports.files.discard(received);
  }
}

const what = "The asset that the scene shows";
const assetMissing = (path: string) => new DomainError("asset_missing", { path, what });
