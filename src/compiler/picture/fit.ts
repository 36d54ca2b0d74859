import type { Canvas } from "../../timeline/timeline.ts";
import type { Part, Point, Size } from "../filters/filters.ts";

/** Chroma has half the resolution of luma, so all sizes and places are even. */
export const evenSize = (length: number): number => Math.max(2, 2 * Math.round(length / 2));

const evenPlace = (length: number): number => 2 * Math.floor(length / 4);

const resized = ({ width, height }: Size, factor: number): Size => ({
  width: evenSize(width * factor),
  height: evenSize(height * factor),
});

/** The largest size in proportion that lies inside the canvas. */
export const containedIn = (canvas: Canvas, picture: Size): Size => {
  const size = resized(picture, Math.min(canvas.width / picture.width, canvas.height / picture.height));
  return { width: Math.min(size.width, canvas.width), height: Math.min(size.height, canvas.height) };
};

/** The smallest size in proportion that leaves nothing of the canvas free. */
export const covering = (canvas: Canvas, picture: Size): Size => {
  const size = resized(picture, Math.max(canvas.width / picture.width, canvas.height / picture.height));
  return { width: Math.max(size.width, canvas.width), height: Math.max(size.height, canvas.height) };
};

/** Where the smaller of two sizes lies when their centers meet. */
export const centered = (larger: Size, smaller: Size): Point => ({
  x: evenPlace(larger.width - smaller.width),
  y: evenPlace(larger.height - smaller.height),
});

/** The largest part in the canvas's proportions whose middle is as near to `focus` as the picture's edges let it be. */
export function partAround(focus: Point, canvas: Canvas, picture: Size): Part {
  const scale = Math.max(canvas.width / picture.width, canvas.height / picture.height);
  const width = canvas.width / scale / picture.width;
  const height = canvas.height / scale / picture.height;
  const start = (middle: number, length: number) => Math.min(Math.max(0, middle - length / 2), 1 - length);
  return { x: start(focus.x, width), y: start(focus.y, height), width, height };
}

export const isWhole = ({ width, height }: Part): boolean => Math.min(width, height) > 0.999_999;

export const isSameSize = (a: Size, b: Size): boolean => a.width === b.width && a.height === b.height;
