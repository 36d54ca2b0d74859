import type { Canvas } from "../../engine/timeline/timeline.ts";

/** Durations in whole seconds. */
export const secondsFrom = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The ratio, such as `9:16` or `720:1280`, that is nearest to that of a picture. */
export const nearestRatio = (ratios: readonly string[], requested: Canvas): `${number}:${number}` => {
  const nearest = ratios.reduce((best, ratio) =>
    distance(ratio, requested) < distance(best, requested) ? ratio : best,
  );
  // safe because all of them are ratios
  return nearest as `${number}:${number}`;
};

function distance(ratio: string, { width, height }: Canvas): number {
  const [wide = 1, high = 1] = ratio.split(":").map(Number);
  return Math.abs(Math.log((wide * height) / (high * width)));
}

/** The sides that every API of FLUX.2 draws, with at most four megapixels. */
const flux2Sides = { min: 256, max: 1920 };

/** The size itself, or the nearest one that FLUX.2 draws. */
export function flux2Size(size: Canvas): Canvas {
  const { min, max } = flux2Sides;
  const scale = Math.min(1, max / Math.max(size.width, size.height));
  if (scale === 1 && Math.min(size.width, size.height) >= min) return size;
  const side = (pixels: number) => Math.max(min, Math.round((pixels * scale) / 16) * 16);
  return { width: side(size.width), height: side(size.height) };
}

/** Cuts a text at a word boundary to at most `maxLength` UTF-16 units. */
export function truncateAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength + 1);
  const end = cut.search(/\s\S*$/);
  // one endless word is cut inside, but never between the two units of a character
  return end > 0 ? cut.slice(0, end).trimEnd() : cut.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "");
}
