import type { MeasuredText } from "../../domain/exports/validation/text-measurer.ts";
import type { Box, TextContent } from "../../timeline/overlay.ts";
import type { Source } from "../../timeline/source.ts";
import { grow, isEmpty, move, rotatedBounds } from "../drawing/box.ts";
import { resolveFonts, type TextFont } from "./fonts/fonts.ts";
import { missingGlyphs } from "./missing-glyphs.ts";
import { antialiasMargin, drawText } from "./text.ts";

/** Lays out a text without drawing it. Throws font_unusable. */
export async function measureText(
  content: TextContent,
  rotationDegrees: number,
  localPathOf: (font: Source) => Promise<string>,
): Promise<MeasuredText> {
  const fonts = await resolveFonts(content.text, content.style, localPathOf);
  return { ink: inkBounds(content, fonts, rotationDegrees), missing: missingGlyphs(content.text, fonts) };
}

/** The bounds of the glyphs and their stroke. Shadow and background box may extend beyond the frame, unless it has an icon. */
function inkBounds(content: TextContent, fonts: TextFont, rotationDegrees: number): Box | undefined {
  const { background, icon } = content.style;
  const style = { ...content.style, shadow: undefined, background: icon && background };
  const { bounds, center } = drawText({ ...content, style }, fonts);
  const ink = grow(bounds, -antialiasMargin);
  if (isEmpty(ink)) return undefined;
  return move(rotatedBounds(ink, (rotationDegrees * Math.PI) / 180), center);
}
