import type { Size } from "../../../compiler/filters/geometry.ts";
import type { Ground, Region } from "../../../ports.ts";

/** The minimum contrast of WCAG 2 AA for large text. */
const minContrast = 3;

/** Pixels of the small frame: the edge of a box contains parts of letters, and this much around it is its ground. */
const gap = 1;
const ring = 2;

type Measured = {
  readonly region: Region;
  readonly pixels: readonly number[];
  frames: number;
  low: number;
  sum: number;
};

/** Measures the luminance around texts. */
export class GroundMeter {
  private readonly measured: readonly Measured[];

  constructor(size: Size, regions: readonly Region[]) {
    this.measured = regions.map((region) => ({ region, pixels: ringOf(region, size), frames: 0, low: 0, sum: 0 }));
  }

  push(luminance: Float32Array, atSeconds: number): void {
    for (const one of this.measured) {
      const { region, pixels } = one;
      if (pixels.length === 0 || atSeconds < region.start || atSeconds >= region.end) continue;
      const ground = pixels.reduce((sum, index) => sum + luminance[index]!, 0) / pixels.length;
      one.frames++;
      one.sum += ground;
      if (contrastOf(ground, region.luminance) < minContrast) one.low++;
    }
  }

  finish(): readonly (Ground | undefined)[] {
    return this.measured.map(({ region, frames, low, sum }) =>
      frames === 0 ? undefined : { contrast: contrastOf(sum / frames, region.luminance), lowShare: low / frames },
    );
  }
}

const contrastOf = (one: number, other: number): number =>
  (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);

/** The pixels around a box that lie inside the frame. */
function ringOf({ x, y, width, height }: Region, size: Size): readonly number[] {
  const left = Math.floor(x * size.width) - gap;
  const right = Math.ceil((x + width) * size.width) + gap;
  const top = Math.floor(y * size.height) - gap;
  const bottom = Math.ceil((y + height) * size.height) + gap;
  const pixels: number[] = [];
  for (let row = Math.max(0, top - ring); row < Math.min(size.height, bottom + ring); row++) {
    for (let column = Math.max(0, left - ring); column < Math.min(size.width, right + ring); column++) {
      const isInside = row >= top && row < bottom && column >= left && column < right;
      if (!isInside) pixels.push(row * size.width + column);
    }
  }
  return pixels;
}
