import { type FrameRate, framesIn } from "../../../timeline/time.ts";
import type { Canvas } from "../../../timeline/timeline.ts";
import type { While } from "../../filters/color.ts";
import { type Corners, crop, mapCorners, type Point, pad } from "../../filters/geometry.ts";
import { applyMask, drawGray, fadeGray } from "../../filters/mask.ts";
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

/** Black pixels beside the picture, because edge pixels repeat. Even, because of the chroma. */
const margin = 2;

/** Draws each frame of a video of the canvas's size in its pose. What it does not cover is black. */
export function pose(video: Video, poses: readonly Pose[], canvas: Canvas): Video {
  if (poses.every(isAtRest)) return video;
  const frames = poses.map((each) => cornersOf(each, canvas));
  const when = whileMoved(poses);
  const isCovered = frames.every((corners) => corners.every((corner) => isWithin(corner, canvas)));
  if (isCovered) return mapCorners(video, frames, when);
  return poseFramed(pad(video, withMargin(canvas), { x: margin, y: margin }), poses, canvas, when);
}

type Clear = {
  readonly rate: FrameRate;
  /** Of each frame, by default 1. */
  readonly opacities?: readonly number[];
};

/** Like `pose`, but what the video does not cover is transparent. */
export function poseClear(
  video: Video,
  poses: readonly Pose[],
  canvas: Canvas,
  { rate, opacities = [1] }: Clear,
): Video {
  const isInside = `between(X,${margin},W-${margin + 1})*between(Y,${margin},H-${margin + 1})`;
  const still = loopFirstFrame(drawGray(withMargin(canvas), rate, `255*${isInside}`));
  const opaque = resetTimestamps(trim(still, { start: 0, end: poses.length }), rate);
  // the pixels of the edge repeat below the soft edge of the mask
  const moved = mapCorners(
    video,
    poses.map((each) => cornersOf(each, canvas)),
  );
  const mask = poseFramed(opaque, poses, canvas);
  const isFaded = opacities.some((opacity) => opacity < 1);
  return applyMask(moved, isFaded ? fadeGray(mask, numberAt(opacities, { variable: "n", first: 0 })) : mask);
}

const withMargin = ({ width, height }: Canvas): Canvas => ({ width: width + 2 * margin, height: height + 2 * margin });

function poseFramed(framed: Video, poses: readonly Pose[], canvas: Canvas, when: While = {}): Video {
  const corners = poses.map((each) => cornersOf(each, canvas, margin));
  return crop(mapCorners(framed, corners, when), canvas, { x: margin, y: margin });
}

/** Frames at rest between others pass unchanged. */
function whileMoved(poses: readonly Pose[]): While {
  const moved = runsOf(poses.map((each) => !isAtRest(each))).filter(({ kind }) => kind);
  const isAlways = moved.length === 1 && framesIn(moved[0]!.range) === poses.length;
  return isAlways || moved.length > maxRuns
    ? {}
    : { enable: moved.map(({ range }) => whileIn(range).enable).join("+") };
}

const maxRuns = 20;

// perspective computes positions in 32 bits
const leastScale = 0.004;
const farthest = 4;

const bounded = (value: number, most: number) => Math.min(Math.max(value, -most), most);

const invertible = (scale: number): number =>
  Math.abs(scale) >= leastScale ? scale : leastScale * (scale < 0 ? -1 : 1);

/** The points of the picture, with a margin around it, that the corners of the canvas with the same margin show. */
function cornersOf({ scaleX, scaleY, degrees, ...center }: Pose, { width, height }: Canvas, edge = 0): Corners {
  const angle = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const moved = {
    x: bounded(center.centerX, farthest * width),
    y: bounded(center.centerY, farthest * height),
  };
  const shown = (x: number, y: number): Point => {
    const [fromX, fromY] = [x - moved.x, y - moved.y];
    return {
      x: width / 2 + edge + (cos * fromX + sin * fromY) / invertible(scaleX),
      y: height / 2 + edge + (cos * fromY - sin * fromX) / invertible(scaleY),
    };
  };
  const [right, bottom] = [width / 2 + edge, height / 2 + edge];
  return [shown(-right, -bottom), shown(right, -bottom), shown(-right, bottom), shown(right, bottom)];
}

const isWithin = ({ x, y }: Point, { width, height }: Canvas): boolean =>
  Math.min(x, y, width - x, height - y) > -tolerance;
