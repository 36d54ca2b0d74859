import { expect, test } from "bun:test";
import { segmentKey } from "../../../src/engine/render/cache-keys.ts";
import type { ImageContent, Overlay, TextStyle } from "../../../src/engine/timeline/overlay.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import { videoSource } from "../../support/media/draw-media.ts";
import { imageOverlay, red, textOverlay } from "../../support/media/drawn-overlays.ts";
import { clip, fastEncoding, timeline } from "../../support/media/timelines.ts";

const scope = { projectId: "one", ffmpegVersion: "5.1", textEngine: "skia" };
const range = { start: 0, end: 60 };
const clips = [clip(videoSource("video.mp4", { durationSeconds: 2 }), 0, 60)];

const keyWith = (...overlays: readonly Overlay[]) =>
  segmentKey({ timeline: timeline(clips, { overlays }), range, encoding: fastEncoding }, scope);

const title = (style: Partial<TextStyle> = {}, rest: Partial<Overlay> = {}) => textOverlay("Title", style, rest);

const font = (file: string, hash: string): Source => ({
  file,
  hash,
  facts: { kind: "font", container: "font", mimeType: "font/ttf", extension: "ttf" },
});

function logo(file: string, hash: string): Overlay {
  const overlay = imageOverlay(file, { x: 0, y: 0, width: 40, height: 20 });
  const content = overlay.content as ImageContent;
  return { ...overlay, content: { ...content, source: { ...content.source, hash } } };
}

test("equal content has one key, wherever its files are stored", () => {
  expect(keyWith(logo("first.png", "same"))).toBe(keyWith(logo("second.png", "same")));
  expect(keyWith(title({ font: font("first.ttf", "same") }))).toBe(
    keyWith(title({ font: font("second.ttf", "same") })),
  );
});

test("every property that changes a bitmap changes the key", () => {
  const box = { x: 10, y: 10, width: 50, height: 50 };
  const overlays = [
    title(),
    textOverlay("Other title"),
    title({ fontSize: 41 }),
    title({ fontColor: red }),
    title({ fontFamily: "Noto Sans" }),
    title({ maxWidth: 50 }),
    title({ stroke: { color: red, width: 2 } }),
    title({ font: font("font.ttf", "one") }),
    title({ font: font("font.ttf", "another") }),
    title({}, { opacity: 0.5 }),
    title({}, { rotationDegrees: 5 }),
    title({}, { animateIn: "fade" }),
    title({}, { animateIn: "slideup" }),
    title({}, { within: box }),
    title({}, { range: { start: 1, end: 60 } }),
    logo("logo.png", "one"),
    logo("logo.png", "another"),
  ];
  const keys = [keyWith(), ...overlays.map((overlay) => keyWith(overlay))];
  expect(new Set(keys).size).toBe(overlays.length + 1);
});

test("overlays outside a segment do not change its key", () => {
  expect(keyWith(title({}, { range: { start: 60, end: 90 } }))).toBe(keyWith());
});
