import type { Property } from "../reading/property.ts";

/** Where a box lies at the frame: shares of the free space, from -1 (left, top) to 1. */
export const places: Readonly<Record<string, readonly [x: number, y: number]>> = {
  top: [0, -1],
  topRight: [1, -1],
  right: [1, 0],
  bottomRight: [1, 1],
  bottom: [0, 1],
  bottomLeft: [-1, 1],
  left: [-1, 0],
  topLeft: [-1, -1],
  center: [0, 0],
};

/** A color in which the first two of eight digits are the opacity. */
export function argbColor(property: Property): string | undefined {
  const text = property.text?.trim();
  const [, alpha, rest] = /^#([0-9a-f]{2})([0-9a-f]{6})$/i.exec(text ?? "") ?? [];
  return alpha === undefined ? text : `#${rest}${alpha}`;
}
