import type { FrameRate } from "../../../timeline/time.ts";
import type { Canvas } from "../../../timeline/timeline.ts";
import { type Corners, crop, mapCorners, type Point, pad } from "../../filters/geometry.ts";
import { applyMask, drawGray, fadeGray, multiplyGray } from "../../filters/mask.ts";
import { loopFirstFrame, numberAt, resetTimestamps, trim } from "../../filters/time.ts";
import type { Video } from "../../graph/graph.ts";
import { runsOf, whileIn } from "./runs.ts";

/** How a picture of the canvas's size lies on the canvas: turned and scaled about its center, which is moved. */
export type Pose = {
  readonly scaleX: number;
  readonly scaleY: number;
  /** Clockwise. */
  readonly degrees: number;
  /** Pixels from the center of the canvas to that of the picture. */
  readonly centerX: number;
  readonly centerY: number;
};

export const restPose: Pose = { scaleX: 1, scaleY: 1, degrees: 0, centerX: 0, centerY: 0 };

/** Pixels and shares below this are invisible. */
const tolerance = 1e-4;

export const isAtRest = ({ scaleX, scaleY, degrees, centerX, centerY }: Pose): boolean =>
  Math.max(...[scaleX - 1, scaleY - 1, degrees % 360, centerX, centerY].map(Math.abs)) < tolerance;

/** The blur of a picture that is made smaller: the filter skips pixels, so that fine patterns would shimmer. */
export function smoothingFor({ scaleX, scaleY }: Pose): number {
  const scale = Math.max(Math.abs(scaleX), Math.abs(scaleY), 0.02);
  return scale > 0.8 ? 0 : 0.4 * Math.sqrt(1 / scale ** 2 - 1);
}

/** Black pixels beside the picture, because edge pixels repeat. Even, because of the chroma. */
const margin = 2;

/** Draws each frame of a video of the canvas's size in its pose. What it does not cover is black. */
export function pose(video: Video, poses: readonly Pose[], canvas: Canvas): Video {
  // of each frame alone, so that it looks alike in every part of a clip
  const kinds = poses.map((each) => kindOf(each, canvas));
  const covered = kinds.includes("covered") ? poseWhere(video, poses, canvas, { kinds, kind: "covered" }) : video;
  if (!kinds.includes("open")) return covered;
  const framed = pad(covered, withMargin(canvas), { x: margin, y: margin });
  return withoutMargin(poseWhere(framed, poses, canvas, { kinds, kind: "open", edge: margin }), canvas);
}

/** Covers the canvas or not. */
type Kind = "rest" | "covered" | "open";

function kindOf(pose: Pose, canvas: Canvas): Kind {
  if (isAtRest(pose)) return "rest";
  return cornersOf(pose, canvas).every((corner) => isWithin(corner, canvas)) ? "covered" : "open";
}

type Where = { readonly kinds: readonly Kind[]; readonly kind: Kind; readonly edge?: number };

/** Moves the frames of one kind; the others pass unchanged. */
function poseWhere(video: Video, poses: readonly Pose[], canvas: Canvas, { kinds, kind, edge = 0 }: Where): Video {
  const runs = runsOf(kinds.map((each) => each === kind)).filter((run) => run.kind);
  const areAll = kinds.every((each) => each === kind);
  const canSwitch = runs.length <= maxRuns;
  // where the filter is off, the pose does not count: one that repeats is printed in fewer characters
  const other = canSwitch ? poses[runs[0]!.range.start]! : restPose;
  const corners = poses.map((each, frame) => cornersOf(kinds[frame] === kind ? each : other, canvas, edge));
  const enable = runs.map(({ range }) => whileIn(range).enable).join("+");
  return mapCorners(video, corners, areAll || !canSwitch ? {} : { enable });
}

const maxRuns = 20;

type Clear = {
  readonly rate: FrameRate;
  /** Of each frame, by default 1. */
  readonly opacities?: readonly number[];
  /** What shows, as gray frames; `moves`: with the picture. */
  readonly mask?: { readonly gray: Video; readonly moves: boolean } | undefined;
};

/** Like `pose`, but what the video does not cover is transparent. */
export function poseClear(
  video: Video,
  poses: readonly Pose[],
  canvas: Canvas,
  { rate, opacities = [1], mask: shape }: Clear,
): Video {
  const isFaded = opacities.some((opacity) => opacity < 1);
  const faded = (gray: Video) => (isFaded ? fadeGray(gray, numberAt(opacities, { variable: "n", first: 0 })) : gray);
  if (shape && poses.every(isAtRest)) return applyMask(video, faded(shape.gray));
  const isInside = `between(X,${margin},W-${margin + 1})*between(Y,${margin},H-${margin + 1})`;
  const still = loopFirstFrame(drawGray(withMargin(canvas), rate, `255*${isInside}`));
  const opaque = resetTimestamps(trim(still, { start: 0, end: poses.length }), rate);
  // the pixels of the edge repeat below the soft edge of the mask
  const inPose = (still: Video) =>
    mapCorners(
      still,
      poses.map((each) => cornersOf(each, canvas)),
    );
  const corners = poses.map((each) => cornersOf(each, canvas, margin));
  const mask = withoutMargin(mapCorners(opaque, corners), canvas);
  const shown = shape ? multiplyGray(mask, shape.moves ? inPose(shape.gray) : shape.gray) : mask;
  return applyMask(inPose(video), faded(shown));
}

const withMargin = ({ width, height }: Canvas): Canvas => ({ width: width + 2 * margin, height: height + 2 * margin });

const withoutMargin = (video: Video, canvas: Canvas): Video => crop(video, canvas, { x: margin, y: margin });

// perspective computes positions in 32 bits, in parts of a pixel
const leastScale = 0.01;
const farthest = 32_768;

const bounded = (value: number) => Math.min(Math.max(value, -farthest), farthest);

/** A picture that is too small to see lies beside the canvas. */
const visible = (pose: Pose, { width }: Canvas): Pose =>
  Math.min(Math.abs(pose.scaleX), Math.abs(pose.scaleY)) < leastScale
    ? { ...restPose, scaleX: leastScale, scaleY: leastScale, centerX: 2 * width }
    : pose;

/** The points of the picture, with a margin around it, that the corners of the canvas with the same margin show. */
function cornersOf(pose: Pose, { width, height }: Canvas, edge = 0): Corners {
  const { scaleX, scaleY, degrees, centerX, centerY } = visible(pose, { width, height });
  const angle = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const shown = (x: number, y: number): Point => {
    const [fromX, fromY] = [x - bounded(centerX), y - bounded(centerY)];
    return {
      x: width / 2 + edge + (cos * fromX + sin * fromY) / scaleX,
      y: height / 2 + edge + (cos * fromY - sin * fromX) / scaleY,
    };
  };
  const [right, bottom] = [width / 2 + edge, height / 2 + edge];
  return [shown(-right, -bottom), shown(right, -bottom), shown(-right, bottom), shown(right, bottom)];
}

const isWithin = ({ x, y }: Point, { width, height }: Canvas): boolean =>
  Math.min(x, y, width - x, height - y) > -tolerance;
