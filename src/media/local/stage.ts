import type { Canvas } from "../../timeline/timeline.ts";
import type { Box } from "../drawing/box.ts";

/** Where the parts of a frame go. A film's title comes above the middle, so the sky is left to it. */
export type Stage = Canvas & {
  /** What is large or small is so by this length. */
  readonly unit: number;
  /** Where the floor begins, from the top. */
  readonly floor: number;
  /** Inside what every camera move keeps in sight. */
  readonly caption: Box;
};

export function stageOf({ width, height }: Canvas): Stage {
  // the lowest fifth of a tall film lies behind the buttons of those who show it
  const isTall = height > width * 1.15;
  const isWide = width > height * 1.15;
  const [floor, top, bottom] = isTall ? [0.6, 0.65, 0.8] : [0.64, 0.7, 0.88];
  const left = 0.125 * width;
  return {
    width,
    height,
    unit: Math.min(width, height * 0.72),
    floor: floor! * height,
    caption: { x: left, y: top! * height, width: (isWide ? 0.56 : 0.75) * width, height: (bottom! - top!) * height },
  };
}

/** Numbers from 0 to 1, always the same for the same text. */
export function chances(text: string): () => number {
  let state = 2166136261;
  for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 16777619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mix = Math.imul(state ^ (state >>> 15), 1 | state);
    mix = (mix + Math.imul(mix ^ (mix >>> 7), 61 | mix)) ^ mix;
    return ((mix ^ (mix >>> 14)) >>> 0) / 2 ** 32;
  };
}
