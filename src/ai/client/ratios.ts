import type { Canvas } from "../../timeline/timeline.ts";

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
