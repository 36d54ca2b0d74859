import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Color } from "../../platform/colors.ts";
import { type Box, grow, union } from "../drawing/box.ts";
import { cssColor } from "../drawing/css-color.ts";
import { fillStyleOf } from "../drawing/fill.ts";
import { paintLayer } from "../drawing/layer.ts";
import { paintPatch } from "../drawing/patch.ts";
import type { TextStyle } from "../timeline/overlay.ts";
import { applyFonts, glyphBoundsOf, type TextLayout, type TextRun } from "./layout.ts";

export type LaidOutText = { readonly layout: TextLayout; readonly style: TextStyle };

/** The extension of glyph edges by antialiasing and hinting, in pixels. */
export const antialiasMargin = 2;

/** Paints the stroke, and the glyphs over it, each opaque on a layer with its alpha: adjacent letters overlap. */
export function paintInk(context: SKRSContext2D, laidOut: LaidOutText): void {
  const { stroke } = laidOut.style;
  const runs = laidOut.layout.lines.flatMap((line) => line.runs);
  if (hasStroke(stroke)) {
    paintLayer(context, { alpha: stroke.color.alpha }, (outline) => {
      strokeRuns(outline, runs, stroke);
      // the stroke inside the glyphs would show through a translucent fill
      if (isTranslucent(runs, laidOut.style)) eraseRuns(outline, runs, laidOut);
    });
  }
  const groups = groupByAlpha(runs, laidOut.style);
  const isPlain = groups.length === 1;
  for (const [alpha, group] of groups) {
    const paint = (glyphs: SKRSContext2D) => fillRuns(glyphs, group, laidOut);
    if (isPlain) paintLayer(context, { alpha }, paint);
    else paintPatch(context, inkBounds(group, laidOut.style), { alpha }, paint);
  }
}

// the canvas strokes a width of 0 as 1 px
export const hasStroke = (stroke: Stroke | undefined): stroke is Stroke => stroke !== undefined && stroke.width > 0;

const colorOf = ({ style: { span } }: TextRun, style: TextStyle): Color => span?.color ?? style.fontColor;

const usesGradient = (run: TextRun, style: TextStyle): boolean => style.fill !== undefined && !run.style.span?.color;

const alphaOf = (run: TextRun, style: TextStyle): number => (usesGradient(run, style) ? 1 : colorOf(run, style).alpha);

/** True if what lies behind the glyphs shows through some of them. */
export const isTranslucent = (runs: readonly TextRun[], style: TextStyle): boolean =>
  runs.some((run) =>
    usesGradient(run, style) ? style.fill?.stops.some(({ color }) => color.alpha < 1) : alphaOf(run, style) < 1,
  );

/** Runs by the alpha of their glyphs. */
export const groupByAlpha = (runs: readonly TextRun[], style: TextStyle): readonly (readonly [number, TextRun[]])[] => [
  ...Map.groupBy(runs, (run) => alphaOf(run, style)),
];

/** The extent of decorations and glyphs of runs, with the stroke. */
export function inkBounds(runs: readonly TextRun[], { stroke }: TextStyle): Box {
  return grow(union([glyphBoundsOf(runs), ...runs.flatMap(decorationsOf)]), antialiasMargin + (stroke?.width ?? 0));
}

/** Fills the glyphs with their opaque color. */
export function fillRuns(context: SKRSContext2D, runs: readonly TextRun[], { layout, style }: LaidOutText): void {
  const box = { x: 0, y: 0, width: layout.width, height: layout.height };
  const gradient = style.fill && fillStyleOf(context, style.fill, box);
  eachRun(context, runs, (run) => {
    context.fillStyle = gradient && usesGradient(run, style) ? gradient : opaqueRgb(colorOf(run, style));
    if (run.text !== "") context.fillText(run.text, run.x, run.baseline);
    for (const { x, y, width, height } of decorationsOf(run)) context.fillRect(x, y, width, height);
  });
}

export function eraseRuns(context: SKRSContext2D, runs: readonly TextRun[], { layout, style }: LaidOutText): void {
  context.globalCompositeOperation = "destination-out";
  const { fill: _, ...opaque } = style;
  fillRuns(context, runs, { layout, style: opaque });
  context.globalCompositeOperation = "source-over";
}

type Stroke = NonNullable<TextStyle["stroke"]>;

/** A canvas stroke is centered on the outline: with twice the width, the half outside the glyphs has the full width. */
export function applyStroke(context: SKRSContext2D, { color, width }: Stroke): void {
  context.strokeStyle = opaqueRgb(color);
  context.lineWidth = 2 * width;
  context.lineJoin = "round";
  // dashed, because Skia leaves holes where one long stroke follows a tight curve
  context.lineCap = "round";
  context.setLineDash([Math.max(4, width / 2), 0.001]);
}

export function strokeRuns(context: SKRSContext2D, runs: readonly TextRun[], stroke: Stroke): void {
  applyStroke(context, stroke);
  eachRun(context, runs, (run) => {
    if (run.text !== "") context.strokeText(run.text, run.x, run.baseline);
    for (const { x, y, width, height } of decorationsOf(run)) context.strokeRect(x, y, width, height);
  });
}

function eachRun(context: SKRSContext2D, runs: readonly TextRun[], paint: (run: TextRun) => void): void {
  let applied: string | undefined;
  for (const run of runs) {
    if (applied !== run.style.key) applyFonts(context, run.style, run.style.fonts);
    applied = run.style.key;
    context.direction = run.direction;
    paint(run);
  }
}

/** Positions of lines through and under a text, and their thickness, as shares of the font size. */
const decorationShares = { underline: 0.14, strike: -0.32, thickness: 0.07 };

function decorationsOf({ left, width, baseline, style: { fontSize, span } }: TextRun): readonly Box[] {
  const height = Math.max(1, fontSize * decorationShares.thickness);
  return (["underline", "strike"] as const)
    .filter((kind) => span?.[kind] && width > 0)
    .map((kind) => ({ x: left, y: baseline + decorationShares[kind] * fontSize - height / 2, width, height }));
}

/** The boxes behind spans with a background, with their colors. */
export function spanBoxes(runs: readonly TextRun[]): readonly { readonly box: Box; readonly color: Color }[] {
  return runs.flatMap(({ left, width, baseline, style: { fontSize, span } }) => {
    if (!span?.background || width <= 0) return [];
    const box = { x: left, y: baseline - fontSize, width, height: spanBoxHeight * fontSize };
    return [{ box, color: span.background }];
  });
}

/** From a font size above the baseline to the descenders, as a share of the font size. */
const spanBoxHeight = 1.28;

export function paintSpanBoxes(context: SKRSContext2D, runs: readonly TextRun[]): void {
  for (const { box, color } of spanBoxes(runs)) {
    context.fillStyle = cssColor(color);
    context.fillRect(box.x, box.y, box.width, box.height);
  }
}

export const opaqueRgb = ({ red, green, blue }: Color): string => `rgb(${red}, ${green}, ${blue})`;
