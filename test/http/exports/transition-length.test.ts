import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { createCanvas } from "@napi-rs/canvas";
import { levelAt, lumaFrames } from "../../support/media/draw-media.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, requireJson, saveResponse } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();
const options = { width: 64, height: 36, fps: 10 };

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function whitePng(): Promise<File> {
  const context = createCanvas(64, 36).getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, 64, 36);
  return new File([new Uint8Array(await context.canvas.encode("png"))], "white.png", { type: "image/png" });
}

/** A black scene and a white one. */
const work = await newWork(ann);
await work.image(0, png(64, 36));
await work.image(1, await whitePng());
const { projectId, workId, base } = work;

/** How many frames at the center are neither black nor white, of a film with 0.7 seconds of each scene. */
async function blendedFrames(request: object): Promise<number> {
  const path = await saveResponse(folder, await ann.json("POST", "/api/export", { projectId, workId, ...request }));
  const levels = (await lumaFrames(ffmpeg!, path)).map((frame) => levelAt(frame, 32, 18));
  expect([levels.length, levels[6]! < 30, levels[13]! > 220]).toEqual([14, true, true]);
  return levels.filter((level) => level > 30 && level < 220).length;
}

const clipsWith = (transition: object) => [
  { sceneIndex: 0, position: 0, end: 0.7, ...transition },
  { sceneIndex: 1, position: 0.7, end: 1.4 },
];

const requested: [string, object, number][] = [
  ["a fade of 0 seconds", { transition: "fade", transitionDuration: 0 }, 5],
  ["a fade without a length", { transition: "fade" }, 5],
  ["a fade of 0.3 seconds", { transition: "fade", transitionDuration: 0.3 }, 3],
  ["a cut of 0 seconds", { transition: "cut", transitionDuration: 0 }, 0],
  ["a cut of 0.5 seconds", { transition: "cut", transitionDuration: 0.5 }, 0],
];

test.each(requested)("%s blends that many frames at 10 frames per second", async (_, transition, frames) => {
  expect(await blendedFrames({ clips: clipsWith(transition), options })).toBe(frames);
});

const videoTrack = (action: object) => [
  { id: "a", sceneIndex: 0, start: 0, end: 0.7, ...action },
  { id: "b", sceneIndex: 1, start: 0.7, end: 1.4 },
];

const save = (action: object) =>
  requireJson(
    ann.json("PUT", base, { editorState: { editorData: { videoTrack: videoTrack(action) }, exportSettings: options } }),
  );

test("a fade of 0 seconds in a saved editor takes half a second", async () => {
  await save({ transitionType: "fade", transitionDuration: 0 });
  expect(await blendedFrames({})).toBe(5);
});

test("a template's default transition of 0 seconds takes half a second", async () => {
  await save({});
  const content = { defaultTransition: { type: "fade", duration: 0 } };
  const { id } = await requireJson(ann.json("POST", `/api/projects/${projectId}/templates`, { name: "T", content }));
  await requireJson(ann.json("PUT", base, { videoDuration: 1.4 }));
  await requireJson(ann.json("POST", `${base}/apply-template`, { templateId: id }));
  expect(await blendedFrames({})).toBe(5);
});
