import { expect, test } from "bun:test";
import { segmentKey } from "../../../src/engine/render/cache-keys.ts";
import type { ImageContent, Overlay, TextStyle } from "../../../src/engine/timeline/overlay.ts";
import { cutSegments } from "../../../src/engine/timeline/segments.ts";
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

/** The segments of a text that enters for 0.6 s and then rests, by whether their keys change with an edit. */
function changedSegments(one: Overlay, other: Overlay): readonly boolean[] {
  const long = [clip(videoSource("video.mp4", { durationSeconds: 4 }), 0, 120)];
  const keysOf = (overlay: Overlay) => {
    const edit = timeline(long, { overlays: [overlay] });
    return cutSegments(edit).map((segment) =>
      segmentKey({ timeline: edit, range: segment, encoding: fastEncoding }, scope),
    );
  };
  const keys = keysOf(other);
  return keysOf(one).map((key, index) => key !== keys[index]);
}

const entering = (more: Partial<Overlay> = {}): Overlay =>
  textOverlay(
    "Title",
    {},
    { range: { start: 30, end: 90 }, motion: { lead: 0, seconds: 2, enter: { name: "slide", seconds: 0.6 } }, ...more },
  );

test("a changed entrance changes the segments that it moves in", () => {
  const slower = { lead: 0, seconds: 2, enter: { name: "slide", seconds: 0.7 } };
  // half seconds: the entrance lies in the third and the fourth
  expect(changedSegments(entering(), entering({ motion: slower }))).toEqual([
    ...[false, false, true, true],
    ...[false, false, false, false],
  ]);
});

test("a text at rest has the segments of a text that never moved", () => {
  const still = textOverlay("Title", {}, { range: { start: 30, end: 90 } });
  expect(changedSegments(entering(), still)).toEqual([false, false, true, true, false, false, false, false]);
});

test("a moved keyframe changes the segments between its neighbors", () => {
  const keyed = (value: number): Overlay => {
    const at = [0, 0.5, 1, 1.5, 2].map((seconds) => ({
      at: seconds,
      value: seconds === 1 ? value : 0,
      easing: "linear",
    }));
    return entering({ motion: { lead: 0, seconds: 2, keyframes: { rotation: at } } });
  };
  expect(changedSegments(keyed(10), keyed(20))).toEqual([false, false, false, true, true, false, false, false]);
});
