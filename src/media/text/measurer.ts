import { setImmediate } from "node:timers/promises";
import type { MeasuredText, TextMeasurer } from "../../domain/exports/validation/text-measurer.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import type { Box, TextPicture } from "../../timeline/overlay.ts";
import { grow, isEmpty, move, turned } from "../drawing/box.ts";
import { fontsFor, type TextFont } from "./fonts/fonts.ts";
import { missingGlyphs } from "./missing-glyphs.ts";
import { drawText, smoothing } from "./text.ts";

/** Texts that were measured, the latest last: an editor asks again after each change of one of them. */
const mostKept = 1000;

export function textMeasurer({ files }: { readonly files: FileStore }): TextMeasurer {
  const kept = new Map<string, MeasuredText>();
  return {
    async measure(picture, rotationDegrees) {
      const looks = JSON.stringify([picture, rotationDegrees]);
      const known = kept.get(looks);
      if (known) return known;

      // a long text takes milliseconds: others have their turn between two
      await setImmediate();
      const fonts = await fontsFor(picture.text, picture.style, ({ file }) => files.localPath(file));
      const measured = {
        ink: inkOf(picture, fonts, rotationDegrees),
        missing: await missingGlyphs(picture.text, fonts),
      };
      if (kept.size >= mostKept) kept.clear();
      kept.set(looks, measured);
      return measured;
    },
  };
}

/** Without shadow and box, which may well reach beyond the frame. */
function inkOf(picture: TextPicture, fonts: TextFont, rotationDegrees: number): Box | undefined {
  const style = { ...picture.style, shadow: undefined, background: undefined };
  const { bounds, center } = drawText({ ...picture, style }, fonts);
  const ink = grow(bounds, -smoothing);
  if (isEmpty(ink)) return undefined;
  return move(turned(ink, (rotationDegrees * Math.PI) / 180), center);
}
