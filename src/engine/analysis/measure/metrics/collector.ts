import { sum } from "../../../../platform/values.ts";
import type { Size } from "../../../compiler/filters/geometry.ts";
import type { MeasuredTransition } from "../../../ports.ts";
import { CutDetector } from "../cuts/cut-detector.ts";
import { type SmallFrame, smallFrame } from "../frames/small-frame.ts";
import { extractPalette } from "./palette.ts";

export type CollectedScene = {
  /** The time of the first frame; `lastSeconds` is that of the last. */
  readonly firstSeconds: number;
  readonly lastSeconds: number;
  readonly palette: readonly string[];
  /** Sum of the changes from frame to frame, in levels of 0..255. */
  readonly movement: number;
  /** Mean luma, 0..1. */
  readonly brightness: number;
  /** The transition to the next scene; absent for the last one. */
  readonly transition?: MeasuredTransition;
};

export type CollectedMetrics = { readonly scenes: readonly CollectedScene[]; readonly palette: readonly string[] };

/** Measures the frames of a video one by one. */
export class MetricsCollector {
  private readonly cutDetector = new CutDetector();
  private readonly colorSamples = new ColorSamples();
  private readonly times: number[] = [];

  constructor(private readonly size: Size) {}

  push(bytes: Uint8Array, atSeconds: number): void {
    const frame = smallFrame(bytes, this.size);
    this.cutDetector.push(frame);
    this.colorSamples.push(this.times.length, frame);
    this.times.push(atSeconds);
  }

  /** Call once, after the last frame. */
  finish(): CollectedMetrics {
    const frames = this.times.length;
    if (frames === 0) return { scenes: [], palette: [] };
    const changes = this.cutDetector.sceneChanges();
    const starts = [0, ...changes.map(({ frame }) => frame)];
    const scenes = starts.map((start, index) => {
      const { frame: end, transition } = changes[index] ?? { frame: frames };
      return { ...this.scene(start, end), ...(transition && { transition }) };
    });
    return { scenes, palette: this.colorSamples.palette(0, frames) };
  }

  private scene(start: number, end: number): CollectedScene {
    const { changes, lighting } = this.cutDetector;
    // the change of the first frame is the cut itself
    const inside = changes.slice(start + 1, end);
    const level = sum(lighting.slice(start, end).map((each) => each.level)) / (end - start);
    return {
      firstSeconds: this.times[start]!,
      lastSeconds: this.times[end - 1]!,
      palette: this.colorSamples.palette(start, end),
      movement: sum(inside.map(({ difference }) => withoutNoise(difference))),
      brightness: Math.min(1, Math.max(0, (level - 16) / 219)),
    };
  }
}

/** Removes the change that film grain and compression cause. */
const withoutNoise = (difference: number) => Math.max(0, difference - 0.25);

type Sample = { readonly index: number; readonly rgb: Uint8Array };

/** The shortest scene has five frames, so each scene has a sample until there are too many. */
const firstInterval = 5;
const maxSamples = 3000;
const maxSamplesPerPalette = 24;

/** Stores some pixels of some frames, because scenes and their palettes are known only at the end. */
class ColorSamples {
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

/** Takes every fourth pixel in both directions: averages would be colors that the frame does not have. */
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

/** Converts from BT.709, limited range. */
function toRgb(y: number, cb: number, cr: number): readonly [red: number, green: number, blue: number] {
  const light = ((y - 16) * 255) / 219;
  const blue = ((cb - 128) * 255) / 224;
  const red = ((cr - 128) * 255) / 224;
  return [toByte(light + 1.5748 * red), toByte(light - 0.1873 * blue - 0.4681 * red), toByte(light + 1.8556 * blue)];
}

const toByte = (level: number) => Math.min(255, Math.max(0, Math.round(level)));
