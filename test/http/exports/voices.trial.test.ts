import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { draw, soundSamples } from "../../support/media/draw-media.ts";
import { temporaryFolder, testedFfmpegs } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, requireJson, saveResponse } from "../../support/work-videos.ts";

const [ffmpeg] = testedFfmpegs;
const service = await sharedService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function tone(frequency: number, seconds: number): Promise<File> {
  const path = await draw(`${folder}/${frequency}.wav`, `aevalsrc='0.1*sin(2*PI*${frequency}*t)':s=48000:d=${seconds}`);
  return new File([await Bun.file(path).bytes()], "voice.wav", { type: "audio/wav" });
}

const clips = [
  { sceneIndex: 0, position: 0, end: 1 },
  { sceneIndex: 1, position: 1, end: 2 },
];
const options = { width: 64, height: 36, fps: 10, quality: "draft" };

async function workWithScenes() {
  const work = await newWork(ann, { name: "Film" });
  for (const scene of [0, 1]) await work.image(scene, png(64, 36));
  const request = { projectId: work.projectId, workId: work.workId, clips, options, voice: {} };
  return { work, request };
}

const validate = (body: object) => requireJson(ann.json("POST", "/api/export/validate", body));

const warningsOf = async (body: object): Promise<string[][]> =>
  (await validate(body)).warnings
    .filter(({ code }: { code: string }) => code.startsWith("voice_") || code === "silent_result")
    .map(({ path, code }: { path: string; code: string }) => [path, code]);

async function samplesOf(body: object): Promise<Float32Array> {
  const path = await saveResponse(folder, await ann.json("POST", "/api/export", body));
  return (await soundSamples(ffmpeg!, path)).filter((_, index) => index % 2 === 0);
}

const loudest = (samples: Float32Array, start: number, end: number) =>
  samples.subarray(start * 48_000, end * 48_000).reduce((peak, level) => Math.max(peak, Math.abs(level)), 0);

test("voices of scenes are heard from where their clips begin, and a new voice renders no picture again", async () => {
  const { work, request } = await workWithScenes();
  await work.sceneVoice(0, await tone(400, 0.5));
  await work.sceneVoice(1, await tone(500, 0.6));

  const samples = await samplesOf({ ...request, voice: { delay: 0.2 } });
  const heard = [0, 0.25, 0.75, 1.25, 1.85].map((start) => loudest(samples, start, start + 0.15) > 0.1);
  expect(heard).toEqual([false, true, false, true, false]);

  await work.sceneVoice(1, await tone(600, 0.4));
  const { segments, warnings } = await validate(request);
  expect([segments.cached, warnings]).toEqual([segments.total, []]);
});

test("a recording by URL replaces those of the work", async () => {
  const { work, request } = await workWithScenes();
  await work.sceneVoice(0, await tone(400, 0.5));
  const { id } = await work.asset(await tone(700, 0.5));
  const audioUrl = `/api/projects/${work.projectId}/assets/${id}`;

  const samples = await samplesOf({ ...request, voice: { audioUrl, position: 1.2 } });
  expect([0.1, 1.3].map((start) => loudest(samples, start, start + 0.3) > 0.1)).toEqual([false, true]);
  expect(await warningsOf({ ...request, voice: { audioUrl, position: 1.7 } })).toEqual([["voice", "voice_too_long"]]);

  const { id: picture } = await work.asset(png());
  const wrong = { ...request, voice: { audioUrl: `/api/projects/${work.projectId}/assets/${picture}` } };
  expect((await validate(wrong)).errors).toMatchObject([{ path: "voice.audioUrl", code: "asset_wrong_type" }]);
  const missing = { ...request, voice: { audioUrl: "/api/projects/proj_1/assets/asset_1" } };
  expect((await validate(missing)).errors).toMatchObject([{ path: "voice.audioUrl", code: "asset_missing" }]);
});

test("missing voices and those that are cut off are warned of", async () => {
  const { work, request } = await workWithScenes();
  expect(await warningsOf(request)).toEqual([
    ["voice", "voice_missing"],
    ["audio", "silent_result"],
  ]);
  await work.voice(await tone(300, 2.5));
  expect(await warningsOf(request)).toEqual([["voice", "voice_too_long"]]);
  await work.sceneVoice(1, await tone(500, 0.6));
  expect(await warningsOf(request)).toEqual([["clips.0.sceneIndex", "voice_missing"]]);
  const withoutFirst = { ...request, clips: [{ ...clips[0], voice: false }, clips[1]] };
  expect(await warningsOf(withoutFirst)).toEqual([]);
  expect(await warningsOf({ ...request, voice: undefined })).toEqual([["audio", "silent_result"]]);
});
