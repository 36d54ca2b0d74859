import { paletteOf } from "./palette.ts";
import type { SmallPicture } from "./pictures.ts";

type Sample = { readonly index: number; readonly rgb: Uint8Array };

/** The shortest scene has a sample of its own, for as long as they are not too many. */
const firstStep = 5;
const maxSamples = 3000;
const maxPerPalette = 24;

/** Keeps some pixels of some pictures, so that colors can be told once the scenes are known. */
export class ColorSamples {
  private samples: Sample[] = [];
  private step = firstStep;

  push(index: number, picture: SmallPicture): void {
    if (index % this.step !== 0) return;
    this.samples.push({ index, rgb: pixelsOf(picture) });
    if (this.samples.length < maxSamples) return;
    this.step *= 2;
    this.samples = this.samples.filter((sample) => sample.index % this.step === 0);
  }

  /** The palette of the pictures from `start` up to, not including, `end`; of the nearest one where none is kept. */
  palette(start: number, end: number): readonly string[] {
    const inside = this.samples.filter(({ index }) => index >= start && index < end);
    const nearest = () => this.samples.findLast(({ index }) => index < end) ?? this.samples[0];
    const shown = inside.length > 0 ? inside : [nearest()].filter((sample) => sample !== undefined);
    const step = Math.ceil(shown.length / maxPerPalette);
    return paletteOf(shown.filter((_, at) => at % step === 0).map(({ rgb }) => rgb));
  }
}

const apart = 4;

/** Every fourth pixel across and down, as it is: a mean of neighbors would be a color that nobody sees. */
function pixelsOf({ width, height, luma, cb, cr, bars }: SmallPicture): Uint8Array {
  const pixels: number[] = [];
  for (let y = bars.y + 2; y < height - bars.y; y += apart) {
    for (let x = bars.x + 2; x < width - bars.x; x += apart) {
      const chroma = (y >> 1) * (width >> 1) + (x >> 1);
      pixels.push(...rgbOf(luma[y * width + x]!, cb[chroma]!, cr[chroma]!));
    }
  }
  return Uint8Array.from(pixels);
}

/** BT.709, limited range. */
function rgbOf(y: number, cb: number, cr: number): readonly [number, number, number] {
  const [light, blue, red] = [((y - 16) * 255) / 219, ((cb - 128) * 255) / 224, ((cr - 128) * 255) / 224];
  return [byte(light + 1.5748 * red), byte(light - 0.1873 * blue - 0.4681 * red), byte(light + 1.8556 * blue)];
}

const byte = (level: number) => Math.min(255, Math.max(0, Math.round(level)));
