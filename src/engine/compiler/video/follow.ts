import { clipTime } from "../../motion/clip-time.ts";
import { type FocusPoint, type FocusShot, type FocusTrack, focusAt, shotAt } from "../../timeline/focus.ts";
import { type FrameRange, type FrameRate, framesIn, toSeconds } from "../../timeline/time.ts";
import { type Clip, isPaced } from "../../timeline/track.ts";
import type { Point, Size } from "../filters/geometry.ts";
import { printNumber } from "../graph/print.ts";
import type { Window } from "./window.ts";

/** The position of the canvas in a clip's scaled frames, from a frame of the clip on. Whole, even pixels. */
type Position = Point & { readonly frame: number };

/** The positions of the canvas during a clip. It moves straight between them, and jumps between two of one frame. */
export type Path = readonly Position[];

type FollowedClip = {
  readonly clip: Clip;
  readonly track: FocusTrack;
  readonly rate: FrameRate;
  /** Seconds by which a frame may be late and still count as shown. */
  readonly toleranceSeconds: number;
  /** The size of the scaled frames. */
  readonly size: Size;
  readonly canvas: Size;
};

/** The path through all frames that a clip can show, whatever part of them is drawn: so the parts fit each other. */
export function pathOf(followed: FollowedClip): Path {
  if (isPaced(followed.clip)) return pacedPath(followed);
  const { clip, track, rate, toleranceSeconds } = followed;
  const fps = rate.num / rate.den;
  const last = framesIn(clip.range) + clip.transition.frames;
  const frameOf = (seconds: number) => (seconds - clip.sourceStartSeconds) * fps;
  // as the clip samples its source: a frame is shown from the first output frame at or after its time
  const firstFrameOf = (seconds: number) => Math.ceil(frameOf(seconds - toleranceSeconds) - 1e-6);
  const secondsOf = (frame: number) => clip.sourceStartSeconds + toSeconds(frame, rate);
  return track.flatMap((shot, index) => {
    const next = track[index + 1];
    const from = index === 0 ? 0 : Math.max(0, firstFrameOf(shot.startSeconds));
    const to = next ? Math.min(last, firstFrameOf(next.startSeconds)) : last;
    if (from >= to) return [];
    const inside = shot.points
      .map(({ atSeconds }) => Math.round(frameOf(atSeconds)))
      .filter((frame) => frame > from && frame < to);
    const frames = [...new Set([from, ...inside, to])];
    return frames.map((frame) => ({ frame, ...start(focusAt(shot, secondsOf(frame)), followed) }));
  });
}

const start = ({ x, y }: FocusPoint, { size, canvas }: Pick<FollowedClip, "size" | "canvas">): Point => ({
  x: startOf(x * size.width, canvas.width, size.width),
  y: startOf(y * size.height, canvas.height, size.height),
});

const pacedPaths = new WeakMap<Clip, Map<string, Path>>();

/** All segments of a clip share its path. */
function pacedPath(followed: FollowedClip): Path {
  const { clip, rate, toleranceSeconds, size, canvas } = followed;
  const paths = pacedPaths.get(clip) ?? new Map<string, Path>();
  pacedPaths.set(clip, paths);
  const key = JSON.stringify([rate, toleranceSeconds, size, canvas]);
  const path = paths.get(key) ?? samplePath(followed);
  paths.set(key, path);
  return path;
}

/** Frames between two positions of a clip that does not play at its own speed: between them it moves straight. */
const pacedStep = 5;
const maxPositions = 2000;

/** The path of a clip at its own pace, backwards too: whole at the cuts of the source, and sampled between them. */
function samplePath(followed: FollowedClip): Path {
  const { clip, track, rate, toleranceSeconds } = followed;
  const last = framesIn(clip.range) + clip.transition.frames;
  const step = Math.max(pacedStep, Math.ceil(last / maxPositions));
  const shotOf = (frame: number) => shotAt(track, clipTime(clip, frame, rate) + toleranceSeconds);
  const at = (frame: number, shot: FocusShot): Position => ({
    frame,
    ...start(focusAt(shot, clipTime(clip, frame, rate)), followed),
  });
  const path: Position[] = [at(0, shotOf(0))];
  for (let frame = 1; frame <= last; frame++) {
    const [before, shot] = [shotOf(frame - 1), shotOf(frame)];
    if (shot !== before) path.push(at(frame, before), at(frame, shot));
    else if (frame % step === 0 || frame === last) path.push(at(frame, shot));
  }
  return path;
}

const startOf = (middle: number, length: number, whole: number): number =>
  2 * Math.round(Math.min(Math.max(0, middle - length / 2), whole - length) / 2);

/** The window of the frames that the canvas shows during the whole path. */
export function windowOf(path: Path, { width, height }: Size): Window {
  const xs = path.map(({ x }) => x);
  const ys = path.map(({ y }) => y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x + width, height: Math.max(...ys) - y + height };
}

/** The canvas's position in a window of the frames, as expressions of the frame number `n`, counted from `used`. */
export const positionIn = (path: Path, { x, y }: Point, used: FrameRange) => ({
  x: printPosition(path, ({ x: at }) => at - x, used),
  y: printPosition(path, ({ y: at }) => at - y, used),
});

/** Uses whole numbers for any first used frame. A flat sum: ffmpeg rejects deeply nested expressions. */
function printPosition(path: Path, coordinate: (position: Position) => number, { start, end }: FrameRange): string {
  let before = coordinate(path[0]!);
  const moves: string[] = [];
  for (const [index, to] of path.entries()) {
    const from = path[index - 1];
    const distance = from ? coordinate(to) - coordinate(from) : 0;
    if (!from || distance === 0 || from.frame >= end) continue;
    const frame = `n${printSigned(start - from.frame)}`;
    const frames = to.frame - from.frame;
    if (to.frame <= start) before += distance;
    else if (frames === 0) moves.push(`${printSigned(distance)}*gte(${frame},0)`);
    else moves.push(`${printSigned(distance)}*clip((${frame})/${printNumber(frames)},0,1)`);
  }
  return moves.length === 0 ? printNumber(before) : `2*floor((${printNumber(before)}${moves.join("")})/2+0.5)`;
}

const printSigned = (value: number): string => (value < 0 ? printNumber(value) : `+${printNumber(value)}`);
