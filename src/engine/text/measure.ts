import { createCanvas } from "@napi-rs/canvas";
import { LRUCache } from "lru-cache";
import { grow, isEmpty, move, rotatedBounds } from "../drawing/box.ts";
import type { MeasuredText } from "../ports.ts";
import type { Box, TextContent } from "../timeline/overlay.ts";
import type { Source } from "../timeline/source.ts";
import { paddingOf } from "./fit.ts";
import { resolveTextFonts, type TextFont, type TextFonts } from "./fonts/fonts.ts";
import { applyFonts } from "./layout.ts";
import { antialiasMargin, drawText } from "./text.ts";

/** Lays out a text without drawing it. Throws font_unusable. */
export async function measureText(
  content: TextContent,
  rotationDegrees: number,
  localPathOf: (font: Source) => Promise<string>,
): Promise<MeasuredText> {
  const fonts = await resolveTextFonts(content, localPathOf);
  return { ink: inkBounds(content, fonts, rotationDegrees), missing: missingGlyphs(content.text, fonts) };
}

/** The bounds of the glyphs and their stroke. Shadow and background box may leave the frame, unless it has an icon. */
function inkBounds(content: TextContent, fonts: TextFonts, rotationDegrees: number): Box | undefined {
  const { background, icon } = content.style;
  const style = { ...content.style, shadow: undefined, background: icon && background };
  const spans = content.spans?.map(({ background: _, ...span }) => span);
  const { bounds, center } = drawText({ ...content, style, ...(spans && { spans }) }, fonts);
  const ink = grow(bounds, -antialiasMargin);
  if (isEmpty(ink)) return undefined;
  const padding = isPaddedCorner(content) ? paddingOf(content.style) : { x: 0, y: 0 };
  const { scale = 1 } = content;
  const at = { x: center.x + padding.x * scale, y: center.y + padding.y * scale };
  return move(rotatedBounds(ink, (rotationDegrees * Math.PI) / 180), at);
}

/** True if the padding of a background that is not measured lies between the anchor and the text. */
const isPaddedCorner = ({ anchor, style }: TextContent): boolean =>
  anchor.at === "top_left" && style.maxHeight !== undefined && !style.icon;

/** Characters that need no glyph: blank, or a modifier of the character before them. */
const invisible = /^[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]$/u;

/** The bundled fonts, which are fallbacks of every font, contain all of these. */
const printableAscii = /^[ -~]$/;

/** Stands for a letter lost by reading a file in the wrong encoding: fonts contain it, but it is never intended. */
const undecoded = "\ufffd";

/** A noncharacter, which no font maps. */
const unmapped = "\u{10FFFE}";

const canvasSide = 48;
const context = createCanvas(canvasSide, canvasSide).getContext("2d");

/** True for missing characters, by font list. */
const cache = new LRUCache<string, Map<string, boolean>>({ max: 100 });
const maxCachedCharacters = 20_000;

/** The characters of a text for which every font, system fonts included, draws its missing-glyph sign. */
function missingGlyphs(text: string, fonts: TextFont): readonly string[] {
  const isMissing = cacheFor(fonts);
  for (const character of new Set(text)) {
    if (printableAscii.test(character) || invisible.test(character) || isMissing.has(character)) continue;
    isMissing.set(character, character === undecoded || pixelsOf(character, fonts) === pixelsOf(unmapped, fonts));
  }
  const missing = [...new Set(text)].filter((character) => isMissing.get(character));
  if (isMissing.size > maxCachedCharacters) isMissing.clear();
  return missing;
}

function cacheFor(fonts: TextFont): Map<string, boolean> {
  const key = JSON.stringify(fonts);
  const isMissing = cache.get(key) ?? new Map<string, boolean>();
  cache.set(key, isMissing);
  return isMissing;
}

function pixelsOf(character: string, fonts: TextFont): string {
  context.clearRect(0, 0, canvasSide, canvasSide);
  applyFonts(context, { fontSize: canvasSide / 2, letterSpacing: 0 }, fonts);
  context.direction = "ltr";
  context.fillText(character, canvasSide / 4, (canvasSide * 2) / 3);
  return context.canvas.data().toString("latin1");
}
