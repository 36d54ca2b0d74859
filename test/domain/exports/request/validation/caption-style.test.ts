import { expect, test } from "bun:test";
import {
  captionStyleWarnings,
  captionsOutsideSafeZone,
} from "../../../../../src/domain/exports/request/validation/caption-style.ts";
import { ignoreErrors } from "../../../../../src/domain/exports/request/validation/find-warnings.ts";
import { measureText } from "../../../../../src/engine/text/measure.ts";
import type { CaptionStyle } from "../../../../../src/engine/timeline/captions/track.ts";
import { captionTrack, spoken } from "../../../../support/media/captions.ts";

const canvas = { width: 1080, height: 1920 };
const frame = (text: string, style: Partial<CaptionStyle> = {}) => ({
  canvas,
  captions: { captions: captionTrack([spoken(text, 0, 20)], style), rate: { num: 30, den: 1 }, frames: 60 },
});
const textMeasurer = {
  measure: (content: Parameters<typeof measureText>[0]) => measureText(content, 0, async () => ""),
};
const warnings = async (text: string, style: Partial<CaptionStyle> = {}) =>
  (await captionStyleWarnings(textMeasurer, frame(text, style), { owner: "ann", attempt: ignoreErrors })).map(
    ({ code, path }) => `${path} ${code}`,
  );

test("captions with characters that no font has, or with too little contrast, give warnings", async () => {
  const gray = { red: 200, green: 200, blue: 200, alpha: 1 };
  expect(await warnings("กาแฟ ☕️ coffee")).toEqual([]);
  expect(await warnings("coffee\u{10FFFE}")).toEqual(["captions glyph_missing"]);
  expect(await warnings("coffee", { kind: "box", colors: { background: gray } })).toEqual([
    "captions.colors text_low_contrast",
  ]);
});

test("captions leave the safe zone only where the request places them by a number", () => {
  const messages = (style: Partial<CaptionStyle>) =>
    captionsOutsideSafeZone(frame("coffee", style)).map(({ message }) => message);
  expect(messages({ position: "bottom" })).toEqual([]);
  expect(messages({ position: { y: 0.6 } })).toEqual([]);
  expect(messages({ position: { y: 0.8 }, keepsSafeZone: false })).toEqual([]);
  expect(messages({ position: { y: 0.8 } })[0]).toContain("342 pixels at the bottom");
});
