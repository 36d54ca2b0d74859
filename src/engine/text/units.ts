import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Color } from "../../platform/colors.ts";
import type { Box, Point } from "../drawing/box.ts";
import { move, scaleBox, union } from "../drawing/box.ts";
import { type Drawing, scaleDrawing } from "../drawing/drawing.ts";
import type { MoveUnit } from "../timeline/motion.ts";
import type { Count } from "./counted-layout.ts";
import type { TextLayout, TextLine, TextRun } from "./layout.ts";
import { cutRuns, type Stretch, stretchesOf } from "./stretches.ts";
import { createPen, cursiveScripts } from "./styled-text.ts";
import { type Range, unitRanges } from "./unit-ranges.ts";

/** A part of a text that moves as one. */
export type TextUnit = {
  readonly text: string;
  /** The index of its line. */
  readonly line: number;
  /** Its advance and the height of its line, in the drawing's coordinates. */
  readonly box: Box;
  readonly direction: "ltr" | "rtl";
};

/** Where and how a unit is drawn; lengths are in the drawing's coordinates. */
export type UnitPose = {
  readonly x: number;
  readonly y: number;
  readonly scaleX: number;
  readonly scaleY: number;
  /** Degrees clockwise about the center of the unit's box. */
  readonly rotation: number;
  readonly alpha: number;
  /** A standard deviation. */
  readonly blur: number;
  /** Only what lies in this box of the drawing is visible; it does not move with the unit. */
  readonly clip?: Box | undefined;
  /** Drawn instead of the unit's own text, centered in its place. */
  readonly text?: string | undefined;
};

/** A box behind a unit at rest, from its beginning on. */
export type Highlight = { readonly color: Color; readonly share: number };

/** Returns undefined for a unit that is not drawn. */
export type PoseOf = (unit: TextUnit, index: number, count: number) => UnitPose | undefined;

export type UnitOptions = {
  /** The alpha of the background, 0..1. */
  readonly background: number;
  readonly highlight?: (unit: TextUnit, index: number) => Highlight | undefined;
};

export type TextDrawing = Drawing & {
  /** The units in reading order; coarser ones if there would be more than `maxUnits`. */
  units(by: MoveUnit): readonly TextUnit[];
  /** Expects the context as `paint` does. If all units rest, it paints what `paint` paints. */
  paintUnits(context: SKRSContext2D, by: MoveUnit, poseOf: PoseOf, options: UnitOptions): void;
  /** Contains every pixel that `paintUnits` may touch. */
  unitBounds(by: MoveUnit, poseOf: PoseOf, options: UnitOptions): Box;
  /** The text while its number counts, in the box of the final text. */
  counted(count: Count): TextDrawing;
};

export function scaleTextDrawing(drawing: TextDrawing, scale: number): TextDrawing {
  if (scale === 1) return drawing;
  const scaleUnit = (unit: TextUnit): TextUnit => ({ ...unit, box: scaleBox(unit.box, scale) });
  const scaled = (poseOf: PoseOf): PoseOf => {
    return (unit, index, count) => {
      const pose = poseOf(scaleUnit(unit), index, count);
      return pose && scalePose(pose, 1 / scale);
    };
  };
  const ofScaled = ({ highlight, background }: UnitOptions): UnitOptions => ({
    background,
    ...(highlight && { highlight: (unit, index) => highlight(scaleUnit(unit), index) }),
  });
  return {
    ...scaleDrawing(drawing, scale),
    units: (by) => drawing.units(by).map(scaleUnit),
    paintUnits(context, by, poseOf, options) {
      context.scale(scale, scale);
      drawing.paintUnits(context, by, scaled(poseOf), ofScaled(options));
    },
    unitBounds: (by, poseOf, options) => scaleBox(drawing.unitBounds(by, scaled(poseOf), ofScaled(options)), scale),
    counted: (count) => scaleTextDrawing(drawing.counted(count), scale),
  };
}

const scalePose = (pose: UnitPose, scale: number): UnitPose => ({
  ...pose,
  x: pose.x * scale,
  y: pose.y * scale,
  blur: pose.blur * scale,
  clip: pose.clip && scaleBox(pose.clip, scale),
});

