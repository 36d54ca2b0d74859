import type { SKRSContext2D } from "@napi-rs/canvas";
import { type Box, grow, type Point } from "../../../engine/drawing/box.ts";
import { renderDrawing } from "../../../engine/drawing/drawing.ts";
import { drawText } from "../../../engine/text/text.ts";
import type { Color } from "../../../platform/colors.ts";
import { type FittedText, fitCaption, fitLabel } from "./caption-fit.ts";
import type { CaptionText } from "./caption-text.ts";
import { black, type ColorScheme, contrast, toCss, white } from "./color-schemes.ts";
import type { FrameLayout } from "./layout.ts";

/** WCAG AA for normal text. */
const minContrast = 4.5;

/** Paints bar, label and caption into the layout's caption area, in the most readable color. */
export async function paintCaption(
  context: SKRSContext2D,
  frame: FrameLayout,
  scheme: ColorScheme,
  { label, caption }: CaptionText,
): Promise<void> {
  const fitted = caption === "" ? undefined : await fitCaption(caption, frame, label !== "");
  if (!fitted) return;
  const { fontSize } = fitted.style;
  const isRightToLeft = fitted.layout.lines[0]?.direction === "rtl";
  const fittedLabel = label === "" ? undefined : await fitLabel(label, fontSize);
  const leftOf = (width: number) => (isRightToLeft ? frame.width - frame.caption.x - width : frame.caption.x);

  const barHeight = Math.max(1, Math.round(fontSize * 0.16));
  const labelTop = frame.caption.y + barHeight * 4.5;
  const top = labelTop + (fittedLabel ? fittedLabel.layout.height + barHeight * 1.5 : 0);
  const { width, height } = fitted.layout;
  const area = grow({ x: leftOf(width), y: labelTop, width, height: top + height - labelTop }, fontSize * 0.35);
  const ink = findInk(context, area, scheme) ?? paintCard(context, area, scheme, fontSize);
  context.fillStyle = toCss(ink);
  context.fillRect(leftOf(fontSize * 1.6), frame.caption.y, fontSize * 1.6, barHeight);
  if (fittedLabel) paintText(context, { x: leftOf(fittedLabel.layout.width), y: labelTop }, fittedLabel, ink);
  const align = isRightToLeft ? "right" : "left";
  paintText(context, { x: leftOf(width), y: top }, { ...fitted, style: { ...fitted.style, align } }, ink);
}

function paintText(
  context: SKRSContext2D,
  { x, y }: Point,
  { text, style, fonts }: FittedText,
  fontColor: Color,
): void {
  const anchor = { at: "top_left" as const, x, y };
  const drawing = drawText({ kind: "text", text, style: { ...style, fontColor }, anchor }, fonts);
  const { width, height } = context.canvas;
  const rendered = renderDrawing(drawing, 0, { x: 0, y: 0, width, height });
  if (rendered) context.drawImage(rendered.bitmap, rendered.box.x, rendered.box.y);
}

/** The first color that is readable on the whole area; undefined if there is none. */
function findInk(context: SKRSContext2D, area: Box, { light, dark }: ColorScheme): Color | undefined {
  const background = sampleColors(context, area);
  const worstContrast = (ink: Color) => Math.min(...background.map((color) => contrast(ink, color)));
  const inks = [light, dark].sort((a, b) => worstContrast(b) - worstContrast(a));
  return [...inks, white, black].find((ink) => worstContrast(ink) >= minContrast);
}

/** Samples a grid of 24 × 24 points: enough, because the shapes are large and smooth. */
function sampleColors(context: SKRSContext2D, area: Box): readonly Color[] {
  const { canvas } = context;
  const x = Math.max(0, Math.floor(area.x));
  const y = Math.max(0, Math.floor(area.y));
  const width = Math.max(1, Math.min(canvas.width - x, Math.ceil(area.width)));
  const height = Math.max(1, Math.min(canvas.height - y, Math.ceil(area.height)));
  const { data } = context.getImageData(x, y, width, height);
  const count = 24;
  return Array.from({ length: count * count }, (_, index) => {
    const column = Math.floor(((index % count) * (width - 1)) / (count - 1));
    const row = Math.floor((Math.floor(index / count) * (height - 1)) / (count - 1));
    const at = 4 * (row * width + column);
    return { red: data[at]!, green: data[at + 1]!, blue: data[at + 2]!, alpha: 1 };
  });
}

/** Paints a plain background behind the text and returns the ink for it. */
function paintCard(context: SKRSContext2D, area: Box, { dark, light }: ColorScheme, fontSize: number): Color {
  context.fillStyle = toCss(dark);
  context.beginPath();
  context.roundRect(area.x, area.y, area.width, area.height, fontSize * 0.3);
  context.fill();
  return contrast(light, dark) >= minContrast ? light : white;
}
