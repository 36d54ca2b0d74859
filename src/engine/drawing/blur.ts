import type { Canvas as Bitmap } from "@napi-rs/canvas";
import { newCanvas } from "./new-canvas.ts";

/** The largest window that Skia's filter takes. */
const maxWindow = 1000;

/** From this window on, the next larger one blurs so little more that the steps between them do not show. */
const smoothWindow = 24;

/** How many pixels a blur by this standard deviation reaches beyond the blurred pixels. */
export const blurReach = (sigma: number): number => (sigma > 0 ? Math.ceil(3 * sigma) + 2 : 0);

/**
 * A copy that is blurred by a standard deviation in pixels; outside of the bitmap all is transparent.
 * Skia blurs with three boxes of whole pixels, so its own blur jumps as `sigma` grows. A mix of two of its blurs has the
 * exact standard deviation, and grows smoothly.
 */
export function blurBitmap(bitmap: Bitmap, sigma: number): Bitmap {
  const context = newCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.save();
  for (const { window, weight } of boxesOf(sigma)) {
    context.globalAlpha = weight;
    context.filter = window === 1 ? "none" : `blur(${sigmaOf(window).toFixed(4)}px)`;
    context.drawImage(bitmap, 0, 0);
    context.globalCompositeOperation = "lighter";
  }
  context.restore();
  return context.canvas;
}

/** The weights are multiples of 1/255, so that opaque pixels stay opaque. */
function boxesOf(sigma: number): readonly { readonly window: number; readonly weight: number }[] {
  const window = windowBelow(sigma);
  const share = (sigma ** 2 - variance(window)) / (variance(window + 1) - variance(window));
  const weight = Math.round(255 * Math.min(1, share)) / 255;
  if (window >= smoothWindow) return [{ window: window + Math.round(weight), weight: 1 }];
  return [
    { window, weight: 1 - weight },
    { window: window + 1, weight },
  ].filter((box) => box.weight > 0);
}

/** The standard deviation for which Skia takes boxes of this width. */
const sigmaOf = (window: number) => (window * 4) / (3 * Math.sqrt(2 * Math.PI));

/** The variance of Skia's three boxes: of even widths, one is a pixel wider. */
const variance = (window: number) =>
  window % 2 === 1 ? (window ** 2 - 1) / 4 : (2 * (window ** 2 - 1) + (window + 1) ** 2 - 1) / 12;

function windowBelow(sigma: number): number {
  const window = Math.min(maxWindow, Math.floor(Math.sqrt(4 * sigma ** 2 + 1)));
  return window > 1 && variance(window) > sigma ** 2 ? window - 1 : window;
}
