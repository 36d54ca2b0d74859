import type { SKRSContext2D } from "@napi-rs/canvas";
import { type Box, grow, move, type Point, scaleBox, union } from "../drawing/box.ts";
import type { Shadow } from "../drawing/layer.ts";
import { paintLayer } from "../drawing/layer.ts";
import type { MoveUnit } from "../timeline/motion.ts";
import type { TextContent } from "../timeline/overlay.ts";
import { backgroundBox, paintBackground, paintFadedBackground } from "./background.ts";
import { countedLayout } from "./counted-layout.ts";
import { autoSized, balanced, centerInBox, fitFactor, layOut, shrunk } from "./fit.ts";
import type { TextFonts } from "./fonts/fonts.ts";
import { antialiasMargin, inkBounds, type LaidOutText, paintInk, paintSpanBoxes, spanBoxes } from "./ink.ts";
import { highlightBox, paintHighlights, paintPosedInk, paintPosedSpanBoxes } from "./paint-units.ts";
import { isResting, posedBounds, poseInLayout, poseUnits } from "./posed-runs.ts";
import {
  layOutUnits,
  type PoseOf,
  publicUnit,
  scaleTextDrawing,
  type TextDrawing,
  type UnitLayout,
  type UnitOptions,
  type UnitPose,
} from "./units.ts";

export { antialiasMargin, applyStroke, opaqueRgb } from "./ink.ts";

/** `fonts` has those of the spans: see `resolveTextFonts`. */
export function drawText(content: TextContent, fonts: TextFonts): TextDrawing {
  const { anchor, scale = 1, style: given } = content;
  const sized = autoSized(content, fonts);
  const factor = given.minFontSize === undefined ? fitFactor(sized, fonts) : 1;
  const styled = balanced(shrunk(sized, factor), fonts);
  const { style } = styled;
  const layout = layOut(styled, fonts);
  const middle = { x: layout.width / 2, y: layout.height / 2 };
  const drawnBox = scaleBox(move(backgroundBox(layout, style), { x: -middle.x, y: -middle.y }), scale * factor);
  const corner = { x: anchor.x + middle.x * scale, y: anchor.y + middle.y * scale };
  const ownCenter = anchor.at === "center" ? anchor : corner;
  const center = given.maxHeight === undefined ? ownCenter : centerInBox(content, drawnBox);
  return scaleTextDrawing(drawingOf({ layout, style }, center, content.language), scale * factor);
}

function drawingOf(laidOut: LaidOutText, center: Point, language: string | undefined): TextDrawing {
  const { layout, style } = laidOut;
  const toCenter = { x: -layout.width / 2, y: -layout.height / 2 };
  return {
    center,
    box: move(backgroundBox(layout, style), toCenter),
    bounds: move(paintedBounds(laidOut), toCenter),
    shadowReach: style.shadow ? reachOf(style.shadow) : 0,
    paint(context) {
      context.translate(toCenter.x, toCenter.y);
      paintStill(context, laidOut);
    },
    ...movable(laidOut),
    counted: (count) => drawingOf({ layout: countedLayout(layout, count, language), style }, center, language),
  };
}

/** The canvas blurs with a standard deviation of `blur / 2`; nothing visible is left at three deviations. */
const blurExtent = ({ blur }: Shadow) => Math.ceil(blur * 1.5);

const reachOf = (shadow: Shadow) => Math.hypot(shadow.offsetX, shadow.offsetY) + blurExtent(shadow);

function paintedBounds({ layout, style }: LaidOutText): Box {
  const { stroke, background } = style;
  const runs = layout.lines.flatMap((line) => line.runs);
  const plain = grow(layout.glyphBounds, antialiasMargin + (stroke?.width ?? 0));
  const hasMore = runs.some((run) => run.style.span);
  const ink = hasMore ? inkBounds(runs, style) : plain;
  const behind = background && backgroundBox(layout, style);
  const marked = spanBoxes(runs).map((marker) => marker.box);
  return union([ink, shadowBounds(ink, style.shadow), behind, ...marked].filter((box) => box !== undefined));
}

const shadowBounds = (ink: Box, shadow: Shadow | undefined): Box | undefined =>
  shadow && grow(move(ink, { x: shadow.offsetX, y: shadow.offsetY }), blurExtent(shadow));

function paintStill(context: SKRSContext2D, laidOut: LaidOutText): void {
  const { shadow } = laidOut.style;
  paintBackground(context, laidOut);
  for (const line of laidOut.layout.lines) paintSpanBoxes(context, line.runs);
  paintLayer(context, { shadow }, (ink) => paintInk(ink, laidOut));
}

/** What moves the units of a text. */
function movable(laidOut: LaidOutText): Pick<TextDrawing, "units" | "paintUnits" | "unitBounds"> {
  const { layout, style } = laidOut;
  const middle = { x: layout.width / 2, y: layout.height / 2 };
  const toCenter = { x: -middle.x, y: -middle.y };
  const known = new Map<MoveUnit, UnitLayout>();
  const unitsOf = (by: MoveUnit): UnitLayout => {
    const laid = known.get(by) ?? layOutUnits(layout, by);
    known.set(by, laid);
    return laid;
  };
  const posesOf = ({ units }: UnitLayout, poseOf: PoseOf) =>
    units.map((unit, index) => poseInLayout(poseOf(publicUnit(unit, toCenter), index, units.length), middle));
  const highlightsOf = ({ units }: UnitLayout, { highlight }: UnitOptions) =>
    units.flatMap((unit, index) => {
      const found = highlight?.(publicUnit(unit, toCenter), index);
      return found ? [{ ...found, unit }] : [];
    });
  return {
    units: (by) => unitsOf(by).units.map((unit) => publicUnit(unit, toCenter)),
    paintUnits(context, by, poseOf, options) {
      const laid = unitsOf(by);
      const poses = posesOf(laid, poseOf);
      context.translate(toCenter.x, toCenter.y);
      paintFadedBackground(context, laidOut, options.background);
      paintHighlights(context, highlightsOf(laid, options));
      if (areResting(poses)) {
        paintStill(context, { layout, style: withoutBackground(style) });
        return;
      }
      const posed = poseUnits(laid, poses, laidOut);
      paintPosedSpanBoxes(context, posed);
      paintPosedInk(context, posed, laidOut);
    },
    unitBounds(by, poseOf, options) {
      const laid = unitsOf(by);
      const poses = posesOf(laid, poseOf);
      const ink = areResting(poses)
        ? paintedBounds({ layout, style: withoutBackground(style) })
        : union(poseUnits(laid, poses, laidOut).map(posedBounds));
      const highlights = highlightsOf(laid, options).map(({ unit, share }) => highlightBox(unit, share));
      const behind = style.background && options.background > 0 && grow(backgroundBox(layout, style), antialiasMargin);
      const boxes = [ink, shadowBounds(ink, style.shadow), behind || undefined, ...highlights];
      return move(union(boxes.filter((box) => box !== undefined)), toCenter);
    },
  };
}

const areResting = (poses: readonly (UnitPose | undefined)[]): boolean =>
  poses.every((pose) => pose && isResting(pose));

const withoutBackground = ({ background: _, icon: __, ...style }: LaidOutText["style"]): LaidOutText["style"] => style;
