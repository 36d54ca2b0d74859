import { blurReach } from "../drawing/blur.ts";
import { type Box, grow, intersect, move, type Point, union } from "../drawing/box.ts";
import { type Transform, transformedBounds } from "../drawing/patch.ts";
import { antialiasMargin, inkBounds, type LaidOutText, spanBoxes } from "./ink.ts";
import { baseDirection, type TextRun } from "./layout.ts";
import { splitGraphemes } from "./line-breaks.ts";
import { createPen } from "./styled-text.ts";
import type { LaidOutUnit, UnitLayout, UnitPose } from "./units.ts";

/** What is painted at once: a unit in motion, or adjacent ones at rest. Lengths are in the layout's coordinates. */
export type PosedRuns = {
  readonly runs: readonly TextRun[];
  /** The extent of its ink and of the boxes behind spans, before it is moved. */
  readonly ink: Box;
  readonly pose: UnitPose;
  readonly transform: Transform;
  /** True for a single letter: nothing in it overlaps, so it needs no layer to fade. */
  readonly isLetter: boolean;
};

const identity: Transform = { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 };

export const isResting = ({ x, y, scaleX, scaleY, rotation, alpha, blur, clip, text }: UnitPose): boolean =>
  x === 0 &&
  y === 0 &&
  scaleX === 1 &&
  scaleY === 1 &&
  rotation === 0 &&
  alpha === 1 &&
  blur === 0 &&
  !clip &&
  text === undefined;

/** The visible units with their poses; adjacent ones at rest are joined, so that they keep ligatures and kerning. */
export function poseUnits(
  { units, runsBetween }: UnitLayout,
  poses: readonly (UnitPose | undefined)[],
  { style }: LaidOutText,
): readonly PosedRuns[] {
  const posed: PosedRuns[] = [];
  for (let index = 0; index < units.length; index++) {
    const unit = units[index]!;
    const pose = poses[index];
    if (!pose || pose.alpha <= 0 || pose.scaleX === 0 || pose.scaleY === 0) continue;
    if (!isResting(pose)) {
      posed.push(poseUnit(unit, pose, style));
      continue;
    }
    let last = index;
    while (units[last + 1]?.line === unit.line && poses[last + 1] && isResting(poses[last + 1]!)) last++;
    const runs = last === index ? unit.runs : runsBetween(unit, units[last]!);
    posed.push({ runs, ink: paintedBox(runs, style), pose, transform: identity, isLetter: false });
    index = last;
  }
  return withinLimit(posed);
}

/** The pixels of all layers of units of one text: three of the largest frames. */
const maxLayerPixels = 50_000_000;

/** A blurred pixel takes the time of some that only fade. */
const blurCost = 4;

/** Blurs less, or not at all, what would take too many pixels. */
function withinLimit(posed: readonly PosedRuns[]): readonly PosedRuns[] {
  let items = posed;
  for (let halvings = 0; halvings < 6 && layerPixels(items) > maxLayerPixels; halvings++) {
    items = items.map((item) => ({ ...item, pose: { ...item.pose, blur: item.pose.blur / 2 } }));
  }
  if (layerPixels(items) <= maxLayerPixels) return items;
  return posed.map((item) => ({
    ...item,
    isLetter: true,
    pose: { ...item.pose, blur: 0, alpha: Math.round(item.pose.alpha) },
  }));
}

function layerPixels(posed: readonly PosedRuns[]): number {
  const pixelsOf = (item: PosedRuns) => {
    const { width, height } = posedBounds(item);
    return width * height * (item.pose.blur > 0 ? blurCost : 1);
  };
  return posed.filter(({ pose }) => pose.alpha < 1 || pose.blur > 0).reduce((sum, item) => sum + pixelsOf(item), 0);
}

const paintedBox = (runs: readonly TextRun[], style: LaidOutText["style"]): Box =>
  union([inkBounds(runs, style), ...spanBoxes(runs).map(({ box }) => grow(box, antialiasMargin))]);

function poseUnit(unit: LaidOutUnit, pose: UnitPose, style: LaidOutText["style"]): PosedRuns {
  const runs = pose.text === undefined ? unit.runs : replacedRuns(unit, pose.text);
  return {
    runs,
    ink: paintedBox(runs, style),
    pose,
    transform: transformOf(unit.box, pose),
    isLetter: runs.length === 1 && splitGraphemes(runs[0]!.text).length === 1,
  };
}

/** Another text in the middle of a unit, in its style. */
function replacedRuns({ runs, box }: LaidOutUnit, text: string): readonly TextRun[] {
  const first = runs[0];
  if (!first || text === "") return [];
  const direction = baseDirection(text);
  const width = createPen()(text, first.style, direction);
  const x = box.x + (box.width - width) / 2;
  return [{ ...first, text, direction, x, left: x, width }];
}

function transformOf(box: Box, { x, y, scaleX, scaleY, rotation }: UnitPose): Transform {
  const radians = (rotation * Math.PI) / 180;
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
  const center = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const [a, b, c, d] = [cos * scaleX, sin * scaleX, -sin * scaleY, cos * scaleY];
  return { a, b, c, d, e: center.x + x - a * center.x - c * center.y, f: center.y + y - b * center.x - d * center.y };
}

/** Contains every pixel of moved units. */
export function posedBounds({ ink, pose, transform }: PosedRuns): Box {
  const bounds = grow(transformedBounds(ink, transform), blurReach(pose.blur));
  return pose.clip ? intersect(bounds, pose.clip) : bounds;
}

/** A pose with its clip in the coordinates of the layout. */
export const poseInLayout = (pose: UnitPose | undefined, middle: Point): UnitPose | undefined =>
  pose?.clip ? { ...pose, clip: move(pose.clip, middle) } : pose;
