import type { Canvas } from "../timeline/canvas.ts";

const comparison = /\b(min|max|clamp)\(([^()]*)\)/g;
const length = /^(-?(?:\d+\.?\d*|\.\d+))(px|vw|vh|vmin|vmax|rem)$/;

/** Functions in functions. */
const maxDepth = 8;

/** Replaces `min()`, `max()` and `clamp()` of lengths, which the renderer does not know, in a card of a size. */
export function resolveLengths(css: string, { width, height }: Canvas): string {
  const units: Readonly<Record<string, number>> = {
    ...{ px: 1, rem: 16, vw: width / 100, vh: height / 100 },
    ...{ vmin: Math.min(width, height) / 100, vmax: Math.max(width, height) / 100 },
  };
  const pixelsOf = (text: string): number => {
    const [, number, unit = ""] = length.exec(text.trim()) ?? [];
    return number === undefined ? Number.NaN : Number(number) * units[unit]!;
  };
  const resolve = (use: string, name: string, list: string): string => {
    const values = list.split(",").map(pixelsOf);
    const pixels =
      name === "clamp"
        ? Math.max(values[0]!, Math.min(values[1]!, values[2]!))
        : Math[name as "min" | "max"](...values);
    const isKnown = Number.isFinite(pixels) && (name !== "clamp" || values.length === 3);
    return isKnown ? `${Math.round(pixels * 100) / 100}px` : use;
  };
  let resolved = css;
  for (let depth = 0; depth < maxDepth; depth++) {
    const next = resolved.replace(comparison, resolve);
    if (next === resolved) break;
    resolved = next;
  }
  return resolved;
}
