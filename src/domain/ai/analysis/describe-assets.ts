import type { FileStore, InspectedFile, VideoAnalyzer } from "../../../engine/ports.ts";
import { DomainError } from "../../../errors.ts";
import { concurrencyLimit } from "../../../platform/limits/concurrency-limit.ts";
import { cleanText } from "../../../platform/texts.ts";
import type { Asset, AssetStore } from "../../assets/assets.ts";
import { editAtRevision, requireFound } from "../../shared/versioned.ts";
import { acceptedTypes } from "../generation/references.ts";
import type { DescribeAssetTask } from "../models.ts";
import type { AssetDescription } from "../output-schemas.ts";
import { type AnalysisContext, sampleFrames } from "./analyze.ts";
import { assetPrompt } from "./prompt.ts";
import { toSubjectBoxes } from "./subject-boxes.ts";

type DescribeAssetPorts = {
  readonly assets: AssetStore;
  readonly files: FileStore;
  readonly videoAnalyzer: VideoAnalyzer;
};

/** Short, because a description appears in lists and in prompts. */
const maxDescriptionCharacters = 600;

/** Lets a model describe an image or a video. Saves the description and the boxes of the subject with the asset. */
export async function describeAsset(ports: DescribeAssetPorts, context: AnalysisContext, asset: Asset): Promise<Asset> {
  const output = await ports.files.withLocalFile(asset.file, (path) => describeLocal(ports, context, asset, path));
  const description = cleanText(output.description, maxDescriptionCharacters);
  if (!description) {
    throw new DomainError("provider_bad_response", { provider: "The model", reason: "it contains no text" });
  }
  const subjectBoxes = toSubjectBoxes(output.subject_boxes, asset.file.facts);
  const edit = editAtRevision<Asset>(undefined, (found) => ({ ...found, description, subjectBoxes }));
  return requireFound(await ports.assets.change(asset.projectId, asset.id, edit));
}

/** `path` is the asset's file on this machine. Returns the model's output. */
async function describeLocal(
  ports: DescribeAssetPorts,
  context: AnalysisContext,
  asset: Asset,
  path: string,
): Promise<AssetDescription> {
  const kind = requireImageOrVideo(asset);
  const { model, call } = context;
  const task = await describeAssetTask(ports, context, { ...asset.file, path });
  const { metrics } = task;
  const prompt = assetPrompt({ kind, name: asset.name, tags: asset.tags ?? [], ...(metrics && { metrics }) });
  const describe = (): Promise<AssetDescription | string> => model.describeAsset({ ...task, prompt }, call);
  const output = await (model.isBilled ? call.runOnce(`describe ${asset.id}`, describe) : describe());
  // checkpoints of earlier versions hold only the text
  return typeof output === "string" ? { description: output, subject_boxes: [] } : output;
}

/** More concurrent calls with the caller's key would only exceed the provider's rate limit. */
const maxConcurrentCalls = 4;

/**
 * Describes several assets. Validates all of them before the first model call and saves each description as soon as it
 * arrives. After a failure no further call starts; running calls finish, then the first failure is thrown.
 */
export async function describeAssets(
  ports: DescribeAssetPorts,
  context: AnalysisContext,
  { projectId, assetIds }: { readonly projectId: string; readonly assetIds: readonly string[] },
): Promise<readonly Asset[]> {
  const assets = await findAll(ports.assets, projectId, assetIds);
  const limit = concurrencyLimit({ concurrency: maxConcurrentCalls });
  const failures: unknown[] = [];
  const describe = async (asset: Asset): Promise<readonly Asset[]> => {
    if (failures.length > 0) return [];
    try {
      return [await describeAsset(ports, context, asset)];
    } catch (error) {
      failures.push(error);
      return [];
    }
  };
  const described = await Promise.all(assets.map((asset) => limit(() => describe(asset))));
  if (failures.length > 0) throw failures[0];
  return described.flat();
}

/** Returns the assets in the order of `ids`, each once. Throws asset_missing or asset_wrong_type with the id's path. */
async function findAll(store: AssetStore, projectId: string, ids: readonly string[]): Promise<readonly Asset[]> {
  const found = new Map((await store.findMany(projectId, [...new Set(ids)])).map((asset) => [asset.id, asset]));
  const assets = ids.map((id, index) => {
    const asset = found.get(id);
    const path = `assetIds.${index}`;
    if (!asset) throw new DomainError("asset_missing", { path, what: "The asset" });
    requireImageOrVideo(asset, path);
    return asset;
  });
  return [...new Set(assets)];
}

function requireImageOrVideo({ type }: Asset, path = ""): "image" | "video" {
  if (type === "image" || type === "video") return type;
  throw new DomainError("asset_wrong_type", { path, what: "The asset", expected: "an image or a video" });
}

async function describeAssetTask(
  { videoAnalyzer }: DescribeAssetPorts,
  { model, call: { taskOptions } }: AnalysisContext,
  { path, sizeBytes, facts }: InspectedFile,
): Promise<Omit<DescribeAssetTask, "prompt">> {
  const file: InspectedFile = { path, sizeBytes, facts };
  if (facts.kind === "video" || model.inputFor(facts) === "metrics") {
    const metrics = await videoAnalyzer.measure(file.path, facts, taskOptions);
    return { file, metrics, frames: await sampleFrames(model, videoAnalyzer, { ...file, metrics }, taskOptions) };
  }
  const image = await videoAnalyzer.convertImage(file.path, facts, acceptedTypes, taskOptions);
  return { file, frames: [{ atSeconds: 0, ...image }] };
}
