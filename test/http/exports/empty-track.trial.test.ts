import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { lumaFrames } from "../../support/media/draw-media.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { png, wav } from "../../support/uploads.ts";
import { countUp, newWork, numberedVideo, readNumbers, requireJson, saveResponse } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();
const exportSettings = { width: 64, height: 36, fps: 30 };

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A work with videos in its scenes 0 and 2, and nothing in scene 1. */
const scenes = [0.5, 3, 0.3].map((duration_seconds) => ({ duration_seconds, scene_index: 7 }));
const work = await newWork(ann, { scenes, resolution: { width: 64, height: 36 } });
const { scene, base, projectId, workId } = work;
await scene(2, await numberedVideo(folder, 300));
await scene(0, await numberedVideo(folder, 100));
const request = { projectId, workId };

/** Saves what an editor holds. */
const save = (fields: object) => requireJson(ann.json("PUT", base, fields));

const filmOf = async (request: object) => saveResponse(folder, await ann.json("POST", "/api/export", request));
const validate = (request: object) => requireJson(ann.json("POST", "/api/export/validate", request));
const numbers = [...countUp(100, 15), ...countUp(300, 9)];

test("a work without an editor state exports its scenes that have media, end to end", async () => {
  expect(await readNumbers(ffmpeg!, await filmOf(request))).toEqual(numbers);
  expect(await validate(request)).toMatchObject({ ok: true, durationSeconds: 0.8, frames: 24 });
});

test("an empty video track stands for the scenes; the overlays and settings of the editor count", async () => {
  await save({
    editorState: {
      textTrack: [{ id: "text-1", start: 0.2, end: 0.6 }],
      textOverlays: { "text-1": { text: "■", fontSize: 30, background: "white" } },
      exportSettings: { ...exportSettings, fps: 10 },
    },
  });
  const frames = await lumaFrames(ffmpeg!, await filmOf(request));
  const isLit = frames.map(({ levels }) => levels[18 * 64 + 32]! > 128);
  const withoutText = [false, false];
  expect(isLit).toEqual([...withoutText, ...Array(4).fill(true), ...withoutText]);
});

test("the music of the editor counts", async () => {
  await save({ editorState: { exportSettings } });
  const codes = async () => (await validate(request)).warnings.map(({ code }: { code: string }) => code);
  expect(await codes()).toContain("silent_result");
  await work.audio(wav());
  expect(await codes()).not.toContain("silent_result");
  await ann.request(`${base}/media/audio`, { method: "DELETE" });
});

test("an asynchronous export keeps the scenes that were there when it was requested", async () => {
  await save({ editorState: { exportSettings } });
  const { id } = await requireJson(ann.json("POST", "/api/exports", request));
  await scene(1, await numberedVideo(folder, 500));
  await (await ann.request(`/api/exports/${id}/events`)).text();
  await ann.request(`${base}/media/scene/1/video`, { method: "DELETE" });
  expect(await readNumbers(ffmpeg!, await saveResponse(folder, await ann.request(`/api/exports/${id}/file`)))).toEqual(
    numbers,
  );
});

test("frames and contact sheets read an empty track in the same way", async () => {
  await save({ editorState: { exportSettings } });
  const sent = [
    ann.json("POST", "/api/export/frame?t=0.79", request),
    ann.json("GET", `${base}/frame?t=0.79`),
    ann.json("POST", "/api/export/contact-sheet?columns=2&rows=1", request),
    ann.json("GET", `${base}/contact-sheet?columns=2&rows=1`),
  ];
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await ann.json("GET", `${base}/frame?t=0.8`)).status).toBe(400);
});

test("a scene with only an image counts, and one without a duration is as long as its video, or five seconds", async () => {
  const work = await newWork(ann, { editorState: { exportSettings } });
  await work.scene(0, await numberedVideo(folder, 100));
  await work.image(3, png(64, 36));
  const request = { projectId: work.projectId, workId: work.workId };
  expect(await validate(request)).toMatchObject({ ok: true, durationSeconds: 6.5 });
});

test("a template on a work without a video track shows in the export", async () => {
  await save({ videoDuration: 0.8, editorState: { exportSettings } });
  const content = {
    textOverlays: [{ id: "text-1", text: "■", fontSize: 30, timingMode: "relative", endPercent: 50 }],
    defaultTransition: { type: "fade", duration: 0.2 },
  };
  const template = await requireJson(ann.json("POST", `/api/projects/${projectId}/templates`, { name: "T", content }));
  const body = { templateId: template.id };
  const { editorState } = await requireJson(ann.json("POST", `${base}/apply-template`, body));

  const fade = { transitionType: "fade", transitionDuration: 0.2 };
  expect(editorState.editorData.videoTrack).toEqual([
    { id: "clip-0", start: 0, end: 0.5, sceneIndex: 0, ...fade },
    { id: "clip-2", start: 0.5, end: 0.8, sceneIndex: 2, ...fade },
  ]);
  const report = await validate(request);
  expect(report).toMatchObject({ ok: true, durationSeconds: 0.8 });
  const frames = await lumaFrames(ffmpeg!, await filmOf(request));
  expect(frames.map(({ levels }) => levels[18 * 64 + 32]! > 128)).toEqual([
    ...Array(12).fill(true),
    ...Array(12).fill(false),
  ]);
});

test("a template leaves a saved video track and the empty track of a work without media", async () => {
  await save({
    editorState: { editorData: { videoTrack: [{ id: "mine", start: 0, end: 0.1, sceneIndex: 2 }] } },
  });
  const empty = await newWork(ann, { videoDuration: 2 });
  for (const [of, expected] of [
    [work, ["mine"]],
    [empty, []],
  ] as const) {
    const path = `/api/projects/${of.projectId}/templates`;
    const { id: templateId } = await requireJson(ann.json("POST", path, { name: "T", content: {} }));
    const { editorState } = await requireJson(ann.json("POST", `${of.base}/apply-template`, { templateId }));
    expect(editorState.editorData.videoTrack.map(({ id }: { id: string }) => id)).toEqual([...expected]);
  }
});

test("a work whose media belong to no scene has nothing to export", async () => {
  const work = await newWork(ann, { scenes: [{ duration_seconds: 2 }] });
  await work.audio(wav());
  const request = { projectId: work.projectId, workId: work.workId };
  const response = await ann.json("POST", "/api/export", request);
  expect([response.status, (await response.json()).code]).toEqual([422, "nothing_to_export"]);
  expect((await validate(request)).errors).toMatchObject([{ path: "clips", code: "nothing_to_export" }]);
});
