import type { Beats, SoundMeter, Waveform } from "../../engine/ports.ts";
import type { Source } from "../../engine/timeline/source.ts";
import { DomainError } from "../../errors.ts";
import type { TaskOptions } from "../../platform/limits/concurrency-limit.ts";
import { sourceOf } from "../files/file-store.ts";
import type { Asset } from "./assets.ts";

type SoundMeterPorts = { readonly soundMeter: SoundMeter };

type MeasuredAsset = Pick<Asset, "projectId" | "file" | "name">;

/** Throws asset_wrong_type for an asset without sound, and source_unreadable for one that does not decode. */
export async function measureWaveform(
  { soundMeter }: SoundMeterPorts,
  asset: MeasuredAsset,
  { points, ...options }: TaskOptions & { readonly points: number },
): Promise<Waveform> {
  const { projectId } = asset;
  return requireDecoded(asset, await soundMeter.waveform(requireSound(asset), { ...options, projectId, points }));
}

/** Throws as `measureWaveform`. */
export async function measureBeats(
  { soundMeter }: SoundMeterPorts,
  asset: MeasuredAsset,
  { bpm, ...options }: TaskOptions & { readonly bpm?: number | undefined },
): Promise<Beats> {
  const { projectId } = asset;
  return requireDecoded(asset, await soundMeter.beats(requireSound(asset), { ...options, projectId, bpm }));
}

const path = "assetId";

function requireSound({ file, name }: MeasuredAsset): Source {
  const { facts } = file;
  if (facts.kind === "audio" || facts.hasSound) return sourceOf(file);
  throw new DomainError("asset_wrong_type", { path, what: `The asset ${name}`, expected: "a file with sound" });
}

function requireDecoded<Measured>({ name }: MeasuredAsset, measured: Measured | undefined): Measured {
  if (measured === undefined) throw new DomainError("source_unreadable", { path, what: `The asset ${name}` });
  return measured;
}
