import type { SKRSContext2D } from "@napi-rs/canvas";
import { type Box, grow, union } from "../drawing/box.ts";
import { cssColor } from "../drawing/css-color.ts";
import { paintPatch } from "../drawing/patch.ts";
import {
  eraseRuns,
  fillRuns,
  groupByAlpha,
  hasStroke,
  isTranslucent,
  type LaidOutText,
  paintSpanBoxes,
  spanBoxes,
  strokeRuns,
} from "./ink.ts";
import type { TextRun } from "./layout.ts";
import { type PosedRuns, posedBounds } from "./posed-runs.ts";
import type { Highlight, LaidOutUnit } from "./units.ts";

/** The blur of a pose before its own scale applies. */
const ownBlur = ({ pose, transform: { a, b, c, d } }: PosedRuns): number =>
  pose.blur / Math.sqrt(Math.abs(a * d - b * c));

function inPose(context: SKRSContext2D, { pose: { clip }, transform }: PosedRuns, paint: () => void): void {
  const { a, b, c, d, e, f } = transform;
  context.save();
  if (clip) {
    context.beginPath();
    context.rect(clip.x, clip.y, clip.width, clip.height);
    context.clip();
  }
  context.transform(a, b, c, d, e, f);
  paint();
  context.restore();
}

/** Paints posed runs on one layer for the shadow. Strokes lie under all glyphs, as they do at rest. */
export function paintPosedInk(context: SKRSContext2D, posed: readonly PosedRuns[], laidOut: LaidOutText): void {
  const { shadow, stroke } = laidOut.style;
  const area = union(posed.map(posedBounds));
  const paint = (ink: SKRSContext2D) => {
    if (hasStroke(stroke)) {
      onLayer(ink, area, stroke.color.alpha, (outline) => paintStrokes(outline, posed, laidOut));
    }
    const groups = groupByAlpha([...new Set(posed.flatMap(({ runs }) => runs))], laidOut.style);
    for (const [alpha, group] of groups) {
      const members = new Set(group);
      onLayer(ink, area, alpha, (glyphs) => {
        for (const item of posed)
          paintGlyphs(
            glyphs,
            item,
            item.runs.filter((run) => members.has(run)),
            laidOut,
          );
      });
    }
  };
  if (shadow) paintPatch(context, area, { shadow }, paint);
  else paint(context);
}

function onLayer(context: SKRSContext2D, area: Box, alpha: number, paint: (layer: SKRSContext2D) => void): void {
  if (alpha < 1) paintPatch(context, area, { alpha }, paint);
  else paint(context);
}

function paintStrokes(context: SKRSContext2D, posed: readonly PosedRuns[], laidOut: LaidOutText): void {
  const { stroke } = laidOut.style;
  if (!stroke) return;
  const translucent = isTranslucent(
    posed.flatMap(({ runs }) => runs),
    laidOut.style,
  );
  for (const item of posed) {
    const { runs, ink, pose } = item;
    inPose(context, item, () => {
      if (pose.alpha === 1 && pose.blur === 0) strokeRuns(context, runs, stroke);
      else {
        paintPatch(context, ink, { alpha: pose.alpha, blur: ownBlur(item) }, (patch) => {
          strokeRuns(patch, runs, stroke);
          if (pose.alpha < 1 || translucent) eraseRuns(patch, runs, laidOut);
        });
      }
    });
  }
  if (!translucent) return;
  for (const item of posed) {
    if (item.pose.alpha === 1 && item.pose.blur === 0)
      inPose(context, item, () => eraseRuns(context, item.runs, laidOut));
  }
}

function paintGlyphs(context: SKRSContext2D, item: PosedRuns, runs: readonly TextRun[], laidOut: LaidOutText): void {
  if (runs.length === 0) return;
  const { pose, ink, isLetter } = item;
  inPose(context, item, () => {
    if (pose.blur > 0 || (pose.alpha < 1 && !isLetter)) {
      const options = { alpha: pose.alpha, blur: ownBlur(item) };
      paintPatch(context, ink, options, (patch) => fillRuns(patch, runs, laidOut));
    } else {
      context.globalAlpha = pose.alpha;
      fillRuns(context, runs, laidOut);
    }
  });
}

/** Paints the boxes behind spans, each with its unit. */
export function paintPosedSpanBoxes(context: SKRSContext2D, posed: readonly PosedRuns[]): void {
  for (const item of posed) {
    const boxes = spanBoxes(item.runs);
    if (boxes.length === 0) continue;
    inPose(context, item, () => {
      context.globalAlpha = item.pose.alpha;
      if (item.pose.blur === 0) paintSpanBoxes(context, item.runs);
      else {
        const area = grow(union(boxes.map(({ box }) => box)), 1);
        paintPatch(context, area, { blur: ownBlur(item) }, (patch) => paintSpanBoxes(patch, item.runs));
      }
    });
  }
}

/** How far a highlight extends beyond its unit on both sides, as a share of the height of its line. */
const highlightMargin = 0.08;

export function highlightBox({ box, direction }: Pick<LaidOutUnit, "box" | "direction">, share: number): Box {
  const margin = highlightMargin * box.height;
  const whole = { ...box, x: box.x - margin, width: box.width + 2 * margin };
  const width = whole.width * Math.min(1, Math.max(0, share));
  return { ...whole, width, x: direction === "ltr" ? whole.x : whole.x + whole.width - width };
}

/** Paints the boxes of each color as one, because adjacent ones overlap. */
export function paintHighlights(
  context: SKRSContext2D,
  highlights: readonly (Highlight & { readonly unit: LaidOutUnit })[],
): void {
  const shown = highlights.filter(({ share }) => share > 0);
  for (const [, group] of Map.groupBy(shown, ({ color }) => cssColor(color))) {
    const { color } = group[0]!;
    const boxes = group.map(({ unit, share }) => highlightBox(unit, share));
    onLayer(context, grow(union(boxes), 1), color.alpha, (layer) => {
      layer.fillStyle = cssColor({ ...color, alpha: 1 });
      for (const { x, y, width, height } of boxes) layer.fillRect(x, y, width, height);
    });
  }
}
