import type { SKRSContext2D } from "@napi-rs/canvas";
import { type Box, grow, union } from "../drawing/box.ts";
import { paintPatch } from "../drawing/patch.ts";
import type { TextStyle } from "../timeline/overlay.ts";
import { paintAiIcon } from "./ai-icon.ts";
import { paddingOf } from "./fit.ts";
import { antialiasMargin, type LaidOutText, opaqueRgb } from "./ink.ts";
import type { TextLayout, TextLine } from "./layout.ts";

/** The layout box with padding, and with an icon on the side on which the text begins. */
export function backgroundBox(layout: TextLayout, style: Pick<TextStyle, "background" | "icon">): Box {
  const { width, height } = layout;
  const { icon } = style;
  const padding = paddingOf(style);
  const box = pad({ x: 0, y: 0, width, height }, style);
  if (!icon) return box;
  const room = icon.size + padding.x;
  const above = Math.max(0, (icon.size - height) / 2);
  const x = isFromTheRight(layout) ? box.x : box.x - room;
  return { x, y: box.y - above, width: box.width + room, height: box.height + 2 * above };
}

function pad({ x, y, width, height }: Box, style: Pick<TextStyle, "background">): Box {
  const padding = paddingOf(style);
  return {
    x: x - padding.x,
    y: y - padding.y,
    width: Math.max(0, x + width + padding.x - (x - padding.x)),
    height: Math.max(0, y + height + padding.y - (y - padding.y)),
  };
}

const isFromTheRight = ({ lines }: TextLayout): boolean => lines[0]?.direction === "rtl";

export function paintBackground(context: SKRSContext2D, { layout, style }: LaidOutText): void {
  const { background, icon, backgroundBy } = style;
  if (!background) return;
  if (backgroundBy === "line" && !icon) {
    paintLineBoxes(context, layout.lines, style);
    return;
  }
  const { x, y, width, height } = backgroundBox(layout, style);
  context.globalAlpha = background.color.alpha;
  context.fillStyle = opaqueRgb(background.color);
  context.beginPath();
  context.roundRect(x, y, width, height, background.radius);
  context.fill();
  context.globalAlpha = 1;
  if (!icon) return;
  const inset = paddingOf(style).x + icon.size / 2;
  const center = { x: isFromTheRight(layout) ? x + width - inset : x + inset, y: y + height / 2 };
  const [color, letters] = [opaqueRgb(icon.color), opaqueRgb(icon.letters)];
  paintAiIcon(context, { size: icon.size, color, letters }, center);
}

/** Paints the boxes as one, because those of adjacent lines overlap. */
function paintLineBoxes(context: SKRSContext2D, lines: readonly TextLine[], style: TextStyle): void {
  const { background } = style;
  if (!background) return;
  const boxes = lines.filter(({ text }) => text.trim() !== "").map((line) => pad(boxOf(line), style));
  paintPatch(context, grow(union(boxes), antialiasMargin), { alpha: background.color.alpha }, (patch) => {
    patch.fillStyle = opaqueRgb(background.color);
    for (const { x, y, width, height } of boxes) {
      patch.beginPath();
      patch.roundRect(x, y, width, height, background.radius);
      patch.fill();
    }
  });
}

const boxOf = ({ x, top, width, height }: TextLine): Box => ({ x, y: top, width, height });

/** Paints the background with another alpha, as a whole: its icon lies on it. */
export function paintFadedBackground(context: SKRSContext2D, laidOut: LaidOutText, alpha: number): void {
  if (alpha <= 0) return;
  if (alpha >= 1) {
    paintBackground(context, laidOut);
    return;
  }
  const area = grow(backgroundBox(laidOut.layout, laidOut.style), antialiasMargin);
  paintPatch(context, area, { alpha }, (patch) => paintBackground(patch, laidOut));
}