/** A unit with its box in the coordinates of the layout, and what it is painted with. */
export type LaidOutUnit = TextUnit & {
  readonly range: Range;
  readonly runs: readonly TextRun[];
};

/** Larger texts move by larger units: each unit is painted on its own. */
export const maxUnits = 1000;

const coarser = { letter: "word", word: "line", line: "layer" } as const;

export type UnitLayout = {
  readonly units: readonly LaidOutUnit[];
  /** The runs between the begin of one unit and the end of another one of the same line. */
  readonly runsBetween: (first: LaidOutUnit, last: LaidOutUnit) => readonly TextRun[];
};

export function layOutUnits(layout: TextLayout, by: MoveUnit): UnitLayout {
  if (by === "layer") return { units: [wholeText(layout)], runsBetween: ({ runs }) => runs };
  const ranges = layout.lines.map((line) => unitRanges(line.text, by));
  const count = ranges.reduce((sum, { length }) => sum + length, 0);
  if (count > maxUnits) return layOutUnits(layout, coarser[by]);
  const pen = createPen();
  const stretches = new Map<number, readonly Stretch[]>();
  const stretchesOfLine = (index: number) => {
    const known = stretches.get(index) ?? stretchesOf(layout.lines[index]!, pen);
    stretches.set(index, known);
    return known;
  };
  const units = ranges.flatMap((ofLine, index) => {
    const line = layout.lines[index]!;
    if (by === "line") return ofLine.map((range) => wholeLine(line, index, range));
    return ofLine.map((range, at) => {
      const next = ofLine[at + 1]?.start ?? range.end;
      return cutUnit(line, index, { ...range, next }, stretchesOfLine(index));
    });
  });
  const runsBetween = (first: LaidOutUnit, last: LaidOutUnit) => {
    const line = layout.lines[first.line]!;
    const isWhole = first.range.start === 0 && last.range.end === line.text.length;
    const range = { start: first.range.start, end: last.range.end };
    return by === "line" || isWhole ? line.runs : cutRuns(stretchesOfLine(first.line), range);
  };
  return { units, runsBetween };
}

const wholeText = ({ lines, width, height }: TextLayout): LaidOutUnit => ({
  text: lines.map(({ text }) => text).join("\n"),
  line: 0,
  box: { x: 0, y: 0, width, height },
  direction: lines[0]?.direction ?? "ltr",
  range: { start: 0, end: 0 },
  runs: lines.flatMap(({ runs }) => runs),
});

const wholeLine = ({ text, x, top, width, height, direction, runs }: TextLine, line: number, range: Range) => ({
  text,
  line,
  box: { x, y: top, width, height },
  direction,
  range,
  runs,
});

/** `next` is where the next unit begins: decorations of a unit reach over the spaces before it. */
function cutUnit(
  { text, top, height }: TextLine,
  line: number,
  { start, end, next }: Range & { readonly next: number },
  stretches: readonly Stretch[],
): LaidOutUnit {
  const inked = cutRuns(stretches, { start, end });
  const { x, width } = union(inked.map((run) => ({ x: run.left, y: 0, width: withoutSpacing(run), height: 1 })));
  const decorated = inked.some(({ style: { span } }) => span?.underline || span?.strike || span?.background);
  const runs = decorated && next > end ? cutRuns(stretches, { start, end: next }) : inked;
  const direction = inked[0]?.direction ?? "ltr";
  return {
    text: text.slice(start, end),
    line,
    box: { x, y: top, width, height },
    direction,
    range: { start, end },
    runs,
  };
}

/** The width of a run without the letter spacing at its right end, where it lies in both directions. */
function withoutSpacing({ text, direction, width, style: { letterSpacing } }: TextRun): number {
  const rightmost = direction === "ltr" ? text.slice(-2) : text.slice(0, 2);
  return cursiveScripts.test(rightmost) ? width : Math.max(0, width - letterSpacing);
}

/** The unit as others see it: its box is relative to the center of the drawing. */
export const publicUnit = ({ text, line, box, direction }: LaidOutUnit, toCenter: Point): TextUnit => ({
  text,
  line,
  box: move(box, toCenter),
  direction,
});
