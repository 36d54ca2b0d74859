import { z } from "zod";

type Bounds = { readonly min: number; readonly max: number };

/** A number between two bounds. */
export const between = ({ min, max }: Bounds) => z.number().min(min).max(max);

/** The bounds of numbers that are also keyframes. */
export const bounds = {
  centerX: { min: -16_384, max: 16_384 },
  centerY: { min: -16_384, max: 16_384 },
  x: { min: -16_384, max: 16_384 },
  y: { min: -16_384, max: 16_384 },
  width: { min: 0, max: 16_384 },
  height: { min: 0, max: 16_384 },
  scale: { min: -100, max: 100 },
  scaleX: { min: -100, max: 100 },
  scaleY: { min: -100, max: 100 },
  skewX: { min: -89, max: 89 },
  skewY: { min: -89, max: 89 },
  rotation: { min: -36_000, max: 36_000 },
  opacity: { min: 0, max: 1 },
  radius: { min: 0, max: 1000 },
  fontSize: { min: 1, max: 1000 },
  letterSpacing: { min: -200, max: 1000 },
  strokeWidth: { min: 0, max: 200 },
  trimStart: { min: 0, max: 1 },
  trimEnd: { min: 0, max: 1 },
  trimOffset: { min: -100, max: 100 },
  brightness: { min: 0, max: 100 },
  contrast: { min: 0, max: 100 },
  saturation: { min: 0, max: 100 },
  grayscale: { min: 0, max: 1 },
  sepia: { min: 0, max: 1 },
  invert: { min: 0, max: 1 },
  hue: { min: -36_000, max: 36_000 },
  tint: { min: 0, max: 1 },
  blur: { min: 0, max: 200 },
  focusX: { min: 0, max: 1 },
  focusY: { min: 0, max: 1 },
  zoom: { min: 0.1, max: 100 },
  volume: { min: 0, max: 4 },
  speed: { min: 0, max: 10 },
} as const satisfies Record<string, Bounds>;
