import type { SKRSContext2D } from "@napi-rs/canvas";
import type { Color, TextPicture, TextStyle } from "../../timeline/overlay.ts";
import { type Box, grow, move, union } from "../drawing/box.ts";
import { type Drawing, enlarged } from "../drawing/drawing.ts";
import { paintLayer, type Shadow } from "../drawing/layer.ts";
import type { TextFont } from "./fonts/fonts.ts";
import { applyFonts, layOut, type TextLayout } from "./layout.ts";

type LaidOutText = { readonly layout: TextLayout; readonly style: TextStyle; readonly fonts: TextFont };

/** A text as a drawing. */
export function drawText({ text, style, anchor, scale = 1 }: TextPicture, fonts: TextFont): Drawing {
  const layout = layOut(text, style, fonts);
  const middle = { x: layout.width / 2, y: layout.height / 2 };
  const behind = backgroundBox(layout, style.background?.padding ?? 0);
  const drawing: Drawing = {
    center: anchor.at === "center" ? anchor : { x: anchor.x + middle.x * scale, y: anchor.y + middle.y * scale },
    box: move(behind, { x: -middle.x, y: -middle.y }),
    bounds: move(boundsOf(layout, style), { x: -middle.x, y: -middle.y }),
    reach: style.shadow ? reachOf(style.shadow) : 0,
    paint(context) {
      context.translate(-middle.x, -middle.y);
      paintBackground(context, layout, style);
      paintLayer(context, { shadow: style.shadow }, (ink) => paintInk(ink, { layout, style, fonts }));
    },
  };
  return enlarged(drawing, scale);
}

// the canvas blurs with a deviation of half of this, and nothing is left at three deviations
const blurredBy = ({ blur }: Shadow) => Math.ceil(blur * 1.5);

const reachOf = (shadow: Shadow) => Math.hypot(shadow.offsetX, shadow.offsetY) + blurredBy(shadow);

/** In pixels: edges are smoothed, and hinting moves them. */
export const smoothing = 2;

function boundsOf(layout: TextLayout, { stroke, shadow, background }: TextStyle): Box {
  const ink = grow(layout.glyphs, smoothing + (stroke?.width ?? 0));
  const fallen = shadow && grow(move(ink, { x: shadow.offsetX, y: shadow.offsetY }), blurredBy(shadow));
  const behind = background && backgroundBox(layout, background.padding);
  return union([ink, fallen, behind].filter((box) => box !== undefined));
}

const backgroundBox = ({ width, height }: TextLayout, padding: number): Box =>
  grow({ x: 0, y: 0, width, height }, padding);

function paintBackground(context: SKRSContext2D, layout: TextLayout, { background }: TextStyle): void {
  if (!background) return;
  const { x, y, width, height } = backgroundBox(layout, background.padding);
  context.globalAlpha = background.color.alpha;
  context.fillStyle = opaque(background.color);
  context.beginPath();
  context.roundRect(x, y, width, height, background.radius);
  context.fill();
  context.globalAlpha = 1;
}

/**
 * The glyphs over their stroke. Each is painted opaque on a layer of its own that is then made translucent
 * as a whole, for letters overlap their neighbours.
 */
function paintInk(context: SKRSContext2D, laidOut: LaidOutText): void {
  const { fontColor, stroke } = laidOut.style;
  // the canvas would take a width of nothing for one of a pixel
  if (stroke && stroke.width > 0) {
    paintLayer(context, { alpha: stroke.color.alpha }, (outline) => {
      paintStroke(outline, laidOut, stroke);
      // what lies inside the glyphs would show through them
      if (fontColor.alpha < 1) cutGlyphs(outline, laidOut);
    });
  }
  paintLayer(context, { alpha: fontColor.alpha }, (glyphs) => fillGlyphs(glyphs, laidOut));
}

function fillGlyphs(context: SKRSContext2D, { layout, style, fonts }: LaidOutText): void {
  applyFonts(context, style, fonts);
  context.fillStyle = opaque(style.fontColor);
  for (const { text, direction, x, baseline } of layout.lines) {
    context.direction = direction;
    context.fillText(text, x, baseline);
  }
}

function cutGlyphs(context: SKRSContext2D, laidOut: LaidOutText): void {
  context.globalCompositeOperation = "destination-out";
  fillGlyphs(context, laidOut);
}

/** A stroke lies half inside the outline and half outside: twice the width leaves all of it outside. */
function paintStroke(
  context: SKRSContext2D,
  { layout, style, fonts }: LaidOutText,
  { color, width }: NonNullable<TextStyle["stroke"]>,
): void {
  applyFonts(context, style, fonts);
  context.strokeStyle = opaque(color);
  context.lineWidth = 2 * width;
  context.lineJoin = "round";
  // in pieces: along a tight curve the canvas leaves holes in one long line
  context.lineCap = "round";
  context.setLineDash([Math.max(4, width / 2), 0.001]);
  for (const { text, direction, x, baseline } of layout.lines) {
    context.direction = direction;
    context.strokeText(text, x, baseline);
  }
}

const opaque = ({ red, green, blue }: Color): string => `rgb(${red}, ${green}, ${blue})`;
