import type { Canvas as Bitmap } from "@napi-rs/canvas";
import type { Filter } from "../timeline/motion.ts";
import { blurBitmap, blurReach } from "./blur.ts";
import { cssColor } from "./css-color.ts";
import { freeDrawn, newCanvas } from "./new-canvas.ts";

type Factor = Exclude<keyof Filter, "tint" | "blur">;

/** The functions of Filter Effects 1 in the order in which they apply, with the values that change nothing. */
const functions: readonly { readonly field: Factor; readonly name: string; readonly neutral: number }[] = [
  { field: "brightness", name: "brightness", neutral: 1 },
  { field: "contrast", name: "contrast", neutral: 1 },
  { field: "saturation", name: "saturate", neutral: 1 },
  { field: "grayscale", name: "grayscale", neutral: 0 },
  { field: "sepia", name: "sepia", neutral: 0 },
  { field: "invert", name: "invert", neutral: 0 },
  { field: "hue", name: "hue-rotate", neutral: 0 },
];

/** How many pixels a filter reaches beyond the filtered ones: give it a bitmap with this much space around them. */
export const filterReach = (filter: Filter): number => blurReach(filter.blur ?? 0);

/** A filtered copy of the same size; the bitmap itself if the filter changes nothing. */
export function filterBitmap(bitmap: Bitmap, filter: Filter): Bitmap {
  const colored = changeColors(bitmap, filter);
  const tinted = isTinted(filter) ? tint(colored === bitmap ? copyOf(bitmap) : colored, filter.tint) : colored;
  if (!filter.blur) return tinted;
  const blurred = blurBitmap(tinted, filter.blur);
  if (tinted !== bitmap) freeDrawn(tinted, blurred.getContext("2d"));
  return blurred;
}

function changeColors(bitmap: Bitmap, filter: Filter): Bitmap {
  const css = functions
    .filter(({ field, neutral }) => (filter[field] ?? neutral) !== neutral)
    .map(({ field, name }) => `${name}(${filter[field]!.toFixed(4)}${field === "hue" ? "deg" : ""})`);
  return css.length > 0 ? copyOf(bitmap, css.join(" ")) : bitmap;
}

type Tinted = { readonly tint: NonNullable<Filter["tint"]> };

const isTinted = (filter: Filter): filter is Tinted =>
  !!filter.tint && filter.tint.amount * filter.tint.color.alpha > 0;

/** Changes the bitmap itself. */
function tint(bitmap: Bitmap, { color, amount }: Tinted["tint"]): Bitmap {
  const context = bitmap.getContext("2d");
  context.save();
  context.globalCompositeOperation = "source-atop";
  context.fillStyle = cssColor(color, amount);
  context.fillRect(0, 0, bitmap.width, bitmap.height);
  context.restore();
  return bitmap;
}

function copyOf(bitmap: Bitmap, filter = "none"): Bitmap {
  const context = newCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.save();
  context.filter = filter;
  context.drawImage(bitmap, 0, 0);
  context.restore();
  return context.canvas;
}
