import { expect, test } from "bun:test";
import type { LocalGenerator } from "../../../../src/domain/ai/generation/local-generator.ts";
import type { ImageTask, VideoTask } from "../../../../src/domain/ai/models.ts";
import type { ProviderCall } from "../../../../src/domain/ai/provider-calls.ts";
import { noCheckpoints } from "../../../../src/domain/idempotency/checkpoints.ts";
import type { MediaFacts } from "../../../../src/engine/timeline/source.ts";
import { localImage, localLanguage, localVideo, localVision } from "../../../../src/providers/local/local.ts";
import { metricsOf } from "../../../support/media/video-metrics.ts";

const clientSignal = new AbortController().signal;
const call: ProviderCall = {
  ...noCheckpoints,
  clientSignal,
  taskOptions: { owner: "ann", signal: clientSignal },
  deadlineSignal: () => clientSignal,
  idempotencyKey: () => "",
  afterwards: (remove) => remove(),
  resumesAfter: () => false,
  track: () => Promise.reject(new Error("the local provider calls no other server")),
};

type Requests = {
  storyboards: Parameters<LocalGenerator["drawStoryboard"]>[0][];
  cameraMoves: Parameters<LocalGenerator["moveCamera"]>[0][];
};

/** A generator that only records its requests. */
function recordingGenerator() {
  const requests: Requests = { storyboards: [], cameraMoves: [] };
  const generator: LocalGenerator = {
    drawStoryboard: async (request) => {
      requests.storyboards.push(request);
      return new Uint8Array();
    },
    moveCamera: async (request) => {
      requests.cameraMoves.push(request);
      return { path: "video.mp4", sizeBytes: 1, sha256: "" };
    },
  };
  return { generator, requests };
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
const file = { path: "image.png", sizeBytes: 1, facts: image };

test("bills nothing", () => {
  const { generator } = recordingGenerator();
  const models = [localVision, localLanguage, localImage(generator), localVideo(generator)];
  expect(models.map(({ isBilled }) => isBilled)).toEqual([false, false, false, false]);
});

test("describes each scene of a video by its metrics", async () => {
  const metrics = metricsOf([1, 2], { motion: 0 });
  const video = { path: "video.mp4", sizeBytes: 1, facts: image };
  const { scenes, overall_tone } = await localVision.describeVideo({ prompt, metrics, frames: [], video }, call);

  expect(overall_tone).toBe("Steady and evenly lit, with little movement, mostly navy");
  expect(scenes.map(({ description }) => description)).toEqual([
    "Evenly lit picture, mostly navy and orange; hardly anything moves for 1 s.",
    "Evenly lit picture, mostly navy and orange; hardly anything moves for 2 s.",
  ]);
  expect(scenes[0]?.camera_movement).toBe("static");
});

test("describes an asset by its facts, with or without metrics", async () => {
  const describe = async (metrics?: ReturnType<typeof metricsOf>, facts = image) => {
    const task = { prompt, file: { ...file, facts }, frames: [], ...(metrics && { metrics }) };
    const { description, subject_boxes } = await localVision.describeAsset(task, call);
    expect(subject_boxes).toEqual([]);
    return description;
  };

  expect(await describe()).toBe("A wide image, 8 × 4.");
  expect(await describe(metricsOf([1]))).toBe("A wide image, 8 × 4. Evenly lit picture, mostly navy.");
  const video = { ...image, kind: "video" as const, durationSeconds: 3 };
  expect(await describe(metricsOf([1, 2]), video)).toStartWith("A wide video, 8 × 4, 3 s in 2 scenes. ");
});

test("takes the colors of a storyboard from the style guide, else from the prompt", async () => {
  const { generator, requests } = recordingGenerator();
  const shot = { prompt: "Main colors: navy (#14213d) and sand (#e0b27a).", avoid: "smoke" };
  const draw = (styleGuide?: ImageTask["shot"]["styleGuide"]) =>
    localImage(generator).draw({ prompt: "", shot: { ...shot, ...(styleGuide && { styleGuide }) }, resolution }, call);
  await draw();
  await draw({ tone: "dry", color_palette: ["teal"] });

  expect(requests.storyboards).toEqual([
    { ...shot, resolution, palette: ["#14213d", "#e0b27a"], tone: "" },
    { ...shot, resolution, palette: ["teal"], tone: "dry" },
  ]);
});

test("moves the camera as the prompt says, for half a second to a minute", async () => {
  const { generator, requests } = recordingGenerator();
  const { animate, nearestDuration } = localVideo(generator);
  const task: VideoTask = {
    prompt: "",
    movement: "The camera tilts up.",
    image: file,
    durationSeconds: 3.5,
    resolution,
  };
  await animate(task, call, { save: async () => {} });

  expect(requests.cameraMoves).toEqual([
    { path: "image.png", facts: image, resolution, durationSeconds: 3.5, move: "tilt_up" },
  ]);
  expect([0.01, 4.333, 900].map(nearestDuration)).toEqual([0.5, 4.33, 60]);
});
