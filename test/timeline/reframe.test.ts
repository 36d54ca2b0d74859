import { describe, expect, test } from "bun:test";
import type { ImagePicture, Overlay } from "../../src/timeline/overlay.ts";
import { halved, reframed } from "../../src/timeline/reframe.ts";
import { safeZoneOf } from "../../src/timeline/safe-zone.ts";
import { clipsOf } from "../../src/timeline/track.ts";
import { imageOverlay, textOverlay } from "../helpers/drawn.ts";
import { videoSource } from "../helpers/media.ts";
import { clip, over, timeline } from "../helpers/timelines.ts";

const tall = { width: 1080, height: 1920 };
const wide = { width: 1920, height: 1080 };
const film = (...overlays: Overlay[]) =>
  timeline([clip(videoSource("a"), 0, 60, over("fade", 15)), clip(videoSource("b"), 60, 120)], {
    canvas: tall,
    overlays,
  });

const words = (x: number, y: number): Overlay => {
  const { picture, ...rest } = textOverlay("Hi");
  return { ...rest, picture: { ...picture, anchor: { at: "center", x, y } } as Overlay["picture"] };
};
const logo = (box: ImagePicture["box"]) => imageOverlay("logo.png", box);
const pictureIn = ({ overlays }: { overlays: readonly Overlay[] }) => overlays[0]!.picture;

describe("at half its size", () => {
  test("a film has half the canvas, in even numbers", () => {
    expect(halved(film()).canvas).toEqual({ width: 540, height: 960 });
    expect(halved({ ...film(), canvas: { width: 66, height: 38 } }).canvas).toEqual({ width: 34, height: 20 });
  });

  test("a text is laid out as before, and painted half as large at half the way", () => {
    const { overlays } = halved(film(words(740, 260)));
    expect(overlays[0]!.picture).toMatchObject({ scale: 0.5, anchor: { at: "center", x: 370, y: 130 } });
    expect(overlays[0]!.picture).toMatchObject({ style: { fontSize: 40 } });
  });

  test("an image's box is halved, and what it must lie within", () => {
    const within = { x: 100, y: 200, width: 300, height: 400 };
    const [made] = halved(film({ ...logo({ x: 40, y: 60, width: 200, height: 100 }), within })).overlays;
    expect(made).toMatchObject({
      picture: { box: { x: 20, y: 30, width: 100, height: 50 } },
      within: { x: 50, y: 100, width: 150, height: 200 },
    });
  });
});

describe("in other proportions", () => {
  test("the asked ones leave everything as it is", () => {
    const same = film(words(540, 960));
    expect(reframed(same, { ...tall })).toBe(same);
  });

  test("an overlay keeps its size and its share of the way to the edge, and stays in the safe zone", () => {
    const { overlays } = reframed(film(words(810, 480)), wide);
    expect(overlays[0]).toMatchObject({
      picture: { scale: 1, anchor: { x: 1440, y: 270 } },
      within: { x: 96, y: 54, width: 1728, height: 972 },
    });
  });

  test("an image goes where its middle goes", () => {
    const picture = pictureIn(reframed(film(logo({ x: 780, y: 100, width: 200, height: 100 })), wide));
    const x = (880 * 1920) / 1080 - 100;
    expect(picture).toMatchObject({ box: { x, y: 150 * 0.5625 - 50, width: 200, height: 100 } });
  });

  test("an image that filled the frame fills it again", () => {
    const [made] = reframed(film(logo({ x: 0, y: 0, ...tall })), wide).overlays;
    expect(made!.within).toBeUndefined();
    expect(made!.picture).toMatchObject({ box: { x: 0, y: 0, ...wide } });
  });

  test("sizes follow the shorter side", () => {
    expect(pictureIn(reframed(film(words(540, 960)), { width: 540, height: 540 }))).toMatchObject({ scale: 0.5 });
  });

  test("a clip stays one clip, and is cut around its focus", () => {
    const { spans } = reframed(film(), wide).track;
    const clips = new Set(spans.flatMap(clipsOf));
    expect([...clips].map(({ focus }) => focus)).toEqual([
      { x: 0.5, y: 0.5 },
      { x: 0.5, y: 0.5 },
    ]);
  });
});

test("what apps cover is left free: more of it on a full screen", () => {
  expect(safeZoneOf({ width: 1000, height: 2000 })).toEqual({ x: 50, y: 240, width: 900, height: 1360 });
  expect(safeZoneOf({ width: 1000, height: 1000 })).toEqual({ x: 50, y: 50, width: 900, height: 900 });
});
