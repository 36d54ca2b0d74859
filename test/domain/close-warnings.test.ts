import { expect, test } from "bun:test";
import { closeWarningsOf } from "../../src/domain/close-warnings.ts";
import type { LaidOverlay, WarningCode } from "../../src/domain/export-warnings.ts";
import type { MediaFacts, Source } from "../../src/timeline/source.ts";
import type { Canvas } from "../../src/timeline/timeline.ts";
import type { Clip } from "../../src/timeline/track.ts";
import { imageOverlay } from "../helpers/drawn.ts";
import { clip, timeline } from "../helpers/timelines.ts";

const video = (width: number, height: number, frameRate = 30): Source => ({
  file: "a.mp4",
  hash: "a",
  facts: {
    ...({ kind: "video", container: "mp4", mimeType: "video/mp4", extension: "mp4" } satisfies Partial<MediaFacts>),
    ...{ width, height, durationSeconds: 60, hasSound: true },
    picture: { codec: "avc", frameRate, hasAlpha: false, matrix: "bt709", fullRange: false, transfer: "sdr" },
  },
});

type Film = { clips: Clip[]; overlays?: LaidOverlay[]; canvas?: Canvas; fps?: number };

const warnings = (
  code: WarningCode,
  { clips, overlays = [], canvas = { width: 1080, height: 1920 }, fps = 30 }: Film,
) => {
  const film = { timeline: timeline(clips, { canvas, fps }), clips, ignored: [], overlays, texts: [], hasMusic: false };
  return closeWarningsOf(film).filter((warning) => warning.code === code);
};

const paths = (code: WarningCode, film: Film) => warnings(code, film).map(({ path }) => path);

test("a clip is told to be upscaled from more than twice its size, by what its fit shows", () => {
  const clips = [
    clip(video(540, 960), 0, 30),
    clip(video(538, 960), 30, 60),
    clip(video(530, 956), 60, 90),
    clip(video(960, 540), 90, 120, { fit: "contain" }),
    clip(video(960, 540), 120, 150, { fit: "blur" }),
    clip(video(960, 540), 150, 180, { fit: "cover" }),
  ];
  expect(paths("source_upscaled", { clips })).toEqual(["clips.2", "clips.5"]);
});

test("an image is told to be upscaled by its box", () => {
  const image = (width: number, fit: "contain" | "stretch"): LaidOverlay => {
    const overlay = imageOverlay("logo.png", { x: 0, y: 0, width, height: 100 }, { fit });
    if (overlay.picture.kind !== "image") throw new Error("It is an image.");
    const { source } = overlay.picture;
    const sized = { ...source, facts: { ...source.facts, width: 100, height: 100 } };
    return {
      path: `images.${width}`,
      position: 0,
      end: 1,
      overlay: { ...overlay, picture: { ...overlay.picture, source: sized } },
    };
  };
  const overlays = [image(200, "stretch"), image(250, "stretch"), image(260, "contain")];
  expect(paths("source_upscaled", { clips: [clip(video(1080, 1920), 0, 60)], overlays })).toEqual(["images.250"]);
});

test("a rate is far from a source's from half as much again on, either way", () => {
  const clips = [20, 45, 19, 50, 60].map((rate, index) => clip(video(1080, 1920, rate), index * 30, index * 30 + 30));
  const [warning, ...others] = warnings("fps_far_from_source", { clips });
  expect([warning?.path, others]).toEqual(["options.fps", []]);
  expect(warning?.message).toContain("the source of clip 2 has 19: it repeats");
  expect(warning?.message).toContain("(clips 2, 3, 4)");
  expect(paths("fps_far_from_source", { clips: clips.slice(0, 2) })).toEqual([]);
});

test("a clip that is covered or muted makes no sound", () => {
  const [source, mute] = [video(1080, 1920), { volume: 0 }];
  expect(paths("silent_result", { clips: [clip(source, 0, 30)] })).toEqual([]);
  expect(paths("silent_result", { clips: [clip(source, 0, 30, mute)] })).toEqual(["audio"]);
  expect(paths("silent_result", { clips: [clip(source, 0, 30), clip(source, 0, 30, mute)] })).toEqual(["audio"]);
});

test("what ends with the film is not cut off", () => {
  const overlay = (path: string, end: number): LaidOverlay => ({ path, position: 0, end });
  const overlays = [overlay("texts.0", 1), overlay("texts.1", 1.01), overlay("texts.2", 1.04)];
  expect(paths("overlay_past_end", { clips: [clip(video(1080, 1920), 0, 30)], overlays })).toEqual(["texts.2.end"]);
});
