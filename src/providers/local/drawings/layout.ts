import type { Box } from "../../../engine/drawing/box.ts";
import type { Canvas } from "../../../engine/timeline/timeline.ts";

/** The areas of a storyboard frame, in pixels. Titles of a video stand above the middle, so the sky stays empty. */
export type FrameLayout = Canvas & {
  /** The length to which all shapes scale. */
  readonly unit: number;
  /** The y coordinate of the horizon. */
  readonly floor: number;
  /** Every camera move keeps this area visible. */
  readonly caption: Box;
};

export function frameLayout({ width, height }: Canvas): FrameLayout {
  const isTall = height > width * 1.15;
  const isWide = width > height * 1.15;
  // players cover the lowest fifth of a tall video with their buttons
  const { floor, top, bottom } = isTall
    ? { floor: 0.6, top: 0.65, bottom: 0.8 }
    : { floor: 0.64, top: 0.7, bottom: 0.88 };
  return {
    width,
    height,
    unit: Math.min(width, height * 0.72),
    floor: floor * height,
    caption: {
      x: 0.125 * width,
      y: top * height,
      width: (isWide ? 0.56 : 0.75) * width,
      height: (bottom - top) * height,
    },
  };
}
