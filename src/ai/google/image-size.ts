import type { Canvas } from "../../timeline/timeline.ts";
import { nearestRatio } from "../client/shapes.ts";

/** Gemini's parameters for the aspect ratio and size of an image. */
type ImageConfig = { readonly aspectRatio: string; readonly imageSize?: string };

const commonRatios = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"];
const allRatios = [...commonRatios, "1:4", "4:1", "1:8", "8:1"];

/** Total pixels of each size, for any aspect ratio. */
const pixelsOf = { "512": 512 ** 2, "1K": 1024 ** 2, "2K": 2048 ** 2, "4K": 4096 ** 2 };
type Size = keyof typeof pixelsOf;

/** The formats that a model supports. A model without sizes rejects the parameter. */
type Formats = { readonly ratios: readonly string[]; readonly sizes: readonly Size[] };

const newestFormats: Formats = { ratios: allRatios, sizes: ["1K", "2K", "4K"] };

/** Models that differ from the newest ones. */
const otherFormats: readonly (readonly [RegExp, Formats])[] = [
  [/^gemini-(2\.|3\.1-flash-lite)/, { ratios: commonRatios, sizes: [] }],
  [/^(gemini-3-pro|nano-banana-pro)/, { ratios: commonRatios, sizes: ["1K", "2K", "4K"] }],
  [/^gemini-3\.1-flash-image/, { ratios: allRatios, sizes: ["512", "1K", "2K", "4K"] }],
];

const formatsOf = (modelId: string): Formats =>
  otherFormats.find(([pattern]) => pattern.test(modelId))?.[1] ?? newestFormats;

/** The nearest aspect ratio, and the smallest size with at least 95 % of the requested pixels. */
export function googleImageConfig(modelId: string, requested: Canvas): ImageConfig {
  const { ratios, sizes } = formatsOf(modelId);
  const aspectRatio = nearestRatio(ratios, requested);
  const minPixels = 0.95 * requested.width * requested.height;
  const imageSize = sizes.find((size) => pixelsOf[size] >= minPixels) ?? sizes.at(-1);
  return { aspectRatio, ...(imageSize && { imageSize }) };
}
