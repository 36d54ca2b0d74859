import type { Command } from "../compiler/command.ts";
import { compileFootage } from "../compiler/footage.ts";
import type { RenderFootage } from "../overlays/files.ts";
import { evenStep, type FootageRequest } from "../overlays/footage.ts";
import type { Source } from "../timeline/source.ts";
import type { FrameRate } from "../timeline/time.ts";

type FootageOptions = {
  readonly folder: string;
  readonly rate: FrameRate;
  pathOf(source: Source): string;
  run(command: Command, frames: number): Promise<void>;
};

let count = 0;

/** Renders the frames of a video that a layer shows, at even distances of the source's own clock. */
export const footageRenderer =
  ({ folder, rate, pathOf, run }: FootageOptions): RenderFootage =>
  async (request) => {
    const { key, source, size, chromaKey } = request;
    const path = `${folder}/footage-${count++}.rgba`;
    const { frames, shift = 0, ...sampled } = samplesOf(request, rate);
    const files = { pathOf };
    await run(compileFootage({ source, files, size, chromaKey, frames, ...sampled }, path), frames);
    const { num, den } = sampled.rate;
    const first = sampled.startSeconds - shift;
    const times = Array.from({ length: frames }, (_, index) => first + (index * den) / num);
    return { key, size, path, times, isPremultiplied: source.facts.picture?.hasAlpha === true };
  };

/** In seconds: times are rounded to six decimals. */
const tolerance = 4e-6;

const maxFrames = 600;

type Samples = {
  readonly startSeconds: number;
  readonly rate: FrameRate;
  readonly frames: number;
  /** How much later a frame is taken than it begins. */
  readonly shift?: number;
};

/** Times at even distances: the wanted ones if these are even, else those of all frames of the source. */
function samplesOf({ times, source }: FootageRequest, rate: FrameRate): Samples {
  const startSeconds = times[0] ?? 0;
  const length = (times.at(-1) ?? startSeconds) - startSeconds;
  if (times.length <= 1 || length <= tolerance) return { startSeconds, rate, frames: 1 };
  const step = evenStep(times);
  if (step !== undefined) {
    const isOfRate = Math.abs(step - rate.den / rate.num) < tolerance / times.length;
    return { startSeconds, rate: isOfRate ? rate : rateOf(1 / step), frames: times.length };
  }
  const { frameRate = 30, startSeconds: origin = 0 } = source.facts.picture ?? {};
  const fine = Math.max(1, Math.min(frameRate, maxFrames / length));
  const first = Math.max(0, Math.floor((startSeconds - origin) * fine + tolerance * fine));
  const frames = Math.min(maxFrames, Math.ceil(length * fine) + 2);
  // the middle of a frame lies in it, however its times are rounded
  const shift = 0.5 / fine;
  return { startSeconds: origin + first / fine + shift, rate: rateOf(fine), frames, shift };
}

const rateOf = (fps: number): FrameRate => ({ num: Math.max(1, Math.round(fps * 1e6)), den: 1_000_000 });
