import { describe, expect, test } from "bun:test";
import type { FilmTarget } from "../../../../src/domain/exports/targets.ts";
import { type CloseFilm, closeWarningsOf } from "../../../../src/domain/exports/validation/preflight-warnings.ts";
import type { ShownText } from "../../../../src/domain/exports/validation/text-warnings.ts";
import type { LaidOverlay, WarningCode } from "../../../../src/domain/exports/warnings.ts";
import type { Overlay, TextPicture } from "../../../../src/timeline/overlay.ts";
import type { MediaFacts, Source } from "../../../../src/timeline/source.ts";
import type { Clip } from "../../../../src/timeline/track.ts";
import { imageOverlay, textOverlay } from "../../../helpers/drawn.ts";
import { clip, timeline } from "../../../helpers/timelines.ts";

const video = (width: number, height: number, frameRate = 30): Source => ({
  file: "a.mp4",
  hash: "a",
  facts: {
    ...({ kind: "video", container: "mp4", mimeType: "video/mp4", extension: "mp4" } satisfies Partial<MediaFacts>),
    ...{ width, height, durationSeconds: 60, hasSound: true },
    picture: { codec: "avc", frameRate, hasAlpha: false, matrix: "bt709", fullRange: false, transfer: "sdr" },
  },
});

const tall = { width: 1080, height: 1920 };

type Film = { clips: Clip[]; overlays?: LaidOverlay[]; fps?: number; texts?: ShownText[]; targets?: FilmTarget[] };

const warnings = (code: WarningCode, { clips, overlays = [], fps = 30, texts = [], targets = [""] }: Film) => {
  const shown = overlays.flatMap(({ overlay }) => overlay ?? []);
  const film = { timeline: timeline(clips, { canvas: tall, fps, overlays: shown }), clips, ignored: [], overlays };
  const close: CloseFilm = { ...film, texts, hasMusic: false, targets };
  return closeWarningsOf(close).filter((warning) => warning.code === code);
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

/** Of a source of 100×100. */
const image = (width: number, fit: "contain" | "stretch", rest: Partial<Overlay> = {}): LaidOverlay => {
  const overlay = imageOverlay("logo.png", { x: 0, y: 0, width, height: 100 }, { fit, ...rest });
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

test("an image is told to be upscaled by its box", () => {
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

describe("of several films", () => {
  const whole = [clip(video(1080, 1920), 0, 30)];

  test("each warning is told once, with the targets that it holds for and what it is in each", () => {
    const clips = [clip(video(1920, 1080), 0, 30), clip(video(500, 500), 30, 60), clip(video(800, 450), 60, 90)];
    const targets = ["9:16", "1:1", "16:9"] as const;
    expect(warnings("source_upscaled", { clips, targets: [...targets] })).toMatchObject([
      {
        path: "clips.1",
        targets: ["9:16", "1:1", "16:9"],
        message: expect.stringContaining("In 9:16, 1:1, 16:9: Its"),
      },
      {
        path: "clips.2",
        targets: ["16:9"],
        message: expect.stringContaining("In 16:9: Its source is shown 2.4 times"),
      },
    ]);
    const covering = [clip(video(500, 800), 0, 30, { fit: "cover" })];
    const [covered, ...others] = warnings("source_upscaled", { clips: covering, targets: [...targets] });
    expect([covered?.targets, others]).toEqual([[...targets], []]);
    expect(covered?.message).toMatch(/^In 9:16: .* 2\.4 times .* In 1:1: .* 2\.2 times .* In 16:9: .* 3\.8 times /);
  });

  test("the asked frame is not judged where no film has it", () => {
    const clips = [clip(video(800, 900), 0, 30, { fit: "cover" })];
    expect(paths("source_upscaled", { clips })).toEqual(["clips.0"]);
    expect(paths("source_upscaled", { clips, targets: ["1:1", "4:5"] })).toEqual([]);
  });

  test("an image is judged as large as it is after it was made to fit in", () => {
    const overlays = [image(3000, "stretch"), image(1000, "stretch"), image(1001, "stretch", { rotationDegrees: 90 })];
    const [turned, ...told] = warnings("source_upscaled", { clips: whole, overlays, targets: ["16:9"] }).reverse();
    expect(told.map(({ path, message }) => [path, /[\d.]+ times/.exec(message)?.[0]])).toEqual([
      ["images.1000", "10.0 times"],
      ["images.3000", "17.3 times"],
    ]);
    expect(turned?.message).toContain("9.7 times");
  });

  /** A text with its ink as it was laid out for the tall frame. */
  const text = (width: number, x = 540 - width / 2): ShownText => {
    const overlay = textOverlay("Reel");
    const picture: TextPicture = { ...(overlay.picture as TextPicture), anchor: { at: "center", x: 540, y: 960 } };
    const ink = { x, y: 930, width, height: 60 };
    return { path: "texts.0", overlay: { ...overlay, picture }, picture, ink, missing: ["x"] };
  };
  const film = (shown: ShownText, targets: FilmTarget[]): Film => {
    const { path, overlay } = shown;
    return { clips: whole, texts: [shown], overlays: [{ path, position: 0, end: 1, overlay }], targets };
  };

  test("a text is too wide for those whose frames are narrower than it", () => {
    const [tooWide, ...others] = warnings("text_too_wide", film(text(1300), ["9:16", "1:1", "16:9", "4:5"]));
    expect([tooWide?.targets, others]).toEqual([["9:16", "1:1", "4:5"], []]);
    expect(tooWide?.message).toMatch(/^In 9:16: [^:]+ 1080: set .* In 1:1, 4:5: [^:]+ 1080 and it is made smaller /);
  });

  test("a text lies outside the safe zone of none into whose zone it is moved", () => {
    const outside = (...targets: FilmTarget[]) => warnings("text_outside_safe_zone", film(text(400, 2), targets));
    expect(outside("1:1", "9:16")).toMatchObject([{ path: "texts.0", targets: ["9:16"] }]);
    expect(outside("1:1")).toEqual([]);
    expect(outside("")[0]).not.toHaveProperty("targets");
  });

  test("what no frame changes is told as of one film", () => {
    const [missing, ...others] = warnings("glyph_missing", film(text(400), ["1:1", "9:16"]));
    expect([missing?.message.startsWith("No font"), "targets" in missing!, others]).toEqual([true, false, []]);
  });
});
