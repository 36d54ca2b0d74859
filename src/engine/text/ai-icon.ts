import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Point } from "../drawing/box.ts";

/** The colors are CSS. */
type Icon = { readonly size: number; readonly color: string; readonly letters: string };

/**
 * The basic icon of the EU for content that AI has generated or changed, as the Commission published it on 10 June
 * 2026: a disc with the letters AI. The measures are shares of the disc's diameter, from its center.
 */
export function paintAiIcon(context: SKRSContext2D, { size, color, letters }: Icon, center: Point): void {
  context.save();
  context.translate(center.x, center.y);
  context.scale(size, size);
  context.fillStyle = color;
  context.beginPath();
  context.arc(0, 0, 0.5, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = letters;
  context.beginPath();
  polygon(context, letterA);
  polygon(context, counterOfA);
  context.roundRect(0.1395, top, 0.1015, bottom - top, corner);
  context.fill("evenodd");
  context.restore();
}

/** A radius rounds the corner. */
type Corners = readonly (readonly [x: number, y: number, radius: number])[];

const corner = 0.0138;
const top = -0.1935;
const bottom = 0.1915;

/** The outline, legs and bar, clockwise from the top left. */
const letterA: Corners = [
  [-0.1545, top, 0.02],
  [-0.0347, top, 0.02],
  [0.1061, bottom, corner],
  [0.0024, bottom, corner],
  [-0.0228, 0.1245, 0],
  [-0.1702, 0.1245, 0],
  [-0.1947, bottom, corner],
  [-0.2944, bottom, corner],
];

/** The triangle inside the letter. */
const counterOfA: Corners = [
  [-0.1472, 0.0455, 0],
  [-0.0966, -0.1005, 0],
  [-0.0448, 0.0455, 0],
];

function polygon(context: SKRSContext2D, corners: Corners): void {
  const middle = (index: number) => {
    const [x, y] = corners[index % corners.length]!;
    const [nextX, nextY] = corners[(index + 1) % corners.length]!;
    return [(x + nextX) / 2, (y + nextY) / 2] as const;
  };
  context.moveTo(...middle(corners.length - 1));
  for (const [index, [x, y, radius]] of corners.entries()) context.arcTo(x, y, ...middle(index), radius);
  context.closePath();
}
