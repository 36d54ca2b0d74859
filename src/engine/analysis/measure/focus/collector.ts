import { toTenThousandths } from "../../../../platform/values.ts";
import type { Size } from "../../../compiler/filters/geometry.ts";
import type { FocusShot, FocusTrack, SubjectBox } from "../../../timeline/focus.ts";
import { CutDetector } from "../cuts/cut-detector.ts";
import { brightened, gainOf, type SmallFrame, smallFrame } from "../frames/small-frame.ts";
import { followPeak, type Positions } from "./follow-peak.ts";
import { type Detail, detailSaliency, motionSaliency, type Saliency } from "./saliency.ts";
import { boxAt } from "./subject.ts";

const sampleSeconds = 0.1;
/** The distance of the compared frames: farther apart, slow movements show. */
const motionSamples = 2;

type Sample = {
  readonly frame: number;
  readonly atSeconds: number;
  readonly detail: Detail;
  readonly motion?: Saliency & { readonly since: number };
};

/** Finds the subject of a video from its frames, one by one. */
export class FocusCollector {
  private readonly cutDetector = new CutDetector();
  private readonly times: number[] = [];
  private readonly samples: Sample[] = [];
  private readonly recent: { readonly frame: number; readonly lit: SmallFrame; readonly gain: number }[] = [];

  constructor(
    private readonly size: Size,
    private readonly boxes: readonly SubjectBox[],
  ) {}

  push(bytes: Uint8Array, atSeconds: number): void {
    const picture = smallFrame(bytes, this.size);
    const frame = this.times.length;
    this.cutDetector.push(picture);
    this.times.push(atSeconds);
    const last = this.samples.at(-1);
    if (last && atSeconds - last.atSeconds < sampleSeconds - 1e-3) return;
    const gain = gainOf(picture);
    const lit = brightened(picture, gain);
    const before = this.recent[0];
    const detail = detailSaliency(lit);
    const motion = before?.gain === gain && { ...motionSaliency(before.lit, lit, detail), since: before.frame };
    this.samples.push({ frame, atSeconds, detail, ...(motion && { motion }) });
    this.recent.push({ frame, lit, gain });
    if (this.recent.length > motionSamples) this.recent.shift();
  }

  /** Call once, after the last frame. Empty without frames. */
  finish(): FocusTrack {
    if (this.times.length === 0) return [];
    const starts = [0, ...this.cutDetector.sceneChanges().map(({ frame }) => frame)];
    return starts.flatMap((start, index) => {
      const end = starts[index + 1] ?? this.times.length;
      const inside = this.samples.filter(({ frame }) => frame >= start && frame < end);
      const endSeconds = this.times[end] ?? Number.POSITIVE_INFINITY;
      const isInShot = ({ atSeconds }: SubjectBox) => atSeconds >= this.times[start]! && atSeconds < endSeconds;
      const samples = inside.length > 0 ? inside : this.samples.slice(-1);
      return this.shot(start, samples, this.boxes.filter(isInShot));
    });
  }

  /** One shot for each stretch that is followed for one reason; the next begins where it ends. */
  private shot(start: number, samples: readonly Sample[], boxes: readonly SubjectBox[]): readonly FocusShot[] {
    const ofShot = samples.map(({ motion, ...sample }) => ({
      ...sample,
      motion: (motion?.since ?? -1) >= start ? motion : undefined,
    }));
    const { width, height } = this.size;
    const times = samples.map(({ atSeconds }) => atSeconds);
    const seen = times.map((time) => boxAt(boxes, time));
    const follow = (side: "columns" | "rows", length: number, share: number) =>
      followPeak({
        times,
        length,
        share,
        seen: seen.map((box) => {
          if (!box) return undefined;
          const { left, top, right, bottom, away } = box;
          return side === "columns" ? { from: left, to: right, away } : { from: top, to: bottom, away };
        }),
        detail: ofShot.map(({ detail }) => detail[side]),
        motion: ofShot.map(({ motion }) => motion?.[side]),
      });
    const x = follow("columns", width, Math.min(1, (narrowest * height) / width));
    const y = follow("rows", height, Math.min(1, (narrowest * width) / height));
    const wider = width > height ? x : y;
    const turns = seen.flatMap((box, at) => (at > 0 && !box !== !seen[at - 1] ? [at] : []));
    return [0, ...turns].map((from, index) => {
      const until = (turns[index] ?? seen.length) + 1;
      const inside = (all: Positions) => all.slice(from, until);
      return {
        startSeconds: this.times[from === 0 ? start : samples[from]!.frame]!,
        reason: seen[from] ? "subject" : wider.reason,
        points: pointsOf(inside(times), inside(x.positions), inside(y.positions)),
      };
    });
  }
}

/** The aspect ratio of the narrowest crop: 9:16 of a wide source, 16:9 of a tall one. */
const narrowest = 9 / 16;

/** The largest deviation of the points from the measured focus, as a fraction of a side. */
const tolerance = 0.006;

/** A minimal list of points whose interpolation follows the focus of all samples. */
function pointsOf(times: readonly number[], xs: Positions, ys: Positions): FocusShot["points"] {
  const kept = new Set([0, times.length - 1]);
  const split = (from: number, to: number): void => {
    let farthest = from;
    let distance = tolerance;
    for (let at = from + 1; at < to; at++) {
      const share = (times[at]! - times[from]!) / (times[to]! - times[from]!);
      const offset = (values: Positions) =>
        Math.abs(values[at]! - values[from]! - share * (values[to]! - values[from]!));
      const found = Math.max(offset(xs), offset(ys));
      if (found <= distance) continue;
      farthest = at;
      distance = found;
    }
    if (farthest === from) return;
    kept.add(farthest);
    split(from, farthest);
    split(farthest, to);
  };
  split(0, times.length - 1);
  const points = [...kept]
    .sort((a, b) => a - b)
    .map((at) => ({ atSeconds: times[at]!, x: toTenThousandths(xs[at]!), y: toTenThousandths(ys[at]!) }));
  const isStill = points.every(({ x, y }) => x === points[0]!.x && y === points[0]!.y);
  return isStill ? points.slice(0, 1) : points;
}
