import { expect, test } from "bun:test";
import { hasBoundedPictures } from "../../../../src/engine/text/fonts/probe.ts";
import { bitmapBomb } from "../../../support/media/bombs/fonts.ts";
import { pngOf } from "../../../support/media/bombs/png.ts";

test("a font is measured by the pictures of its glyphs before one is decoded", () => {
  expect(hasBoundedPictures(bitmapBomb(pngOf({ width: 1_000, height: 1_000 })))).toBe(true);
  expect(hasBoundedPictures(bitmapBomb(pngOf({ width: 7_000, height: 7_000 })))).toBe(false);
});
