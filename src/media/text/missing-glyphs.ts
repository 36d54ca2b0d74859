import { createCanvas } from "@napi-rs/canvas";
import { LRUCache } from "lru-cache";
import type { TextFont } from "./fonts/fonts.ts";
import { applyFonts } from "./layout.ts";

/** Characters without a glyph of their own: blank, or a modifier of the character before them. */
const invisible = /^[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]$/u;

/** The bundled fonts, which are fallbacks of every font, have all of these. */
const printableAscii = /^[ -~]$/;

/** A noncharacter, which no font maps. */
const unmapped = "\u{10FFFE}";

const canvasSide = 48;
const context = createCanvas(canvasSide, canvasSide).getContext("2d");

/** Whether each character is missing, by fonts. */
const cache = new LRUCache<string, Map<string, boolean>>({ max: 100 });
const maxCachedCharacters = 20_000;

/** The characters of a text for which every font, system fonts included, draws its missing-glyph sign. */
export function missingGlyphs(text: string, fonts: TextFont): readonly string[] {
  const isMissing = cacheFor(fonts);
  for (const character of new Set(text)) {
    if (printableAscii.test(character) || invisible.test(character) || isMissing.has(character)) continue;
    isMissing.set(character, pixelsOf(character, fonts) === pixelsOf(unmapped, fonts));
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
