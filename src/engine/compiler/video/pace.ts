import { sum } from "../../../platform/values.ts";
import { clipTime } from "../../motion/clip-time.ts";
import { type FrameRange, type FrameRate, framesIn, toSeconds } from "../../timeline/time.ts";
import type { Timeline } from "../../timeline/timeline.ts";
import { isPaced } from "../../timeline/track.ts";
import { constantFrameRate, holdLastFrame, placeFrames } from "../filters/time.ts";
import type { Video } from "../graph/graph.ts";
import { printNumber } from "../graph/print.ts";
import { type ClipUse, clipUsesIn, seekTo } from "./clip-use.ts";

/** True if several uses of a clip can read one stream: its frames are the same ones, in the same order. */
export const canShareStream = ({ clip }: ClipUse): boolean =>
  !isPaced(clip) || (!clip.reverses && typeof clip.speed !== "object");

/** The bytes of the frames that reversed clips keep in memory while a part of the timeline is rendered. */
export const reversedBytesIn = ({ track, canvas }: Timeline, range: FrameRange): number =>
  sum(
    clipUsesIn(track.spans, range)
      .filter(({ clip }) => clip.reverses && clip.source.facts.kind !== "image")
      .map(({ clip: { source }, frames }) => {
        const { width, height } = { ...canvas, ...source.facts };
        return 1.5 * Math.min(width * height, canvas.width * canvas.height) * framesIn(frames);
      }),
  );

type PaceOptions = {
  readonly rate: FrameRate;
  /** The most frames per second of a source. */
  readonly maxSourceRate: number;
  /** Microseconds by which a frame may be late. */
  readonly tolerance: number;
};

/**
 * The endless frames of a clip at its own pace, in the order of the source: those of a reversed use still have to be
 * reversed. The frame that a number shows is the same in each use.
 */
export function paceFrames(video: Video, use: ClipUse, { rate, maxSourceRate, tolerance }: PaceOptions): Video {
  const { clip, frames } = use;
  const { seekSeconds } = seekTo(use, rate);
  const ticksOf = (seconds: number) => Math.round((seconds - seekSeconds) * 1e6) + tolerance;
  const steps = (speed: number) => Math.ceil((maxSourceRate * Math.max(1, speed) * rate.den) / rate.num);
  const finer = (count: number): FrameRate => ({ num: rate.num * count, den: rate.den });
  if (typeof clip.speed !== "object") {
    const { speed = 1 } = clip;
    const fine = finer(steps(speed));
    const first = clip.reverses ? framesIn(clip.range) - frames.end : frames.start;
    const [num, den] = [printNumber(fine.num), printNumber(fine.den * 1e6 * speed)];
    const start = printNumber(ticksOf(clip.sourceStartSeconds));
    const frameOf = (time: string) => `ceil((${time}-(${start}))*${num}/${den})-(${first * steps(speed)})`;
    return holdLastFrame(constantFrameRate(placeFrames(video, frameOf, fine), fine));
  }
  // one frame more, so that no frame comes after the last one at once
  const shown = Array.from({ length: framesIn(frames) + 1 }, (_, index) => frames.start + index);
  const ordered = clip.reverses ? shown.map((frame) => frame - 1).toReversed() : shown;
  const ticks = ordered.map((frame) => ticksOf(clipTime(clip, frame, rate)));
  const frameTicks = toSeconds(1, rate) * 1e6;
  const fastest = Math.max(...ticks.map((tick, index) => (tick - (ticks[index - 1] ?? tick)) / frameTicks));
  const count = steps(fastest);
  const frameOf = (time: string) => `ceil(${count}*(${printFrame(ticks, time, Math.round(frameTicks))}))`;
  return holdLastFrame(constantFrameRate(placeFrames(video, frameOf, finer(count)), finer(count)));
}

/** A straight part of the way from times to frames, which begins after a time. */
type Part = { readonly tick: number; readonly frame: number; readonly length: number };

/** The unrounded number of the frame at whose time `ticks` lists a time. Beyond the list frames have a usual length. */
function printFrame(ticks: readonly number[], time: string, usualTicks: number): string {
  const inside = ticks.slice(0, -1).flatMap((tick, frame): readonly Part[] => {
    const length = ticks[frame + 1]! - tick;
    return length > 0 ? [{ tick, frame, length }] : [];
  });
  const before = { tick: ticks[0]!, frame: 0, length: usualTicks };
  const after = { tick: ticks.at(-1)!, frame: ticks.length - 1, length: usualTicks };
  return printParts([before, ...inside, after], time);
}

/** Halves the list repeatedly: ffmpeg rejects deeply nested expressions. */
function printParts(parts: readonly Part[], time: string): string {
  const half = parts.length >> 1;
  const [first, later] = [parts[0]!, parts[half]!];
  if (half === 0) return `${first.frame}+(${time}-(${first.tick}))/${first.length}`;
  return `if(lte(${time},${later.tick}),${printParts(parts.slice(0, half), time)},${printParts(parts.slice(half), time)})`;
}
