/** Frames per second as an exact fraction: 29.97 is 30000/1001, never a float. */
export type FrameRate = { readonly num: number; readonly den: number };

/** Half-open: `end` is the first frame outside. */
export type FrameRange = { readonly start: number; readonly end: number };

export const samplesPerSecond = 48_000;

const ntsc = new Map([
  [23.976, { num: 24_000, den: 1001 }],
  [29.97, { num: 30_000, den: 1001 }],
  [59.94, { num: 60_000, den: 1001 }],
]);

/** The exact rate that a number shown to people means; other fractions count in thousandths. */
export function frameRateOf(fps: number): FrameRate {
  const known = ntsc.get(fps);
  if (known) return known;
  const [num, den] = [Math.max(1, Math.round(fps * 1000)), 1000];
  const divisor = greatestCommonDivisor(num, den);
  return { num: num / divisor, den: den / divisor };
}

// a float such as 0.285 * 100 falls a hair below its tie; no real time lies that close to one
const tieSlack = 1e-6;

/** The whole frame nearest to a time, ties up. */
export const toFrame = (seconds: number, { num, den }: FrameRate): number =>
  Math.floor((seconds * num) / den + 0.5 + tieSlack);

/** The frame that is seen at a time. */
export const frameAt = (seconds: number, { num, den }: FrameRate): number =>
  Math.floor((seconds * num) / den + tieSlack);

export const toSeconds = (frames: number, { num, den }: FrameRate): number => (frames * den) / num;

/** Sound follows the same frames: the sample at which a frame begins. */
export const toSamples = (frames: number, { num, den }: FrameRate): number =>
  Math.round((frames * samplesPerSecond * den) / num);

export const framesIn = ({ start, end }: FrameRange): number => end - start;

export const isInside = (frame: number, { start, end }: FrameRange): boolean => frame >= start && frame < end;

/** What two ranges share, or undefined. */
export function intersection(a: FrameRange, b: FrameRange): FrameRange | undefined {
  const [start, end] = [Math.max(a.start, b.start), Math.min(a.end, b.end)];
  return start < end ? { start, end } : undefined;
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));
