import { createCanvas } from "@napi-rs/canvas";
import { type Box, grow, intersect, snapOutward } from "../drawing/box.ts";
import type { TextFont } from "../text/fonts/fonts.ts";
import { applyFonts, baseDirection, baselineShift } from "../text/layout.ts";
import type { CaptionContent, CaptionTextStyle } from "../timeline/overlay.ts";
import type { Canvas } from "../timeline/timeline.ts";
import { type LineLayout, layOutWords } from "./line.ts";

/** Positions are in pixels of the bitmap. */
export type PlacedLine = LineLayout & {
  readonly x: number;
  readonly top: number;
  readonly baseline: number;
  /** The index of its first word on the page. */
  readonly firstWord: number;
};

export type CaptionLayout = {
  /** The position of the bitmap on the canvas; its sides are even. */
  readonly box: Box;
  /** The style at the size at which the lines fit. */
  readonly look: CaptionTextStyle;
  readonly lineHeight: number;
  readonly lines: readonly PlacedLine[];
};

/** The margin around the lines, as a share of the font size: glyphs of some fonts, and growing words, exceed them. */
const marginShare = 0.4;

export function layOutCaption(content: CaptionContent, fonts: TextFont, canvas: Canvas): CaptionLayout {
  const measured = fitLines(content, fonts);
  const { look, lines, lineHeight } = measured;
  const shift = baselineShift(createCanvas(1, 1).getContext("2d"), fonts) * look.fontSize;
  const border = borderOf(look);
  const height = lines.length * lineHeight;
  const top = Math.round(topOf(content, height + 2 * border) + border);
  const width = Math.max(...lines.map((line) => line.width));
  const center = content.box.x + content.box.width / 2;
  const reach = border + marginShare * look.fontSize;
  const painted = grow({ x: center - width / 2, y: top, width, height }, reach);
  const box = intersect(snapOutward(painted, 2), { x: 0, y: 0, ...canvas });
  let firstWord = 0;
  const placed = lines.map((line, index): PlacedLine => {
    const lineTop = top - box.y + index * lineHeight;
    const first = firstWord;
    firstWord += content.lines[index]!.length;
    const x = Math.round(center - line.width / 2) - box.x;
    return { ...line, x, top: lineTop, baseline: Math.round(lineTop + (lineHeight + shift) / 2), firstWord: first };
  });
  return { box, look, lineHeight, lines: placed };
}

/** The lines at the requested size, or at a smaller one at which they fit. */
function fitLines(content: CaptionContent, fonts: TextFont) {
  const full = measureLines(content, content.look, fonts);
  const border = 2 * borderOf(content.look);
  const width = Math.max(1, ...full.lines.map((line) => line.width)) + border;
  const height = full.lines.length * full.lineHeight + border;
  const scale = Math.min(1, content.box.width / width, content.box.height / height);
  return scale < 1 ? measureLines(content, scaleStyle(content.look, scale), fonts) : full;
}

function measureLines({ lines }: CaptionContent, look: CaptionTextStyle, fonts: TextFont) {
  const context = createCanvas(1, 1).getContext("2d");
  applyFonts(context, { fontSize: look.fontSize, letterSpacing: 0 }, fonts);
  const direction = baseDirection(lines.map((line) => line.map(({ text }) => text).join(" ")).join(" "));
  return {
    look,
    lineHeight: look.fontSize * look.lineHeight,
    lines: lines.map((words) => layOutWords(words, direction, context)),
  };
}

/** The width of the border around the lines. */
const borderOf = ({ background, stroke }: CaptionTextStyle): number => background?.padding ?? stroke?.width ?? 0;

function topOf({ box, edge }: CaptionContent, height: number): number {
  if (edge === "top") return box.y;
  const bottom = box.y + box.height - height;
  return edge === "bottom" ? bottom : Math.max(box.y, Math.min(bottom, edge.centerY - height / 2));
}

function scaleStyle(look: CaptionTextStyle, by: number): CaptionTextStyle {
  const scaleBox = <B extends CaptionTextStyle["background"]>(box: B) =>
    box && { ...box, padding: box.padding * by, radius: box.radius * by };
  return {
    ...look,
    fontSize: look.fontSize * by,
    stroke: look.stroke && { ...look.stroke, width: look.stroke.width * by },
    background: scaleBox(look.background),
    activeBackground: scaleBox(look.activeBackground),
  };
}
