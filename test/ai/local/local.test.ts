import { expect, test } from "bun:test";
import { localImage, localLanguage, localVideo, localVision } from "../../../src/ai/local/local.ts";
import type { Studio } from "../../../src/domain/ai/generation/local-generator.ts";
import type { ImageTask, VideoTask } from "../../../src/domain/ai/models.ts";
import { noCheckpoints, type ProviderCall } from "../../../src/domain/ai/provider-calls.ts";
import type { MediaFacts } from "../../../src/timeline/source.ts";
import { measuresOf } from "../../helpers/measured-films.ts";

const call: ProviderCall = {
  ...noCheckpoints,
  clientSignal: AbortSignal.timeout(10_000),
  signal: () => AbortSignal.timeout(10_000),
  track: () => Promise.reject(new Error("nothing is called outside")),
};

type Wishes = { drawn: Parameters<Studio["drawStoryboard"]>[0][]; moved: Parameters<Studio["moveCamera"]>[0][] };

/** Notes what it is asked for. */
function studio() {
  const wishes: Wishes = { drawn: [], moved: [] };
  const noting: Studio = {
    drawStoryboard: async (wish) => {
      wishes.drawn.push(wish);
      return new Uint8Array();
    },
    moveCamera: async (wish) => {
      wishes.moved.push(wish);
      return { path: "film.mp4", sizeBytes: 1, sha256: "" };
    },
  };
  return { noting, wishes };
}

const resolution = { width: 90, height: 160 };
const image: MediaFacts = {
  kind: "image",
  container: "png",
  mimeType: "image/png",
  extension: "png",
  width: 8,
  height: 4,
};
const prompt = { system: "", message: "" };
const file = { path: "picture.png", sizeBytes: 1, facts: image };

test("nothing local is billed", () => {
  const { noting } = studio();
  const models = [localVision, localLanguage, localImage(noting), localVideo(noting)];
  expect(models.map(({ isBilled }) => isBilled)).toEqual([false, false, false, false]);
});

test("a film is told by its measurements, one description a scene", async () => {
  const measures = measuresOf([1, 2], { motion: 0 });
  const film = { path: "film.mp4", sizeBytes: 1, facts: image };
  const { scenes, overall_tone } = await localVision.describeFilm({ prompt, measures, frames: [], film }, call);

  expect(overall_tone).toBe("Steady and evenly lit, with little movement, mostly navy");
  expect(scenes.map(({ description }) => description)).toEqual([
    "Evenly lit picture, mostly navy and orange; hardly anything moves for 1 s.",
    "Evenly lit picture, mostly navy and orange; hardly anything moves for 2 s.",
  ]);
  expect(scenes[0]?.camera_movement).toBe("static");
});

test("an asset is told by its facts, with or without measurements", async () => {
  const describe = (measures?: ReturnType<typeof measuresOf>) =>
    localVision.describeAsset({ prompt, file, frames: [], ...(measures && { measures }) }, call);

  expect(await describe()).toBe("A wide image, 8 × 4.");
  expect(await describe(measuresOf([1]))).toBe("A wide image, 8 × 4. Evenly lit picture, mostly navy.");
});

test("a storyboard takes its colors from the style guide, else from the words", async () => {
  const { noting, wishes } = studio();
  const shot = { prompt: "Main colors: navy (#14213d) and sand (#e0b27a).", avoid: "smoke" };
  const draw = (styleGuide?: ImageTask["shot"]["styleGuide"]) =>
    localImage(noting).draw({ prompt: "", shot: { ...shot, ...(styleGuide && { styleGuide }) }, resolution }, call);
  await draw();
  await draw({ tone: "dry", color_palette: ["teal"] });

  expect(wishes.drawn).toEqual([
    { ...shot, resolution, palette: ["#14213d", "#e0b27a"], tone: "" },
    { ...shot, resolution, palette: ["teal"], tone: "dry" },
  ]);
});

test("the camera moves as the words say, for any time from half a second to a minute", async () => {
  const { noting, wishes } = studio();
  const { animate, nearestDuration } = localVideo(noting);
  const task: VideoTask = {
    prompt: "",
    movement: "The camera tilts up.",
    image: file,
    durationSeconds: 3.5,
    resolution,
  };
  await animate(task, call, { keep: async () => {} });

  expect(wishes.moved).toEqual([
    { path: "picture.png", facts: image, resolution, durationSeconds: 3.5, move: "tilt_up" },
  ]);
  expect([0.01, 4.333, 900].map(nearestDuration)).toEqual([0.5, 4.33, 60]);
});
