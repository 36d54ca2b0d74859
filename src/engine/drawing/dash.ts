import type { Path2D } from "@napi-rs/canvas";
import type { ShapeContent } from "../timeline/overlay.ts";

type Stroke = NonNullable<ShapeContent["stroke"]>;

/** Dashes times their cost, which grows with the width: about half a second of CPU. */
const maxDashCost = 1_000_000;

/** The dash of a stroke; none if the path has so many that drawing them would take seconds. */
export function boundedDash(path: Path2D, { dash = [], width }: Stroke): number[] {
  const period = dash.reduce((sum, length) => sum + length, 0);
  if (period <= 0) return [];
  const count = (polygonLength(path) / period) * (dash.length / 2);
  return count * (50 + width) <= maxDashCost ? [...dash] : [];
}

/** At least the length of a path, without its closing lines: that of the lines through its points and control points. */
function polygonLength(path: Path2D): number {
  // the canvas writes absolute coordinates, and these commands alone
  const subpaths = path.toSVGString().split("M");
  return subpaths.reduce((sum, subpath) => sum + lineLength(subpath.match(/-?[\d.]+(?:e[+-]?\d+)?/g) ?? []), 0);
}

function lineLength(coordinates: readonly string[]): number {
  let length = 0;
  for (let index = 2; index + 1 < coordinates.length; index += 2) {
    const [fromX, fromY, toX, toY] = coordinates.slice(index - 2, index + 2).map(Number);
    length += Math.hypot(toX! - fromX!, toY! - fromY!);
  }
  return length;
}
