import type { SmallFrame } from "../frames/small-frame.ts";
import { extractPalette } from "./palette.ts";

type Sample = { readonly index: number; readonly rgb: Uint8Array };

/** The shortest scene has five frames, so each scene has a sample until there are too many. */
const firstInterval = 5;
const maxSamples = 3000;
const maxSamplesPerPalette = 24;

/** Stores some pixels of some frames, because scenes and their palettes are known only at the end. */
export class ColorSamples {
  private samples: Sample[] = [];
  private interval = firstInterval;

  push(index: number, frame: SmallFrame): void {
    if (index % this.interval !== 0) return;
    this.samples.push({ index, rgb: samplePixels(frame) });
    if (this.samples.length < maxSamples) return;
    this.interval *= 2;
    this.samples = this.samples.filter((sample) => sample.index % this.interval === 0);
  }

  /** The palette of the frames from `start` up to, not including, `end`; without samples there, of the nearest one. */
  palette(start: number, end: number): readonly string[] {
    const inside = this.samples.filter(({ index }) => index >= start && index < end);
    const nearest = () => this.samples.findLast(({ index }) => index < end) ?? this.samples[0];
    const samples = inside.length > 0 ? inside : [nearest()].filter((sample) => sample !== undefined);
    const step = Math.ceil(samples.length / maxSamplesPerPalette);
    return extractPalette(samples.filter((_, position) => position % step === 0).map(({ rgb }) => rgb));
  }
}

const pixelStep = 4;

/**
 * Takes every fourth pixel in both directions; averaging neighbors would create colors that the frame does not have.
 */
function samplePixels({ width, height, luma, cb, cr, bars }: SmallFrame): Uint8Array {
  const pixels: number[] = [];
  for (let y = bars.y + 2; y < height - bars.y; y += pixelStep) {
    for (let x = bars.x + 2; x < width - bars.x; x += pixelStep) {
      const chroma = (y >> 1) * (width >> 1) + (x >> 1);
      pixels.push(...toRgb(luma[y * width + x]!, cb[chroma]!, cr[chroma]!));
    }
  }
  return Uint8Array.from(pixels);
}

/** From BT.709, limited range. */
function toRgb(y: number, cb: number, cr: number): readonly [red: number, green: number, blue: number] {
  const light = ((y - 16) * 255) / 219;
  const blue = ((cb - 128) * 255) / 224;
  const red = ((cr - 128) * 255) / 224;
  return [toByte(light + 1.5748 * red), toByte(light - 0.1873 * blue - 0.4681 * red), toByte(light + 1.8556 * blue)];
}

const toByte = (level: number) => Math.min(255, Math.max(0, Math.round(level)));
