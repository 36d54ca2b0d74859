import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Color } from "../../../platform/colors.ts";
import { fillLit, paintDisc, paintFloor, paintHalo, paintSky, type StoryboardFrame } from "./backdrop.ts";
import { lighten, mix, toCss } from "./color-schemes.ts";
import { paintProp } from "./props.ts";

/** A product on a stage: two plinths in front of a disc. */
export function paintPlinths(frame: StoryboardFrame, isHard: boolean): void {
  const { layout, scheme, random } = frame;
  paintSky(frame);
  const { unit } = layout;
  const side = random() < 0.5 ? 1 : -1;
  const x = layout.width / 2 - side * 0.1 * unit;
  const disc = { x, y: layout.floor - unit * 0.36, radius: unit * (0.27 + 0.05 * random()) };
  paintHalo(frame, disc);
  paintDisc(frame, disc, scheme.tones[0], 0.14);
  paintFloor(frame);
  const paint = isHard ? paintBlock : paintColumn;
  const low = { x: x + side * unit * 0.3, halfWidth: 0.13 * unit, height: unit * (0.12 + 0.05 * random()) };
  paint(frame, low, mix(scheme.tones[1], scheme.floor, 0.25));
  const main = { x, halfWidth: 0.2 * unit, height: unit * (0.24 + 0.07 * random()) };
  paint(frame, main, scheme.tones[1]);
  // in the middle of the plinth's top, which is seen from above
  const foot = layout.floor - main.height + unit * 0.03;
  paintProp(frame, { x, foot, height: unit * 0.42 }, scheme.tones[0]);
}

type Plinth = { readonly x: number; readonly halfWidth: number; readonly height: number };

function paintColumn(frame: StoryboardFrame, { x, halfWidth, height }: Plinth, color: Color): void {
  const { context, layout } = frame;
  const foot = layout.floor + layout.unit * 0.025;
  const depth = halfWidth * 0.2;
  context.beginPath();
  context.ellipse(x, foot, halfWidth, depth, 0, 0, Math.PI);
  context.lineTo(x - halfWidth, foot - height);
  context.lineTo(x + halfWidth, foot - height);
  context.closePath();
  fillLit(frame, lighten(color, -0.05), { top: foot - height, bottom: foot }, 0.3);
  context.beginPath();
  context.ellipse(x, foot - height, halfWidth, depth, 0, 0, 2 * Math.PI);
  context.fillStyle = toCss(lighten(color, 0.06));
  context.fill();
}

function paintBlock(frame: StoryboardFrame, { x, halfWidth, height }: Plinth, color: Color): void {
  const { context, layout } = frame;
  const foot = layout.floor + layout.unit * 0.035;
  const depth = halfWidth * 0.24;
  const left = x - halfWidth;
  const right = x + halfWidth;
  const top = foot - height;
  const back = halfWidth * 0.34;
  context.beginPath();
  context.rect(left, top, 2 * halfWidth, height);
  fillLit(frame, lighten(color, -0.05), { top, bottom: foot }, 0.3);
  const topFace = [left, top, left + back, top - depth, right + back, top - depth, right, top] as const;
  fillQuad(context, topFace, lighten(color, 0.06));
  const sideFace = [right, top, right + back, top - depth, right + back, foot - depth, right, foot] as const;
  fillQuad(context, sideFace, lighten(color, -0.13));
}

/** x and y of four corners. */
type Quad = readonly [number, number, number, number, number, number, number, number];

function fillQuad(context: SKRSContext2D, [x1, y1, x2, y2, x3, y3, x4, y4]: Quad, color: Color): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.lineTo(x3, y3);
  context.lineTo(x4, y4);
  context.closePath();
  context.fillStyle = toCss(color);
  context.fill();
}
