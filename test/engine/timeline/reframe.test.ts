import { describe, expect, test } from "bun:test";
import type { ImageContent, Overlay, TextContent } from "../../../src/engine/timeline/overlay.ts";
import { halveTimeline, isShownOn, reframe } from "../../../src/engine/timeline/reframe.ts";
import { movedOverlayZoneOf, safeZoneOf } from "../../../src/engine/timeline/safe-zone.ts";
import type { Canvas } from "../../../src/engine/timeline/timeline.ts";
import { clipsOf } from "../../../src/engine/timeline/track.ts";
import { videoSource } from "../../support/media/draw-media.ts";
import { imageOverlay, textOverlay } from "../../support/media/drawn-overlays.ts";
import { clip, timeline, transitionInto } from "../../support/media/timelines.ts";

const tall = { width: 1080, height: 1920 };
const wide = { width: 1920, height: 1080 };
const edit = (...overlays: Overlay[]) =>
  timeline([clip(videoSource("a"), 0, 60, transitionInto("fade", 15)), clip(videoSource("b"), 60, 120)], {
    canvas: tall,
    overlays,
  });

const textAt = (x: number, y: number): Overlay => {
  const { content, ...rest } = textOverlay("Hi");
  return { ...rest, content: { ...content, anchor: { at: "center", x, y } } as Overlay["content"] };
};
const imageIn = (box: ImageContent["box"]) => imageOverlay("imageIn.png", box);
const imageOf = (box: ImageContent["box"], size: Canvas): Overlay => {
  const overlay = imageOverlay("logo.png", box, { fit: "contain" });
  const { source, ...content } = overlay.content as ImageContent;
  return { ...overlay, content: { ...content, source: { ...source, facts: { ...source.facts, ...size } } } };
};
const contentOf = ({ overlays }: { overlays: readonly Overlay[] }) => overlays[0]!.content;

describe("halveTimeline", () => {
  test("halves the canvas to even sides", () => {
    expect(halveTimeline(edit()).canvas).toEqual({ width: 540, height: 960 });
    expect(halveTimeline({ ...edit(), canvas: { width: 66, height: 38 } }).canvas).toEqual({ width: 34, height: 20 });
  });

  test("keeps the layout of a text, halves its scale, and moves it", () => {
    const { overlays } = halveTimeline(edit(textAt(740, 260)));
    expect(overlays[0]!.content).toMatchObject({ scale: 0.5, anchor: { at: "center", x: 370, y: 130 } });
    expect(overlays[0]!.content).toMatchObject({ style: { fontSize: 40 } });
  });

  test("halves the box of an image and its limits", () => {
    const within = { x: 100, y: 200, width: 300, height: 400 };
    const [overlay] = halveTimeline(edit({ ...imageIn({ x: 40, y: 60, width: 200, height: 100 }), within })).overlays;
    expect(overlay).toMatchObject({
      content: { box: { x: 20, y: 30, width: 100, height: 50 } },
      within: { x: 50, y: 100, width: 150, height: 200 },
    });
  });
});

