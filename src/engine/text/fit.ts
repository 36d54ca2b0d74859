import { createCanvas } from "@napi-rs/canvas";
import type { Point } from "../drawing/box.ts";
import type { TextContent, TextStyle } from "../timeline/overlay.ts";
import { largest, widestPiece } from "./even-lines.ts";
import type { TextFont } from "./fonts/fonts.ts";
import { applyFonts, layOutText } from "./layout.ts";

type Size = { readonly width: number; readonly height: number };

/** If a text would shrink below this share of its size, its long words are broken instead. */
const smallestWithWholeWords = 0.32;
const smallest = 0.02;

/** The factor, 1 at most, by which a text must shrink to fit into the height of its style. */
export function fitFactor(text: string, style: TextStyle, fonts: TextFont): number {
  const { maxHeight, maxWidth = Number.POSITIVE_INFINITY } = style;
  if (maxHeight === undefined) return 1;
  const height = (factor: number) => layOutText(text, shrunk(style, factor), fonts).height * factor;
  const word = widestWord(text, style, fonts);
  const fitsInLines = (factor: number) => height(factor) <= maxHeight + 0.01;
  const fitsWhole = (factor: number) => word * factor <= maxWidth + 0.01 && fitsInLines(factor);
  if (fitsWhole(1)) return 1;
  if (fitsWhole(smallestWithWholeWords)) return largest(fitsWhole, smallestWithWholeWords, 1);
  return fitsInLines(1) ? 1 : largest(fitsInLines, smallest, 1);
}

/** The style whose layout, reduced by the factor, has the width of the given one. */
export const shrunk = (style: TextStyle, factor: number): TextStyle =>
  factor === 1 || style.maxWidth === undefined ? style : { ...style, maxWidth: style.maxWidth / factor };

/** The style with the narrowest lines of the same total height: its lines have about the same length. */
export function balanced(text: string, style: TextStyle, fonts: TextFont): TextStyle {
  const { maxWidth, maxHeight } = style;
  if (maxHeight === undefined || maxWidth === undefined) return style;
  const { height } = layOutText(text, style, fonts);
  const low = Math.min(1, widestWord(text, style, fonts) / maxWidth);
  const isAsLow = (share: number) => layOutText(text, { ...style, maxWidth: maxWidth * share }, fonts).height <= height;
  const share = isAsLow(low) ? low : 1 - largest((cut) => isAsLow(1 - cut), 0, 1 - low);
  return { ...style, maxWidth: maxWidth * share };
}

/** The width of the widest part of a text in which no line may break. */
function widestWord(text: string, style: TextStyle, fonts: TextFont): number {
  const context = createCanvas(1, 1).getContext("2d");
  applyFonts(context, style, fonts);
  return widestPiece(text, (piece) => context.measureText(piece).width);
}

const share = { left: 0, center: 0.5, right: 1, top: 0, middle: 0.5, bottom: 1 };

/** The center of a drawn text in the box given by its style's limits and its background's padding. */
export function centerInBox({ anchor, style, scale = 1 }: TextContent, drawn: Size): Point {
  const { maxHeight = 0, maxWidth = 0, align, verticalAlign = "middle", background } = style;
  const padding = background?.padding ?? 0;
  const width = (maxWidth + 2 * padding) * scale;
  const height = (maxHeight + 2 * padding) * scale;
  const center = anchor.at === "center" ? anchor : { x: anchor.x + width / 2, y: anchor.y + height / 2 };
  return {
    x: center.x + (share[align] - 0.5) * (width - drawn.width),
    y: center.y + (share[verticalAlign] - 0.5) * (height - drawn.height),
  };
}
