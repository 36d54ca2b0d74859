import type { Canvas } from "../../timeline/timeline.ts";

/** How Gemini is told the shape and the size of a picture. */
export type ImageConfig = { readonly aspectRatio: string; readonly imageSize?: string };

const ratios = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"];
const moreRatios = [...ratios, "1:4", "4:1", "1:8", "8:1"];

/** Pixels in all, whatever the shape. */
const pixelsOf = { "512": 512 ** 2, "1K": 1024 ** 2, "2K": 2048 ** 2, "4K": 4096 ** 2 };
type Size = keyof typeof pixelsOf;

type Offer = { readonly ratios: readonly string[]; readonly sizes: readonly Size[] };

const newest: Offer = { ratios: moreRatios, sizes: ["1K", "2K", "4K"] };

/** What differs from the newest. A model without sizes must not be told one. */
const others: readonly (readonly [RegExp, Offer])[] = [
  [/^gemini-(2\.|3\.1-flash-lite)/, { ratios, sizes: [] }],
  [/^(gemini-3-pro|nano-banana-pro)/, { ratios, sizes: ["1K", "2K", "4K"] }],
  [/^gemini-3\.1-flash-image/, { ratios: moreRatios, sizes: ["512", "1K", "2K", "4K"] }],
];

const offerOf = (modelId: string): Offer => others.find(([pattern]) => pattern.test(modelId))?.[1] ?? newest;

/** The nearest shape, in the smallest size that is about as large as asked. */
export function googleImageConfig(modelId: string, asked: Canvas): ImageConfig {
  const { ratios, sizes } = offerOf(modelId);
  const aspectRatio = ratios.reduce((best, next) => (distance(next, asked) < distance(best, asked) ? next : best));
  const imageSize = sizes.find((size) => pixelsOf[size] >= 0.95 * asked.width * asked.height) ?? sizes.at(-1);
  return { aspectRatio, ...(imageSize && { imageSize }) };
}

function distance(ratio: string, { width, height }: Canvas): number {
  const [wide = 1, high = 1] = ratio.split(":").map(Number);
  return Math.abs(Math.log((wide * height) / (high * width)));
}
