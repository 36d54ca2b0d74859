import { toHundredths } from "../../platform/values.ts";
/** Frames per second as an exact fraction: 29.97 is 30000/1001, never a float. */
export type FrameRate = { readonly num: number; readonly den: number };

/** Half-open: `end` is the first frame outside. */
export type FrameRange = { readonly start: number; readonly end: number };

export const samplesPerSecond = 48_000;

/** The clock of ranges that count samples. */
export const sampleClock: FrameRate = { num: samplesPerSecond, den: 1 };

const ntsc = new Map([
  [23.976, { num: 24_000, den: 1001 }],
  [29.97, { num: 30_000, den: 1001 }],
  [59.94, { num: 60_000, den: 1001 }],
]);

/** The exact rate for a number of frames per second: NTSC rates as fractions of 1001, others rounded to thousandths. */
export function frameRateOf(fps: number): FrameRate {
  const known = ntsc.get(fps);
  if (known) return known;
  const num = Math.max(1, Math.round(fps * 1000));
  const den = 1000;
  const divisor = greatestCommonDivisor(num, den);
  return { num: num / divisor, den: den / divisor };
}

// a float such as 0.285 * 100 lies slightly below its tie; no real time lies this close to one
const tieTolerance = 1e-6;

/** The frame that starts nearest to a time; ties round up. */
export const toFrame = (seconds: number, { num, den }: FrameRate): number =>
  Math.floor((seconds * num) / den + 0.5 + tieTolerance);

/** The frame that is visible at a time. */
export const frameAt = (seconds: number, { num, den }: FrameRate): number =>
  Math.floor((seconds * num) / den + tieTolerance);

export const toSeconds = (frames: number, { num, den }: FrameRate): number => (frames * den) / num;

export const toSamples = (frames: number, { num, den }: FrameRate): number =>
  Math.round((frames * samplesPerSecond * den) / num);

export const framesIn = ({ start, end }: FrameRange): number => end - start;

export const isInside = (frame: number, { start, end }: FrameRange): boolean => frame >= start && frame < end;

export function intersection(a: FrameRange, b: FrameRange): FrameRange | undefined {
  const start = Math.max(a.start, b.start);
  const end = Math.min(a.end, b.end);
  return start < end ? { start, end } : undefined;
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));

export type Times = { readonly position?: number | undefined; readonly end?: number | undefined };

/** Formats a time such as ` at 0–4 s`; empty for an invalid item. */
export function atTimes({ position, end }: Times = {}): string {
  return position === undefined || end === undefined ? "" : ` at ${toHundredths(position)}–${toHundredths(end)} s`;
}
