import type { Size } from "../../../../compiler/filters/geometry.ts";
import type { MeasuredTransition } from "../../../../domain/ai/video-metrics.ts";
import { sum } from "../../../../platform/sum.ts";
import { CutDetector } from "../cuts/cut-detector.ts";
import { smallFrame } from "../frames/small-frame.ts";
import { ColorSamples } from "./color-samples.ts";

export type CollectedScene = {
  /** The times of its first and its last frame. */
  readonly firstSeconds: number;
  readonly lastSeconds: number;
  readonly palette: readonly string[];
  /** Sum of the changes from frame to frame, in levels of 0..255. */
  readonly movement: number;
  /** Mean luma, 0..1. */
  readonly brightness: number;
  /** To the next scene; absent for the last one. */
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
