import { describe, expect, test } from "bun:test";
import type { FoundFocus } from "../../../../../src/domain/exports/request/focus.ts";
import type { PlacedOverlay } from "../../../../../src/domain/exports/request/place-overlays.ts";
import type { ExportOptions } from "../../../../../src/domain/exports/request/schema.ts";
import { findWarnings } from "../../../../../src/domain/exports/request/validation/find-warnings.ts";
import type { WarningCode } from "../../../../../src/domain/exports/request/warnings.ts";
import type { TextMeasurer } from "../../../../../src/engine/ports.ts";
import type { Overlay, TextContent, TextStyle } from "../../../../../src/engine/timeline/overlay.ts";
import type { Source } from "../../../../../src/engine/timeline/source.ts";
import type { Clip } from "../../../../../src/engine/timeline/track.ts";
import { completeRequest } from "../../../../storage/samples.ts";
import { imageOverlay, textOverlay } from "../../../../support/media/drawn-overlays.ts";
import { clip, timeline } from "../../../../support/media/timelines.ts";

const video = (width: number, height: number, frameRate = 30): Source => ({
  file: "a.mp4",
  hash: "a",
  facts: {
    kind: "video",
    container: "mp4",
    mimeType: "video/mp4",
    extension: "mp4",
    width,
    height,
    durationSeconds: 60,
    hasSound: true,
    picture: { codec: "avc", frameRate, hasAlpha: false, matrix: "bt709", fullRange: false, transfer: "sdr" },
  },
});

const moving: Source = {
  file: "a.webp",
  hash: "b",
  facts: {
    kind: "image",
    container: "webp",
    mimeType: "image/webp",
    extension: "webp",
    width: 9,
    height: 9,
    isMoving: true,
  },
};

const tall = { width: 1080, height: 1920 };

type Input = {
  clips: Clip[];
  overlays?: PlacedOverlay[];
  fps?: number;
  targets?: ExportOptions["targets"];
  focus?: FoundFocus;
};

/** Each letter is as wide as high, and the text is centered on its anchor. Lines wrap as a whole. */
const textMeasurer: TextMeasurer = {
  async measure({ text, style: { fontSize, maxWidth = 10_000 }, anchor, scale = 1 }) {
    const width = Math.min(text.length * fontSize, maxWidth) * scale;
    const height = fontSize * scale;
    return { ink: { x: anchor.x - width / 2, y: anchor.y - height / 2, width, height }, missing: ["x"] };
  },
  async prepare() {},
  boxesIn: async () => ({}),
  unknownCss: async () => [],
};

const warnings = async (code: WarningCode, { clips, overlays = [], fps = 30, targets, focus = [] }: Input) => {
  const visible = overlays.flatMap(({ overlay }) => overlay ?? []);
  const layout = {
    timeline: timeline(clips, { canvas: tall, fps, overlays: visible }),
    clips,
    ignoredTransitions: [],
    overlays,
    recorded: { voices: [], missing: [] },
    sounds: [],
    videos: { shown: new Map(), sounds: [] },
    isScriptUnused: false,
    generatedFrom: undefined,
    focus,
    files: new Map(),
    errors: [],
    media: [],
  };
  const request = completeRequest({ options: { targets } });
  const found = await findWarnings(
    { textMeasurer },
    { request, layout, sounds: { music: undefined, voice: undefined, added: [] } },
    { owner: "ann" },
  );
  return found.filter((warning) => warning.code === code);
};

const paths = async (code: WarningCode, input: Input) => (await warnings(code, input)).map(({ path }) => path);

test("a clip is upscaled if it is shown at more than twice its size, which depends on its fit", async () => {
  const clips = [
    clip(video(540, 960), 0, 30),
    clip(video(538, 960), 30, 60),
    clip(video(530, 956), 60, 90),
    clip(video(960, 540), 90, 120, { fit: "contain" }),
    clip(video(960, 540), 120, 150, { fit: "blur" }),
    clip(video(960, 540), 150, 180, { fit: "cover" }),
  ];
  expect(await paths("source_upscaled", { clips })).toEqual(["clips.2", "clips.5"]);
});

