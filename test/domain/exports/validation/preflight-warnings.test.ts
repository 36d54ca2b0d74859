import { describe, expect, test } from "bun:test";
import type { VideoTarget } from "../../../../src/domain/exports/targets.ts";
import {
  type PreflightInput,
  preflightWarnings,
} from "../../../../src/domain/exports/validation/preflight-warnings.ts";
import type { VisibleText } from "../../../../src/domain/exports/validation/text-warnings.ts";
import type { PlacedOverlay, WarningCode } from "../../../../src/domain/exports/warnings.ts";
import type { Overlay, TextContent } from "../../../../src/timeline/overlay.ts";
import type { Source } from "../../../../src/timeline/source.ts";
import type { Clip } from "../../../../src/timeline/track.ts";
import { imageOverlay, textOverlay } from "../../../helpers/media/drawn-overlays.ts";
import { clip, timeline } from "../../../helpers/media/timelines.ts";

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

const tall = { width: 1080, height: 1920 };

type Input = {
  clips: Clip[];
  overlays?: PlacedOverlay[];
  fps?: number;
  texts?: VisibleText[];
  targets?: VideoTarget[];
};

const warnings = (code: WarningCode, { clips, overlays = [], fps = 30, texts = [], targets = [""] }: Input) => {
  const visible = overlays.flatMap(({ overlay }) => overlay ?? []);
  const layout = {
    timeline: timeline(clips, { canvas: tall, fps, overlays: visible }),
    clips,
    ignoredTransitions: [],
    overlays,
  };
  const input: PreflightInput = { ...layout, texts, hasMusic: false, targets };
  return preflightWarnings(input).filter((warning) => warning.code === code);
};

const paths = (code: WarningCode, input: Input) => warnings(code, input).map(({ path }) => path);

test("a clip is upscaled if it is shown at more than twice its size, which depends on its fit", () => {
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

test("an image is upscaled if its box is too large for it", () => {
  const overlays = [image(200, "stretch"), image(250, "stretch"), image(260, "contain")];
  expect(paths("source_upscaled", { clips: [clip(video(1080, 1920), 0, 60)], overlays })).toEqual(["images.250"]);
});

test("a frame rate is far from that of a source if they differ by more than a factor of 1.5", () => {
  const clips = [20, 45, 19, 50, 60].map((rate, index) => clip(video(1080, 1920, rate), index * 30, index * 30 + 30));
  const [warning, ...others] = warnings("fps_far_from_source", { clips });
  expect([warning?.path, others]).toEqual(["options.fps", []]);
  expect(warning?.message).toContain("the source of clip 2 has 19: it repeats");
  expect(warning?.message).toContain("(clips 2, 3, 4)");
  expect(paths("fps_far_from_source", { clips: clips.slice(0, 2) })).toEqual([]);
});

test("a covered or muted clip is silent", () => {
  const source = video(1080, 1920);
  const mute = { volume: 0 };
  expect(paths("silent_result", { clips: [clip(source, 0, 30)] })).toEqual([]);
  expect(paths("silent_result", { clips: [clip(source, 0, 30, mute)] })).toEqual(["audio"]);
  expect(paths("silent_result", { clips: [clip(source, 0, 30), clip(source, 0, 30, mute)] })).toEqual(["audio"]);
});

test("an overlay that ends with the video is not cut off", () => {
  const overlay = (path: string, end: number): PlacedOverlay => ({ path, position: 0, end });
  const overlays = [overlay("texts.0", 1), overlay("texts.1", 1.01), overlay("texts.2", 1.04)];
  expect(paths("overlay_past_end", { clips: [clip(video(1080, 1920), 0, 30)], overlays })).toEqual(["texts.2.end"]);
});

describe("with several targets", () => {
  const whole = [clip(video(1080, 1920), 0, 30)];

  test("each warning is reported once, with its targets and its message for each", () => {
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

  test("the requested frame is not checked if no target has it", () => {
    const clips = [clip(video(800, 900), 0, 30, { fit: "cover" })];
    expect(paths("source_upscaled", { clips })).toEqual(["clips.0"]);
    expect(paths("source_upscaled", { clips, targets: ["1:1", "4:5"] })).toEqual([]);
  });

  test("an image is checked at its size after it was scaled into the safe zone", () => {
    const overlays = [image(3000, "stretch"), image(1000, "stretch"), image(1001, "stretch", { rotationDegrees: 90 })];
    const [rotated, ...upscaled] = warnings("source_upscaled", { clips: whole, overlays, targets: ["16:9"] }).reverse();
    expect(upscaled.map(({ path, message }) => [path, /[\d.]+ times/.exec(message)?.[0]])).toEqual([
      ["images.1000", "10.0 times"],
      ["images.3000", "17.3 times"],
    ]);
    expect(rotated?.message).toContain("9.7 times");
  });

  /** A text with its ink in the tall frame. */
  const textOf = (width: number, x = 540 - width / 2): VisibleText => {
    const overlay = textOverlay("Reel");
    const content: TextContent = { ...(overlay.content as TextContent), anchor: { at: "center", x: 540, y: 960 } };
    const ink = { x, y: 930, width, height: 60 };
    return { path: "texts.0", overlay: { ...overlay, content }, content, ink, missing: ["x"] };
  };
  const inputOf = (text: VisibleText, targets: VideoTarget[]): Input => {
    const { path, overlay } = text;
    return { clips: whole, texts: [text], overlays: [{ path, position: 0, end: 1, overlay }], targets };
  };

  test("a text is too wide for the targets with narrower frames", () => {
    const [tooWide, ...others] = warnings("text_too_wide", inputOf(textOf(1300), ["9:16", "1:1", "16:9", "4:5"]));
    expect([tooWide?.targets, others]).toEqual([["9:16", "1:1", "4:5"], []]);
    expect(tooWide?.message).toMatch(/^In 9:16: [^:]+ 1080: set .* In 1:1, 4:5: [^:]+ 1080 and it is made smaller /);
  });

  test("a text is not outside a safe zone into which it is moved", () => {
    const outside = (...targets: VideoTarget[]) => warnings("text_outside_safe_zone", inputOf(textOf(400, 2), targets));
    expect(outside("1:1", "9:16")).toMatchObject([{ path: "texts.0", targets: ["9:16"] }]);
    expect(outside("1:1")).toEqual([]);
    expect(outside("")[0]).not.toHaveProperty("targets");
  });

  test("a warning that does not depend on the frame has no targets", () => {
    const [missing, ...others] = warnings("glyph_missing", inputOf(textOf(400), ["1:1", "9:16"]));
    expect([missing?.message.startsWith("No font"), "targets" in missing!, others]).toEqual([true, false, []]);
  });
});