describe("reframe", () => {
  test("returns the timeline itself for its own canvas", () => {
    const same = edit(textAt(540, 960));
    expect(reframe(same, { ...tall })).toBe(same);
  });

  test("an overlay keeps its size and relative position, and stays in the zone of moved overlays", () => {
    const { overlays } = reframe(edit(textAt(810, 480)), wide);
    expect(overlays[0]).toMatchObject({
      content: { scale: 1, anchor: { x: 1440, y: 270 } },
      within: { x: 96, y: 54, width: 1728, height: 972 },
    });
  });

  test("an image moves with its center", () => {
    const content = contentOf(reframe(edit(imageIn({ x: 780, y: 100, width: 200, height: 100 })), wide));
    const x = (880 * 1920) / 1080 - 100;
    expect(content).toMatchObject({ box: { x, y: 150 * 0.5625 - 50, width: 200, height: 100 } });
  });

  test("an image that covered the canvas covers the new one", () => {
    const [overlay] = reframe(edit(imageIn({ x: 0, y: 0, ...tall })), wide).overlays;
    expect(overlay!.within).toBeUndefined();
    expect(overlay!.content).toMatchObject({ box: { x: 0, y: 0, ...wide } });
  });

  test("an image that covered the canvas without distortion is cropped to the new one", () => {
    const fullSize = imageOf({ x: 0, y: 0, ...tall }, { width: 540, height: 960 });
    expect(contentOf(reframe(edit(fullSize), wide))).toMatchObject({ box: { x: 0, y: 0, ...wide }, fit: "cover" });
    const almost = imageOf({ x: 0, y: 0, ...tall }, { width: 1080, height: 1918 });
    expect(contentOf(reframe(edit(almost), wide))).toMatchObject({ fit: "cover" });
    const square = imageOf({ x: 0, y: 0, ...tall }, { width: 500, height: 500 });
    expect(contentOf(reframe(edit(square), wide))).toMatchObject({ box: { x: 0, y: 0, ...wide }, fit: "contain" });
  });

  test("a text that wraps at a share of the canvas wraps at that share of the new one", () => {
    const text = (content: Partial<TextContent>) => {
      const overlay = textOverlay("Hi", { maxWidth: 972, maxWordWidth: 972 });
      return { ...overlay, content: { ...overlay.content, ...content } as TextContent };
    };
    const wrapped = (canvas: Canvas, content: Partial<TextContent> = { wrapsAtCanvas: true }) =>
      contentOf(reframe(edit(text(content)), canvas));
    expect(wrapped(wide)).toMatchObject({ style: { maxWidth: 1728, maxWordWidth: 1728 }, scale: 1 });
    expect(wrapped({ width: 540, height: 540 })).toMatchObject({ style: { maxWidth: 972 }, scale: 0.5 });
    expect(wrapped(wide, {})).toMatchObject({ style: { maxWidth: 972 } });
    const half = halveTimeline(edit(text({ wrapsAtCanvas: true })));
    expect(contentOf(half)).toMatchObject({ style: { maxWidth: 972 }, scale: 0.5 });
    expect(contentOf(reframe(half, { width: 960, height: 540 }))).toMatchObject({
      style: { maxWidth: 1728 },
      scale: 0.5,
    });
  });

  test("overlays scale with the shorter side", () => {
    expect(contentOf(reframe(edit(textAt(540, 960)), { width: 540, height: 540 }))).toMatchObject({ scale: 0.5 });
  });

  test("a group moves as one: its overlays keep their distances, and what is at an edge stays at it", () => {
    const zone = safeZoneOf(tall);
    const corner = imageIn({ x: zone.x, y: zone.y + zone.height - 300, width: 200, height: 100 });
    const below = imageIn({ x: zone.x + 50, y: zone.y + zone.height - 100, width: 200, height: 100 });
    const { overlays } = reframe(edit({ ...corner, group: "a" }, { ...below, group: "a" }), wide);
    const target = safeZoneOf(wide);
    const bottom = target.y + target.height;
    expect(overlays.map(({ content }) => content)).toMatchObject([
      { box: { x: target.x, y: bottom - 300, width: 200, height: 100 } },
      { box: { x: target.x + 50, y: bottom - 100, width: 200, height: 100 } },
    ]);
  });

  test("a group that is higher than the safe zone shrinks into it", () => {
    const grouped = { ...imageIn({ x: 100, y: 300, width: 400, height: 1200 }), group: "a" };
    const content = contentOf(reframe(edit(grouped), wide));
    const { width, height } = (content as ImageContent).box;
    expect([width, height].map(Math.round)).toEqual([324, 972]);
  });

  test("each clip is mapped once, and its focus is set", () => {
    const { spans } = reframe(edit(), wide).track;
    const clips = new Set(spans.flatMap(clipsOf));
    expect([...clips].map(({ focus }) => focus)).toEqual([
      { x: 0.5, y: 0.5 },
      { x: 0.5, y: 0.5 },
    ]);
  });
});

describe("versions", () => {
  const inWide = { canvas: wide, overlay: textAt(300, 200) };
  const square = { width: 1080, height: 1080 };
  const versioned = { ...textAt(540, 480), versions: [inWide, { canvas: square }] };

  test("a canvas shows the overlay's version for it as it is, or nothing", () => {
    expect(reframe(edit(versioned), wide).overlays).toEqual([inWide.overlay]);
    expect(reframe(edit(versioned), square).overlays).toEqual([]);
    expect([wide, square, tall].map((canvas) => isShownOn(versioned, canvas))).toEqual([true, false, true]);
  });

  test("other canvases show the overlay without them", () => {
    const portrait = { width: 1080, height: 1350 };
    for (const canvas of [tall, portrait])
      expect(reframe(edit(versioned), canvas)).toEqual(reframe(edit(textAt(540, 480)), canvas));
  });

  test("a version does not move the group of the others", () => {
    const other = { ...textAt(540, 1500), group: "title" };
    const { overlays } = reframe(edit({ ...versioned, group: "title" }, other), wide);
    expect(overlays[1]).toEqual(reframe(edit(other), wide).overlays[0]!);
  });

  test("halving an edit halves its versions in their own canvases", () => {
    const [overlay] = reframe(halveTimeline(edit(versioned)), { width: 960, height: 540 }).overlays;
    expect(overlay!.content).toMatchObject({ scale: 0.5, anchor: { x: 150, y: 100 } });
  });
});

test("the safe zone leaves free what the apps cover of full-screen frames, and 5 % of others", () => {
  expect(safeZoneOf({ width: 1080, height: 1920 })).toEqual({ x: 120, y: 288, width: 768, height: 960 });
  expect(safeZoneOf({ width: 540, height: 960 })).toEqual({ x: 60, y: 144, width: 384, height: 480 });
  expect(safeZoneOf({ width: 1080, height: 1350 })).toEqual({ x: 54, y: 68, width: 972, height: 1214 });
  expect(safeZoneOf({ width: 1000, height: 1000 })).toEqual({ x: 50, y: 50, width: 900, height: 900 });
});

test("overlays that are moved to a full-screen frame have more room", () => {
  expect(movedOverlayZoneOf({ width: 1000, height: 2000 })).toEqual({ x: 50, y: 240, width: 900, height: 1360 });
  expect(movedOverlayZoneOf({ width: 1000, height: 1000 })).toEqual({ x: 50, y: 50, width: 900, height: 900 });
});
