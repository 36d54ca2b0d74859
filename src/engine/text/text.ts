import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Color } from "../../platform/colors.ts";
import { type Box, grow, move, scaleBox, union } from "../drawing/box.ts";
import { type Drawing, scaleDrawing } from "../drawing/drawing.ts";
import { paintLayer, type Shadow } from "../drawing/layer.ts";
import type { TextContent, TextStyle } from "../timeline/overlay.ts";
import { paintAiIcon } from "./ai-icon.ts";
import { balanced, centerInBox, fitFactor, shrunk } from "./fit.ts";
import type { TextFont } from "./fonts/fonts.ts";
import { applyFonts, layOutText, type TextLayout } from "./layout.ts";

type LaidOutText = { readonly layout: TextLayout; readonly style: TextStyle; readonly fonts: TextFont };

export function drawText(content: TextContent, fonts: TextFont): Drawing {
  const { text, style: given, anchor, scale = 1 } = content;
  const factor = fitFactor(text, given, fonts);
  const style = balanced(text, shrunk(given, factor), fonts);
  const layout = layOutText(text, style, fonts);
  const middle = { x: layout.width / 2, y: layout.height / 2 };
  const toCenter = { x: -middle.x, y: -middle.y };
  const box = move(backgroundBox(layout, style), toCenter);
  const corner = { x: anchor.x + middle.x * scale, y: anchor.y + middle.y * scale };
  const ownCenter = anchor.at === "center" ? anchor : corner;
  const drawing: Drawing = {
    center: given.maxHeight === undefined ? ownCenter : centerInBox(content, scaleBox(box, scale * factor)),
    box,
    bounds: move(paintedBounds(layout, style), toCenter),
    shadowReach: style.shadow ? reachOf(style.shadow) : 0,
    paint(context) {
      context.translate(toCenter.x, toCenter.y);
      paintBackground(context, layout, style);
      paintLayer(context, { shadow: style.shadow }, (ink) => paintInk(ink, { layout, style, fonts }));
    },
  };
  return scaleDrawing(drawing, scale * factor);
}

/** The canvas blurs with a standard deviation of `blur / 2`; nothing visible is left at three deviations. */
const blurExtent = ({ blur }: Shadow) => Math.ceil(blur * 1.5);

const reachOf = (shadow: Shadow) => Math.hypot(shadow.offsetX, shadow.offsetY) + blurExtent(shadow);

/** The extension of glyph edges by antialiasing and hinting, in pixels. */
export const antialiasMargin = 2;

function paintedBounds(layout: TextLayout, style: TextStyle): Box {
  const { stroke, shadow, background } = style;
  const ink = grow(layout.glyphBounds, antialiasMargin + (stroke?.width ?? 0));
  const shadowBox = shadow && grow(move(ink, { x: shadow.offsetX, y: shadow.offsetY }), blurExtent(shadow));
  const behind = background && backgroundBox(layout, style);
  return union([ink, shadowBox, behind].filter((box) => box !== undefined));
}

/** The layout box with padding, and with an icon on the side on which the text begins. */
function backgroundBox(layout: TextLayout, { background, icon }: Pick<TextStyle, "background" | "icon">): Box {
  const { width, height } = layout;
  const padding = background?.padding ?? 0;
  const box = grow({ x: 0, y: 0, width, height }, padding);
  if (!icon) return box;
  const room = icon.size + padding;
  const above = Math.max(0, (icon.size - height) / 2);
  const x = isFromTheRight(layout) ? box.x : box.x - room;
  return { x, y: box.y - above, width: box.width + room, height: box.height + 2 * above };
}

const isFromTheRight = ({ lines }: TextLayout): boolean => lines[0]?.direction === "rtl";

function paintBackground(context: SKRSContext2D, layout: TextLayout, style: TextStyle): void {
  const { background, icon } = style;
  if (!background) return;
  const { x, y, width, height } = backgroundBox(layout, style);
  context.globalAlpha = background.color.alpha;
  context.fillStyle = opaqueRgb(background.color);
  context.beginPath();
  context.roundRect(x, y, width, height, background.radius);
  context.fill();
  context.globalAlpha = 1;
  if (!icon) return;
  const inset = background.padding + icon.size / 2;
  const center = { x: isFromTheRight(layout) ? x + width - inset : x + inset, y: y + height / 2 };
  const [color, letters] = [opaqueRgb(icon.color), opaqueRgb(icon.letters)];
  paintAiIcon(context, { size: icon.size, color, letters }, center);
}

/** Paints the stroke, and the glyphs over it, each opaque on a layer with its alpha: adjacent letters overlap. */
function paintInk(context: SKRSContext2D, laidOut: LaidOutText): void {
  const { fontColor, stroke } = laidOut.style;
  // the canvas strokes a width of 0 as 1 px
  if (stroke && stroke.width > 0) {
    paintLayer(context, { alpha: stroke.color.alpha }, (outline) => {
      paintStroke(outline, laidOut, stroke);
      // the stroke inside the glyphs would show through a translucent fill
      if (fontColor.alpha < 1) eraseGlyphs(outline, laidOut);
    });
  }
  paintLayer(context, { alpha: fontColor.alpha }, (glyphs) => fillGlyphs(glyphs, laidOut));
}

function fillGlyphs(context: SKRSContext2D, { layout, style, fonts }: LaidOutText): void {
  applyFonts(context, style, fonts);
  context.fillStyle = opaqueRgb(style.fontColor);
  for (const { text, direction, x, baseline } of layout.lines) {
    context.direction = direction;
    context.fillText(text, x, baseline);
  }
}

function eraseGlyphs(context: SKRSContext2D, laidOut: LaidOutText): void {
  context.globalCompositeOperation = "destination-out";
  fillGlyphs(context, laidOut);
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

function paintStroke(context: SKRSContext2D, { layout, style, fonts }: LaidOutText, stroke: Stroke): void {
  applyFonts(context, style, fonts);
  applyStroke(context, stroke);
  for (const { text, direction, x, baseline } of layout.lines) {
    context.direction = direction;
    context.strokeText(text, x, baseline);
  }
}

export const opaqueRgb = ({ red, green, blue }: Color): string => `rgb(${red}, ${green}, ${blue})`;