test("a focus that cannot be measured, or is not yet, is named", async () => {
  const clips = [0, 30, 60].map((start) => clip(video(1080, 1920), start, start + 30));
  const focus = [undefined, "unknown", "measuring"] as const;
  expect(await paths("focus_unknown", { clips, focus })).toEqual(["clips.1.focus"]);
  expect(await paths("focus_measuring", { clips, focus })).toEqual(["clips.2.focus"]);
});

/** An overlay with a source of 100×100 pixels. */
const image = (width: number, fit: "contain" | "stretch", rest: Partial<Overlay> = {}): PlacedOverlay => {
  const overlay = imageOverlay("logo.png", { x: 0, y: 0, width, height: 100 }, { fit, ...rest });
  if (overlay.content.kind !== "image") throw new Error("It is an image.");
  const { source } = overlay.content;
  const sized = { ...source, facts: { ...source.facts, width: 100, height: 100 } };
  return {
    path: `images.${width}`,
    position: 0,
    end: 1,
    overlay: { ...overlay, content: { ...overlay.content, source: sized } },
  };
};

test("an image is upscaled if its box is too large for it", async () => {
  const overlays = [image(200, "stretch"), image(250, "stretch"), image(260, "contain")];
  expect(await paths("source_upscaled", { clips: [clip(video(1080, 1920), 0, 60)], overlays })).toEqual(["images.250"]);
});

test("a frame rate is far from that of a source if they differ by more than a factor of 1.5", async () => {
  const clips = [20, 45, 19, 50, 60].map((rate, index) => clip(video(1080, 1920, rate), index * 30, index * 30 + 30));
  const [warning, ...others] = await warnings("fps_far_from_source", { clips });
  expect([warning?.path, others]).toEqual(["options.fps", []]);
  expect(warning?.message).toContain("the source of clip 2 has 19: it repeats");
  expect(warning?.message).toContain("(clips 2, 3, 4)");
  expect(await paths("fps_far_from_source", { clips: clips.slice(0, 2) })).toEqual([]);
});

test("a covered or muted clip is silent", async () => {
  const source = video(1080, 1920);
  const mute = { volume: 0 };
  expect(await paths("silent_result", { clips: [clip(source, 0, 30)] })).toEqual([]);
  expect(await paths("silent_result", { clips: [clip(source, 0, 30, mute)] })).toEqual(["audio"]);
  expect(await paths("silent_result", { clips: [clip(source, 0, 30), clip(source, 0, 30, mute)] })).toEqual(["audio"]);
});

test("an overlay that ends with the video is not cut off", async () => {
  const overlay = (path: string, end: number): PlacedOverlay => ({ path, position: 0, end });
  const overlays = [overlay("texts.0", 1), overlay("texts.1", 1.01), overlay("texts.2", 1.04)];
  expect(await paths("overlay_past_end", { clips: [clip(video(1080, 1920), 0, 30)], overlays })).toEqual([
    "texts.2.end",
  ]);
});

