import type { Filter } from "../../../timeline/motion.ts";
import { type FrameRate, framesIn } from "../../../timeline/time.ts";
import type { Canvas } from "../../../timeline/timeline.ts";
import { type ColorMatrix, fromRgb, mapRgb, mixChannels, toRgb, type While } from "../../filters/color.ts";
import type { Video } from "../../graph/graph.ts";
import { printNumber } from "../../graph/print.ts";
import { drawRuns, runsOf, whileIn } from "./runs.ts";

/** The values of a filter on one frame, but for its blur. */
export type Coloring = Required<Omit<Filter, "blur" | "tint">> & Pick<Filter, "tint">;

/** A step of a filter: a level of each channel by its own level, or by those of all. */
type Step =
  | { readonly kind: "levels"; readonly levels: Record<"r" | "g" | "b", string> }
  | { readonly kind: "matrix"; readonly matrix: ColorMatrix };

/** Applies a filter of its own to each frame. Frames without one stay as they are. */
export function colorFrames(video: Video, frames: readonly Coloring[], canvas: Canvas, rate: FrameRate): Video {
  const steps = new Map<string, readonly Step[]>();
  const keys = frames.map((frame) => {
    const own = stepsOf(frame);
    const key = own.length > 0 ? JSON.stringify(own) : "";
    steps.set(key, own);
    return key;
  });
  if (keys.every((key) => key === "")) return video;
  const runs = runsOf(keys.map((key) => key !== ""));
  return drawRuns(video, runs, rate, (part, { range, kind: isColored }) => {
    if (!isColored) return part;
    const own = keys.slice(range.start, range.end);
    const colored = runsOf(own).reduce(
      (below, run) =>
        applySteps(below, steps.get(run.kind)!, framesIn(run.range) === own.length ? {} : whileIn(run.range)),
      toRgb(part, canvas),
    );
    return fromRgb(colored, canvas);
  });
}

const applySteps = (video: Video, steps: readonly Step[], when: While): Video =>
  steps.reduce(
    (below, step) =>
      step.kind === "levels" ? mapRgb(below, step.levels, when) : mixChannels(below, step.matrix, when),
    video,
  );

/** Factors that differ by less look alike, and equal ones of neighboring frames share their filters. */
const rounded = (value: number) => Math.round(value * 256) / 256;

const atLeastNone = (value: number) => Math.max(0, rounded(value));

const asShare = (value: number) => Math.min(1, atLeastNone(value));

/** The functions of CSS Filter Effects 1 that change anything, in their order. */
function stepsOf({ brightness, contrast, saturation, grayscale, sepia, invert, hue, tint }: Coloring): readonly Step[] {
  const [light, slope, color] = [brightness, contrast, saturation].map(atLeastNone) as [number, number, number];
  const [gray, brown, inverted] = [grayscale, sepia, invert].map(asShare) as [number, number, number];
  const degrees = Math.round(hue * 2) / 2;
  return [
    ...(light === 1 ? [] : [evenLevels(light, 0)]),
    ...(slope === 1 ? [] : [evenLevels(slope, 127.5 * (1 - slope))]),
    ...saturate(color),
    ...saturate(1 - gray),
    ...(brown === 0 ? [] : [matrixStep(mixMatrices(identity, sepiaMatrix, brown))]),
    ...(inverted === 0 ? [] : [evenLevels(1 - 2 * inverted, 255 * inverted)]),
    ...(degrees % 360 === 0 ? [] : [matrixStep(hueMatrix(degrees))]),
    ...tinted(tint),
  ];
}

/** The filter cuts fractions off. */
const level = (slope: number, intercept: number) => `val*${printNumber(slope)}+${printNumber(intercept + 0.5)}`;

function evenLevels(slope: number, intercept: number): Step {
  const same = level(slope, intercept);
  return { kind: "levels", levels: { r: same, g: same, b: same } };
}

function tinted(tint: Filter["tint"]): readonly Step[] {
  const amount = asShare(tint?.amount ?? 0) * (tint?.color.alpha ?? 1);
  if (!tint || amount === 0) return [];
  const mixed = (channel: number) => level(1 - amount, amount * channel);
  const { red, green, blue } = tint.color;
  return [{ kind: "levels", levels: { r: mixed(red), g: mixed(green), b: mixed(blue) } }];
}

const matrixStep = (matrix: ColorMatrix): Step => ({
  kind: "matrix",
  matrix: matrix.map(([r, g, b]) => [bounded(r), bounded(g), bounded(b)] as const),
});

/** The range of the filter's entries. */
const bounded = (entry: number) => Math.min(2, Math.max(-2, Math.round(entry * 1e4) / 1e4));

const identity: ColorMatrix = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

const luma = [0.213, 0.715, 0.072] as const;
const grayMatrix: ColorMatrix = [luma, luma, luma];

const sepiaMatrix: ColorMatrix = [
  [0.393, 0.769, 0.189],
  [0.349, 0.686, 0.168],
  [0.272, 0.534, 0.131],
];

const mixMatrices = (one: ColorMatrix, other: ColorMatrix, share: number): ColorMatrix =>
  one.map((row, at) => {
    const mixed = (column: 0 | 1 | 2) => row[column] * (1 - share) + other[at]![column] * share;
    return [mixed(0), mixed(1), mixed(2)] as const;
  });

/** The largest factor whose matrix is in the filter's range. */
const mostSaturation = 2;

/** Larger factors take several steps. */
function saturate(factor: number): readonly Step[] {
  if (factor === 1) return [];
  if (factor <= mostSaturation) return [matrixStep(mixMatrices(grayMatrix, identity, factor))];
  return [matrixStep(mixMatrices(grayMatrix, identity, mostSaturation)), ...saturate(factor / mostSaturation)];
}

function hueMatrix(degrees: number): ColorMatrix {
  const angle = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const [r, g, b] = luma;
  return [
    [r + cos * (1 - r) - sin * r, g - cos * g - sin * g, b - cos * b + sin * (1 - b)],
    [r - cos * r + sin * 0.143, g + cos * (1 - g) + sin * 0.14, b - cos * b - sin * 0.283],
    [r - cos * r - sin * (1 - r), g - cos * g + sin * g, b + cos * (1 - b) + sin * b],
  ];
}
