import { DomainError } from "../../../errors.ts";
import { patientGate } from "../../../platform/concurrency-limit.ts";
import type { Asset, AssetStore } from "../../assets/assets.ts";
import type { FileStore } from "../../files/file-store.ts";
import { cleanText } from "../../shared/texts.ts";
import { editing, requireFound } from "../../shared/versioned.ts";
import type { AssetTask, SeenFile } from "../models.ts";
import type { VideoAnalyzer } from "../video-metrics.ts";
import { framesFor, type Reading } from "./analyze.ts";
import { assetPrompt } from "./prompt.ts";

type DescribingPorts = {
  readonly assets: AssetStore;
  readonly files: FileStore;
  readonly videoAnalyzer: VideoAnalyzer;
};

/** Of an asset's description: it stands beside the asset in lists and prompts. */
const maxCharacters = 600;

/** What every vision model takes as it is. */
const takenTypes = ["image/jpeg", "image/png", "image/webp"];

/** Has a model say what an image or a video shows, and keeps that as the asset's description. */
export async function describeAsset(ports: DescribingPorts, reading: Reading, asset: Asset): Promise<Asset> {
  const kind = requireSeen(asset);
  const { model, call } = reading;
  const task = await taskFor(ports, reading, asset);
  const { measures } = task;
  const prompt = assetPrompt({ kind, name: asset.name, tags: asset.tags ?? [], ...(measures && { measures }) });
  const describe = () => model.describeAsset({ ...task, prompt }, call);
  const told = await (model.isBilled ? call.once(`describe ${asset.id}`, describe) : describe());
  const description = cleanText(told, maxCharacters);
  if (!description) throw saidNothing();
  const edit = editing<Asset>(undefined, (found) => ({ ...found, description }));
  return requireFound(await ports.assets.change(asset.projectId, asset.id, edit));
}

const saidNothing = () =>
  new DomainError("provider_bad_response", { provider: "The model", reason: "it said nothing" });

/** Each model costs its caller: more at a time would only meet its rate limit. */
const atATime = 4;

/**
 * The same for many; all of them are looked up before the first is described. Each description is kept as soon as it is
 * there. After a failure none is begun any more; those under way end, and the first failure is thrown.
 */
export async function describeAssets(
  ports: DescribingPorts,
  reading: Reading,
  { projectId, assetIds }: { readonly projectId: string; readonly assetIds: readonly string[] },
): Promise<readonly Asset[]> {
  const wanted = await findAll(ports.assets, projectId, assetIds);
  const inTurn = patientGate(atATime);
  const failures: unknown[] = [];
  const describe = async (asset: Asset): Promise<readonly Asset[]> => {
    if (failures.length > 0) return [];
    try {
      return [await describeAsset(ports, reading, asset)];
    } catch (error) {
      failures.push(error);
      return [];
    }
  };
  const described = await Promise.all(wanted.map((asset) => inTurn(() => describe(asset))));
  if (failures.length > 0) throw failures[0];
  return described.flat();
}

async function findAll(assets: AssetStore, projectId: string, ids: readonly string[]): Promise<readonly Asset[]> {
  const found = new Map((await assets.findMany(projectId, [...new Set(ids)])).map((asset) => [asset.id, asset]));
  const wanted = ids.map((id, index) => {
    const asset = found.get(id);
    const path = `assetIds.${index}`;
    if (!asset) throw new DomainError("asset_missing", { path, what: "The asset" });
    requireSeen(asset, path);
    return asset;
  });
  return [...new Set(wanted)];
}

function requireSeen({ type }: Asset, path = ""): "image" | "video" {
  if (type === "image" || type === "video") return type;
  throw new DomainError("asset_wrong_type", { path, what: "The asset", expected: "an image or a video" });
}

async function taskFor(
  { files, videoAnalyzer }: DescribingPorts,
  { model, call: { clientSignal: signal } }: Reading,
  { file: { key, sizeBytes, facts } }: Asset,
): Promise<Omit<AssetTask, "prompt">> {
  const file: SeenFile = { path: await files.localPath(key), sizeBytes, facts };
  if (facts.kind === "video" || model.sees(facts) === "measures") {
    const measures = await videoAnalyzer.measure(file.path, facts, signal);
    return { file, measures, frames: await framesFor(model, videoAnalyzer, { ...file, measures, signal }) };
  }
  return { file, frames: [{ atSeconds: 0, ...(await videoAnalyzer.image(file.path, facts, takenTypes)) }] };
}
