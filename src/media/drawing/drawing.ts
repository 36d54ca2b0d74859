import { type Canvas as Bitmap, createCanvas, type SKRSContext2D } from "@napi-rs/canvas";
import { type Box, intersect, isEmpty, move, outset, type Point, scaledBox, turned } from "./box.ts";

/** Something that can be painted. Positions count from the centre of its laid-out box. */
export type Drawing = {
  /** That centre, on the canvas. */
  readonly center: Point;
  /** What it was laid out in, before it is turned. */
  readonly box: Box;
  /** Everything it may paint lies in here, before it is turned. */
  readonly bounds: Box;
  /** How far a shadow falls: so much beyond what is seen must be painted too. */
  readonly reach: number;
  /** The context's origin is the centre, turned already. */
  paint(context: SKRSContext2D): void;
};

/** The same, so many times as large about its centre. */
export const enlarged = (drawing: Drawing, scale: number): Drawing =>
  scale === 1
    ? drawing
    : {
        center: drawing.center,
        box: scaledBox(drawing.box, scale),
        bounds: scaledBox(drawing.bounds, scale),
        reach: drawing.reach * scale,
        paint(context) {
          context.scale(scale, scale);
          drawing.paint(context);
        },
      };

/** The same, moved and where it must be made smaller until its turned box lies within `limits`. */
export function keptWithin(drawing: Drawing, rotationDegrees: number, limits: Box): Drawing {
  const upright = turned(drawing.box, (rotationDegrees * Math.PI) / 180);
  const scale = Math.min(1, limits.width / upright.width, limits.height / upright.height);
  const { x, y, width, height } = scaledBox(upright, scale);
  const nearest = (at: number, least: number, most: number) => Math.max(least, Math.min(at, most));
  const center = {
    x: nearest(drawing.center.x, limits.x - x, limits.x + limits.width - width - x),
    y: nearest(drawing.center.y, limits.y - y, limits.y + limits.height - height - y),
  };
  return { ...enlarged(drawing, scale), center };
}

/** Pixels and where they belong on the canvas. */
export type PlacedBitmap = { readonly bitmap: Bitmap; readonly box: Box };

/** Paints what lies within `limits`, cropped to its ink; undefined when there is none. */
export function paintDrawing(drawing: Drawing, rotationDegrees: number, limits: Box): PlacedBitmap | undefined {
  const radians = (rotationDegrees * Math.PI) / 180;
  const whole = outset(move(turned(drawing.bounds, radians), drawing.center), 1);
  const box = intersect(whole, outset(limits, 1));
  if (isEmpty(box)) return undefined;

  const context = createCanvas(box.width, box.height).getContext("2d");
  context.translate(drawing.center.x - box.x, drawing.center.y - box.y);
  context.rotate(radians);
  drawing.paint(context);
  return crop({ bitmap: context.canvas, box });
}

function crop({ bitmap, box }: PlacedBitmap): PlacedBitmap | undefined {
  const ink = inkOf(bitmap);
  if (isEmpty(ink)) return undefined;
  const cropped = createCanvas(ink.width, ink.height);
  cropped.getContext("2d").drawImage(bitmap, -ink.x, -ink.y);
  return { bitmap: cropped, box: move(ink, box) };
}

/** The smallest box around the pixels that are not clear. */
function inkOf(bitmap: Bitmap): Box {
  const { width, height } = bitmap;
  const bytes = bitmap.data();
  const pixels = new Uint32Array(bytes.buffer, bytes.byteOffset, width * height);
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0; y < height; y++) {
    const row = pixels.subarray(y * width, (y + 1) * width);
    const start = leadingClear(row);
    if (start === width) continue;
    left = Math.min(left, start);
    right = Math.max(right, width - trailingClear(row));
    top = Math.min(top, y);
    bottom = y + 1;
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

// plain loops: a callback for each of two million pixels takes five times as long
function leadingClear(row: Uint32Array): number {
  let count = 0;
  while (count < row.length && row[count] === 0) count++;
  return count;
}

function trailingClear(row: Uint32Array): number {
  let count = 0;
  while (count < row.length && row[row.length - 1 - count] === 0) count++;
  return count;
}
