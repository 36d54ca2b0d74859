import type { Canvas } from "../../timeline/timeline.ts";
import { evenSize, type Point, type Region, type Size } from "../filters/geometry.ts";

const evenHalf = (length: number): number => 2 * Math.floor(length / 4);

const scaleSize = ({ width, height }: Size, factor: number): Size => ({
  width: evenSize(width * factor),
  height: evenSize(height * factor),
});

/** The largest size with the source's aspect ratio that fits in the canvas. */
export const containSize = (canvas: Canvas, source: Size): Size => {
  const size = scaleSize(source, Math.min(canvas.width / source.width, canvas.height / source.height));
  return { width: Math.min(size.width, canvas.width), height: Math.min(size.height, canvas.height) };
};

/** The smallest size with the source's aspect ratio that covers the canvas. */
export const coverSize = (canvas: Canvas, source: Size): Size => {
  const size = scaleSize(source, Math.max(canvas.width / source.width, canvas.height / source.height));
  return { width: Math.max(size.width, canvas.width), height: Math.max(size.height, canvas.height) };
};

/** The top-left corner that centers the smaller size in the larger one. */
export const centerOffset = (larger: Size, smaller: Size): Point => ({
  x: evenHalf(larger.width - smaller.width),
  y: evenHalf(larger.height - smaller.height),
});

/** The largest region with the canvas's aspect ratio, centered on `focus` as closely as the source's edges allow. */
export function regionAround(focus: Point, canvas: Canvas, source: Size): Region {
  const scale = Math.max(canvas.width / source.width, canvas.height / source.height);
  const width = canvas.width / scale / source.width;
  const height = canvas.height / scale / source.height;
  const start = (middle: number, length: number) => Math.min(Math.max(0, middle - length / 2), 1 - length);
  return { x: start(focus.x, width), y: start(focus.y, height), width, height };
}

export const isWholeFrame = ({ width, height }: Region): boolean => Math.min(width, height) > 0.999_999;

export const isSameSize = (a: Size, b: Size): boolean => a.width === b.width && a.height === b.height;
