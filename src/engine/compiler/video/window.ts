import { evenSize, type Point, type Size } from "../filters/geometry.ts";

/** A part of a frame, in pixels. */
export type Window = Size & Point;

type Crop = {
  /** The part of the source to scale. */
  readonly part: Window;
  readonly scaled: Size;
  /** The position of the window in the scaled part. */
  readonly at: Point;
};

/**
 * The smallest crop of a source that, once scaled, shows a window of the source scaled to `size`: scaling invisible
 * pixels can cost more than decoding them. All sides and positions are even.
 */
export function cropForWindow(source: Size, size: Size, window: Window): Crop {
  const x = cropSide(source.width, size.width, { start: window.x, length: window.width });
  const y = cropSide(source.height, size.height, { start: window.y, length: window.height });
  return {
    part: { x: x.start, y: y.start, width: x.length, height: y.length },
    scaled: { width: x.scaled, height: y.scaled },
    at: { x: x.at, y: y.at },
  };
}

type Side = { readonly start: number; readonly length: number };

/** Pixels of the scaled source by which a crop may shift an edge of the window. */
const tolerance = 0.1;

/** The margin of the window in source pixels that its edges depend on: two of chroma, more if pixels are merged. */
const marginFor = (factor: number) => 2 + 4 * Math.max(1, 1 / factor);

function cropSide(source: number, size: number, window: Side) {
  const factor = size / source;
  const first = window.start / factor - marginFor(factor);
  const last = (window.start + window.length) / factor + marginFor(factor);
  for (let length = evenAbove(last - first); length < source; length += 2) {
    const scaled = evenSize(length * factor);
    if (Math.abs((length / scaled) * factor - 1) * window.length > 2 * tolerance) continue;
    const end = Math.min(evenBelow(first), source - length);
    for (let start = Math.max(0, evenAbove(last - length)); start <= end; start += 2) {
      const at = 2 * Math.round(((window.start / factor - start) * scaled) / length / 2);
      // the position in the whole scaled source that the crop shows at a position of the window
      const shown = (position: number) => (start + ((at + position) * length) / scaled) * factor;
      const shift = (position: number) => Math.abs(shown(position) - (window.start + position));
      if (Math.max(shift(0), shift(window.length)) <= tolerance) return { start, length, scaled, at };
    }
  }
  return { start: 0, length: source, scaled: size, at: window.start };
}

const evenAbove = (value: number) => 2 * Math.ceil(value / 2);
const evenBelow = (value: number) => 2 * Math.floor(value / 2);
