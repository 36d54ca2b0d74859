import type { Canvas as Bitmap, SKRSContext2D } from "@napi-rs/canvas";
import type { Color } from "../../platform/colors.ts";
import { newCanvas } from "../drawing/new-canvas.ts";
import type { TextFont } from "../text/fonts/fonts.ts";
import { applyFonts } from "../text/layout.ts";
import { applyStroke, opaqueRgb } from "../text/text.ts";
import type { CaptionLayout, PlacedLine } from "./layout.ts";

/** A bitmap of the page's size with one whole line, opaque; its alpha applies when it is painted. */
export type Layer = { readonly bitmap: Bitmap; readonly alpha: number };

/** A line in each paint of its words: it is shaped as a whole, so any word can be copied from it. */
export type LineLayers = {
  readonly line: PlacedLine;
  /** The outlines of the first words of the line. In a line of two directions, the outlines of all words. */
  strokeOf(words: number): Layer | undefined;
  readonly plain: Layer;
  readonly active: Layer;
};

export function drawLayers(layout: CaptionLayout, fonts: TextFont): readonly LineLayers[] {
  const { look } = layout;
  return layout.lines.map((line) => {
    const plain = drawLine(layout, line, fonts, look.color);
    const isSame = JSON.stringify(look.color) === JSON.stringify(look.activeColor);
    const active = isSame ? plain : drawLine(layout, line, fonts, look.activeColor);
    const strokes = new Map<number, Layer | undefined>();
    const strokeOf = (words: number) => {
      const count = line.isForward ? words : line.prefixes.length;
      const stroke = strokes.has(count) ? strokes.get(count) : drawStroke(layout, line, fonts, count);
      strokes.set(count, stroke);
      return stroke;
    };
    return { line, strokeOf, plain, active };
  });
}

function drawLine(layout: CaptionLayout, line: PlacedLine, fonts: TextFont, color: Color): Layer {
  const context = contextFor(layout, line, fonts);
  context.fillStyle = opaqueRgb(color);
  context.fillText(line.text, line.x, line.baseline);
  return { bitmap: context.canvas, alpha: color.alpha };
}

function drawStroke(layout: CaptionLayout, line: PlacedLine, fonts: TextFont, words: number): Layer | undefined {
  const { stroke, color, activeColor } = layout.look;
  const text = line.prefixes[words - 1];
  // the canvas strokes a width of 0 as 1 px
  if (!stroke || stroke.width <= 0 || text === undefined) return undefined;
  const context = contextFor(layout, line, fonts);
  applyStroke(context, stroke);
  context.strokeText(text, line.x, line.baseline);
  // the stroke inside the glyphs would show through a translucent fill
  if (color.alpha < 1 || activeColor.alpha < 1) {
    context.globalCompositeOperation = "destination-out";
    context.fillText(text, line.x, line.baseline);
  }
  return { bitmap: context.canvas, alpha: stroke.color.alpha };
}

function contextFor({ box, look }: CaptionLayout, { direction }: PlacedLine, fonts: TextFont): SKRSContext2D {
  const context = newCanvas(box.width, box.height).getContext("2d");
  applyFonts(context, { fontSize: look.fontSize, letterSpacing: 0 }, fonts);
  context.direction = direction;
  return context;
}
