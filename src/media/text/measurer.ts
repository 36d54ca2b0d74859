import { setImmediate } from "node:timers/promises";
import type { MeasuredText, TextMeasurer } from "../../domain/exports/validation/text-measurer.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import type { Box, TextContent } from "../../timeline/overlay.ts";
import { grow, isEmpty, move, rotatedBounds } from "../drawing/box.ts";
import { resolveFonts, type TextFont } from "./fonts/fonts.ts";
import { missingGlyphs } from "./missing-glyphs.ts";
import { antialiasMargin, drawText } from "./text.ts";

const maxCachedTexts = 1000;

/** Caches its results: an editor sends all texts again after a change of one of them. */
export function textMeasurer({ files }: { readonly files: FileStore }): TextMeasurer {
  const cache = new Map<string, MeasuredText>();
  return {
    async measure(content, rotationDegrees) {
      const key = JSON.stringify([content, rotationDegrees]);
      const cached = cache.get(key);
      if (cached) return cached;

      // yields to the event loop first: measuring a long text takes milliseconds
      await setImmediate();
      const fonts = await resolveFonts(content.text, content.style, ({ file }) => files.localPath(file));
      const measured = {
        ink: inkBounds(content, fonts, rotationDegrees),
        missing: await missingGlyphs(content.text, fonts),
      };
      if (cache.size >= maxCachedTexts) cache.clear();
      cache.set(key, measured);
      return measured;
    },
  };
}

/** The bounds of the glyphs and their stroke. Shadow and background box may extend beyond the frame. */
function inkBounds(content: TextContent, fonts: TextFont, rotationDegrees: number): Box | undefined {
  const style = { ...content.style, shadow: undefined, background: undefined };
  const { bounds, center } = drawText({ ...content, style }, fonts);
  const ink = grow(bounds, -antialiasMargin);
  if (isEmpty(ink)) return undefined;
  return move(rotatedBounds(ink, (rotationDegrees * Math.PI) / 180), center);
}