describe("with several targets", () => {
  const whole = [clip(video(1080, 1920), 0, 30)];

  test("each warning is reported once, with its targets and its message for each", async () => {
    const clips = [clip(video(1920, 1080), 0, 30), clip(video(500, 500), 30, 60), clip(video(800, 450), 60, 90)];
    const targets = ["9:16", "1:1", "16:9"] as const;
    expect(await warnings("source_upscaled", { clips, targets: [...targets] })).toMatchObject([
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
    const [covered, ...others] = await warnings("source_upscaled", { clips: covering, targets: [...targets] });
    expect([covered?.targets, others]).toEqual([[...targets], []]);
    expect(covered?.message).toMatch(/^In 9:16: .* 2\.4 times .* In 1:1: .* 2\.2 times .* In 16:9: .* 3\.8 times /);
  });

  test("the requested frame is not checked if no target has it", async () => {
    const clips = [clip(video(800, 900), 0, 30, { fit: "cover" })];
    expect(await paths("source_upscaled", { clips })).toEqual(["clips.0"]);
    expect(await paths("source_upscaled", { clips, targets: ["1:1", "4:5"] })).toEqual([]);
  });

  test("an image is checked at its size after it was scaled into the safe zone", async () => {
    const overlays = [image(3000, "stretch"), image(1000, "stretch"), image(1001, "stretch", { rotationDegrees: 90 })];
    const [rotated, ...upscaled] = (
      await warnings("source_upscaled", { clips: whole, overlays, targets: ["16:9"] })
    ).toReversed();
    expect(upscaled.map(({ path, message }) => [path, /[\d.]+ times/.exec(message)?.[0]])).toEqual([
      ["images.1000", "10.0 times"],
      ["images.3000", "17.3 times"],
    ]);
    expect(rotated?.message).toContain("9.7 times");
  });

  /** A request with one text of 24 letters in the tall frame. */
  const inputOf = (
    targets: ExportOptions["targets"],
    style: Partial<TextStyle>,
    content: Partial<TextContent> = {},
  ): Input => {
    const overlay = textOverlay("wide words that may wrap", style);
    const anchor = { at: "center", x: 540, y: 960 } as const;
    const placed = { ...overlay, content: { ...(overlay.content as TextContent), anchor, ...content } };
    return { clips: whole, overlays: [{ path: "texts.0", position: 0, end: 1, overlay: placed }], targets };
  };

  test("a text is too wide for the targets with narrower frames", async () => {
    const [tooWide, ...others] = await warnings(
      "text_too_wide",
      inputOf(["9:16", "1:1", "16:9", "4:5"], { fontSize: 50 }),
    );
    expect([tooWide?.targets, others]).toEqual([["9:16", "1:1", "4:5"], []]);
    expect(tooWide?.message).toMatch(/^In 9:16: [^:]+ 1080: set .* In 1:1, 4:5: [^:]+ 1080 and it is made smaller /);
  });

  test("a text that wraps at the frame is measured as it wraps in each", async () => {
    const wrapping = (content: Partial<TextContent>) =>
      warnings("text_too_wide", inputOf(["9:16", "16:9"], { fontSize: 100, maxWidth: 1300 }, content));
    expect(await wrapping({})).toMatchObject([{ targets: ["9:16"] }]);
    expect(await wrapping({ wrapsAtCanvas: true })).toMatchObject([{ targets: ["9:16", "16:9"] }]);
  });

  test("a text is not outside a safe zone into which it is moved", async () => {
    const aside = { anchor: { at: "center", x: 122, y: 960 } } as const;
    const outside = (targets?: ExportOptions["targets"]) =>
      warnings("text_outside_safe_zone", inputOf(targets, { fontSize: 10 }, aside));
    expect(await outside(["1:1", "9:16"])).toMatchObject([{ path: "texts.0", targets: ["9:16"] }]);
    expect(await outside(["1:1"])).toEqual([]);
    expect((await outside())[0]).not.toHaveProperty("targets");
  });

  test("a warning that does not depend on the frame has no targets", async () => {
    const [missing, ...others] = await warnings("glyph_missing", inputOf(["1:1", "9:16"], { fontSize: 10 }));
    expect([missing?.message.startsWith("No font"), "targets" in missing!, others]).toEqual([true, false, []]);
  });
});

test("a moving image that stands still is named, and a source whose picture ends before its sound", async () => {
  const clips = [clip(moving, 0, 30), clip({ ...moving, facts: { ...moving.facts, isMoving: false } }, 30, 60)];
  expect(await warnings("image_stands_still", { clips })).toMatchObject([{ path: "clips.0" }]);
  const { facts } = video(640, 360);
  const held = {
    ...video(640, 360),
    facts: { ...facts, durationSeconds: 8, picture: { ...facts.picture!, endSeconds: 2 } },
  };
  const [warning] = await warnings("source_too_short", { clips: [clip(held, 0, 240)] });
  expect(warning?.message).toBe(
    "The picture of the source ends 180 frame(s) before its sound: its last frame is held.",
  );
  const [late] = await warnings("source_too_short", { clips: [clip(held, 0, 270)] });
  expect(late?.message).toEndWith("its last frame is held and its sound stops.");
});
