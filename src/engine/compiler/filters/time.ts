import type { FrameRange, FrameRate } from "../../timeline/time.ts";
import { filter, type Video } from "../graph/graph.ts";
import { printNumber, printRate } from "../graph/print.ts";

const frameTicks = ({ num, den }: FrameRate) => `${den}/${num}`;

/**
 * `fps` drops the last frame of a stream whose EOF has that frame's own PTS, or a PTS slightly before it. So frames
 * pass `fps` this many frames early, and `holdLastFrame` shifts them forward again.
 */
const leadFrames = 240;

/**
 * Shifts a stream back by `microseconds`, and aligns each frame with the first frame of `rate` at or after its time.
 * Works in microseconds first, because setpts truncates to whole ticks; `fps` would count from a rounded first
 * frame instead.
 */
export const shiftBack = (video: Video, microseconds: number, rate: FrameRate): Video => {
  const num = printNumber(rate.num);
  const den = printNumber(rate.den * 1e6);
  return placeFrames(video, (time) => `ceil((${time}-${printNumber(microseconds)})*${num}/${den})`, rate);
};

/** Sets the number of each frame, at `rate`, by its time: `frameOf` returns an expression of microseconds. */
export const placeFrames = (video: Video, frameOf: (time: string) => string, rate: FrameRate): Video => {
  const fine = filter("video", "settb", [video], { expr: "AVTB" });
  const num = printNumber(rate.num);
  const den = printNumber(rate.den * 1e6);
  // newer versions apply this to the EOF too: at least one frame after the previous frame, like every other frame
  const frame = `max(${frameOf("PREV_INPTS")}+1,${frameOf("PTS")})-${leadFrames}`;
  const shifted = filter("video", "setpts", [fine], { expr: `(${frame})*${den}/${num}` });
  return filter("video", "settb", [shifted], { expr: frameTicks(rate) });
};

/** Sets the first time to zero and keeps the others, in microseconds. Equal times are moved one after another. */
export const firstFrameAtZero = (video: Video): Video => {
  const fine = filter<"video">("video", "settb", [video], { expr: "AVTB" });
  return filter("video", "setpts", [fine], { expr: "if(eq(N,0),0,max(PTS,PREV_OUTPTS+1))" });
};

/** Keeps all frames in memory, and outputs them from the last to the first. */
export const reverseFrames = (video: Video): Video => filter("video", "reverse", [video]);

/** Repeats each frame until the next one. */
export const constantFrameRate = (video: Video, rate: FrameRate): Video =>
  filter("video", "fps", [video], { fps: printRate(rate) });

/** Starts at time zero. Each output frame is the last input frame at or before its time, or else the first one. */
export const sampleFromZero = (video: Video, rate: FrameRate): Video =>
  filter("video", "fps", [video], { fps: printRate(rate), start_time: 0, round: "up" });

/** Repeats the last frame forever. Undoes the lead of `shiftBack`. */
export const holdLastFrame = (video: Video): Video => {
  const endless = filter<"video">("video", "tpad", [video], { stop: -1, stop_mode: "clone" });
  return filter("video", "setpts", [endless], { expr: `PTS+${leadFrames}` });
};

/** Numbers the frames from `first`, in a timebase of one tick per frame. */
export const resetTimestamps = (video: Video, rate: FrameRate, first = 0): Video => {
  const ticking = filter("video", "settb", [video], { expr: frameTicks(rate) });
  return filter("video", "setpts", [ticking], { expr: first > 0 ? `N+${printNumber(first)}` : "N" });
};

/** Sets the number of each frame, in a timebase of one tick per frame. The numbers ascend. */
export const setFrames = (video: Video, rate: FrameRate, frames: readonly number[]): Video => {
  const [first = 0] = frames;
  if (frames.every((frame, index) => frame === first + index)) return resetTimestamps(video, rate, first);
  const ticking = filter("video", "settb", [video], { expr: frameTicks(rate) });
  return filter("video", "setpts", [ticking], { expr: numberAt(frames) });
};

/** An expression of a variable that counts frames from `first`, by default of `N` from 0. */
type FrameCounter = { readonly variable: string; readonly first: number };

/**
 * The expression of a list's entry by the number of the frame. Halves the list repeatedly: ffmpeg rejects deeply nested
 * expressions. Beyond the list its last entry holds.
 */
export function numberAt(values: readonly number[], counter: FrameCounter = { variable: "N", first: 0 }): string {
  const [head = 0] = values;
  if (values.every((value) => value === head)) return printNumber(head);
  const { variable, first } = counter;
  const half = values.length >> 1;
  const before = numberAt(values.slice(0, half), counter);
  const after = numberAt(values.slice(half), { variable, first: first + half });
  return `if(lt(${variable},${first + half}),${before},${after})`;
}

/** Like `resetTimestamps`, but the time of a frame is its middle: `fade` computes its progress from the time. */
export const resetTimestampsToMiddles = (
  video: Video,
  { num, den }: FrameRate,
  first: number,
  ticks: MiddleTicks = 2,
): Video => {
  const ticking = filter("video", "settb", [video], { expr: frameTicks({ num: ticks * num, den }) });
  return filter("video", "setpts", [ticking], { expr: `${ticks}*N+${printNumber(ticks * first + ticks / 2)}` });
};

/** The ticks of a frame: newer versions round the start and the length of a fade to them. */
export type MiddleTicks = 2 | 2000;

export const trim = (video: Video, { start, end }: FrameRange): Video =>
  filter("video", "trim", [video], start > 0 ? { start_frame: start, end_frame: end } : { end_frame: end });

/** Keeps the frames with these numbers, counted from 0. */
export const selectFrames = (video: Video, frames: readonly number[]): Video =>
  filter("video", "select", [video], { expr: frames.map((frame) => `eq(n,${printNumber(frame)})`).join("+") });

/** concat outputs microsecond ticks, so the timestamps are reset. */
export const concat = (videos: readonly Video[], rate: FrameRate): Video => {
  const [only, ...more] = videos;
  if (only && more.length === 0) return only;
  return resetTimestamps(filter("video", "concat", videos, { n: videos.length, v: 1, a: 0 }), rate);
};

/** Repeats the first frame forever. */
export const loopFirstFrame = (video: Video): Video => loopFrames(video, 1);

/** Repeats the first `count` frames forever. */
export const loopFrames = (video: Video, count: number): Video =>
  filter("video", "loop", [video], { loop: -1, size: count, start: 0 });

/** Blends each frame with the one before it. The first frame is dropped. */
export const averageWithPrevious = (video: Video): Video => filter("video", "tblend", [video], { all_mode: "average" });

const ticksPerFrame = 1000;

/** Blends neighbors into the frames between them. `time` is in frames of `rate` and begins at 0. For 8-bit YUV only. */
export const blendToRate = (video: Video, time: string, { num, den }: FrameRate): Video => {
  const fine = filter("video", "settb", [video], { expr: frameTicks({ num: num * ticksPerFrame, den }) });
  const timed = filter("video", "setpts", [fine], { expr: `${ticksPerFrame}*(${time})` });
  // blends any two frames, however close in time or different they are
  const always = { interp_start: 0, interp_end: 255, flags: 0 };
  return filter("video", "framerate", [timed], { fps: printRate({ num, den }), ...always });
};
