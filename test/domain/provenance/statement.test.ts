import { expect, test } from "bun:test";
import { timelineHash } from "../../../src/domain/provenance/inputs.ts";
import { statementOf } from "../../../src/domain/provenance/statement.ts";
import { editListOf } from "../../../src/domain/timelines/edit-list.ts";
import type { Overlay } from "../../../src/engine/timeline/overlay.ts";
import type { AddedSound } from "../../../src/engine/timeline/sound.ts";
import type { Source } from "../../../src/engine/timeline/source.ts";
import { audioSource, imageSource, smallCanvas, videoSource } from "../../support/media/draw-media.ts";
import { clip, timeline } from "../../support/media/timelines.ts";

const box = { x: 0, y: 0, ...smallCanvas };
const at = { opacity: 1, rotationDegrees: 0, animateIn: "none", animateOut: "none" } as const;
const over = (content: Overlay["content"], rest: Partial<Overlay> = {}): Overlay => ({
  ...{ range: { start: 0, end: 30 }, content, ...at },
  ...rest,
});

const font: Source = {
  ...imageSource("font"),
  facts: { kind: "font", container: "font", mimeType: "font/ttf", extension: "ttf" },
};

const card = (picture: Source) =>
  over({
    ...{ kind: "html", html: "", css: "", box, fitsText: false, moments: [], renderer: "" },
    images: { a: picture },
    fonts: { own: font },
  });

const logo = over({
  ...{ kind: "lottie", source: imageSource("logo"), box, fit: "contain", frameRate: 30 },
  ...{ from: 0, to: 30, repeats: false, colors: {}, texts: {} },
});

const video = over({
  ...{ kind: "video", source: videoSource("window"), box, fit: "cover", sourceStartSeconds: 0, speed: 1 },
  ...{ reverses: false, repeats: false, seconds: 1 },
});

const group = over({
  ...{ kind: "group", box, clips: false, speed: 1, repeats: false, seconds: 1 },
  layers: [{ ...logo, start: 0, end: 1, content: { ...logo.content, source: imageSource("inner") } as never }],
});

const effect: AddedSound = {
  ...{ source: audioSource("bell"), role: "effect", range: { start: 0, end: 48_000 }, sourceStartSeconds: 0 },
  ...{ speed: 1, isRepeated: false, volume: 1, fadeInSamples: 0, fadeOutSamples: 0 },
};

const film = (overlays: readonly Overlay[]) =>
  timeline([clip(imageSource("ground"), 0, 30)], { overlays, sound: { pieces: [], added: [effect] } });

test("the files of all kinds of layers and sounds are ingredients", () => {
  const { ingredients } = statementOf(film([card(imageSource("photo")), logo, video, group]), []);
  expect(ingredients.map(({ role, sha256 }) => [role, sha256])).toEqual([
    ["clip", "ground"],
    ["image", "photo"],
    ["font", "font"],
    ["image", "logo"],
    ["clip", "window"],
    ["image", "inner"],
    ["effect", "bell"],
  ]);
});

test("a picture of a trained model in HTML makes a film of one", () => {
  const { facts, ...photo } = imageSource("photo");
  const made = { ...photo, facts: { ...facts, generatedBy: { provider: "openai", model: "gpt-image" } } };
  expect(statementOf(film([card(made)]), []).source).toBe("compositeWithTrainedAlgorithmicMedia");
});

test("where the files of HTML are stored does not change what a film is", () => {
  const moved = { ...imageSource("photo"), file: "elsewhere" };
  expect(timelineHash(film([card(moved)]))).toBe(timelineHash(film([card(imageSource("photo"))])));
  expect(timelineHash(film([card(imageSource("other"))]))).not.toBe(timelineHash(film([card(moved)])));
});

test("editors are told which layers are left out", () => {
  const { lost } = editListOf({
    name: "Film",
    timeline: film([card(imageSource("photo")), logo, video, group, { ...logo, effects: { blend: "screen" } }]),
    scenes: [],
  });
  expect(lost).toEqual(
    expect.arrayContaining([
      "HTML is left out.",
      "Lottie animations are left out.",
      "Videos beside the track are left out.",
      "Groups of layers are left out.",
      "Filters, blend modes, masks, shadows and scales of layers are left out.",
    ]),
  );
});
