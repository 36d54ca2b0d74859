import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { lumaFrames, soundSamples } from "../../support/media/draw-media.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { png, wav } from "../../support/uploads.ts";
import { countUp, newWork, numberedVideo, readNumbers, requireJson, saveResponse } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();
const options = { width: 64, height: 36, fps: 30 };

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const work = await newWork(ann, { name: "Фильм «один»" });
await work.scene(0, await numberedVideo(folder, 100, 21));
await work.scene(1, await numberedVideo(folder, 300, 21));
const pictured = await newWork(ann);
await pictured.image(0, png(64, 36));
const { projectId, workId } = work;
const clips = [
  { sceneIndex: 0, position: 0, end: 0.5 },
  { sceneIndex: 1, position: 0.7, end: 1.2, cutFrom: 0.2 },
];

const errorOf = async (body: object, user = ann) => {
  const response = await user.json("POST", "/api/export", { projectId, workId, ...body });
  const { code, error, details } = await response.json();
  return { status: response.status, code, error, path: details?.[0]?.path };
};

test("every frame of every clip is at its place in the timeline, and gaps are black", async () => {
  const path = await saveResponse(folder, await ann.json("POST", "/api/export", { projectId, workId, clips, options }));

  expect(await readNumbers(ffmpeg!, path)).toEqual([...countUp(100, 15), ...Array(6).fill(0), ...countUp(306, 15)]);
});

test("the response is an attachment named after the work, in any alphabet", async () => {
  const response = await ann.json("POST", "/api/export", { projectId, workId, clips, options });

  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("video/mp4");
  expect(response.headers.get("content-disposition")).toContain(
    `filename*=UTF-8''${encodeURIComponent("Фильм «один».mp4")}`,
  );
  expect(Number(response.headers.get("content-length"))).toBe((await response.arrayBuffer()).byteLength);
  expect(response.headers.get("x-export-warnings")).toBe('["silent_result"]');
});

test("missing fields of the request come from the work's saved editor", async () => {
  const videoTrack = [
    { id: "a", sceneIndex: 1, start: 0, end: 0.4, trimStart: 0.1 },
    { id: "b", sceneIndex: 0, start: 0.4, end: 0.8 },
  ];
  const exportSettings = { width: 64, height: 36, fps: 10 };
  const editorState = { editorData: { videoTrack }, exportSettings };
  await requireJson(ann.json("PUT", work.base, { editorState }));

  const request = { projectId, workId };
  expect(
    await readNumbers(ffmpeg!, await saveResponse(folder, await ann.json("POST", "/api/export", request))),
  ).toEqual([...[303, 306, 309, 312], ...[100, 103, 106, 109]]);
  const faster = await saveResponse(
    folder,
    await ann.json("POST", "/api/export", { ...request, options: { fps: 30 } }),
  );
  expect(await readNumbers(ffmpeg!, faster)).toHaveLength(24);
});

test("without clips and without an editor there is nothing to export", async () => {
  const empty = await newWork(ann);
  expect(await errorOf({ projectId: empty.projectId, workId: empty.workId })).toMatchObject({
    status: 422,
    code: "nothing_to_export",
  });
});

test("the music is as long as the video", async () => {
  await pictured.audio(wav());
  const { projectId, workId } = pictured;
  const body = { projectId, workId, options: { ...options, fps: 10 }, audio: { loop: true } };
  const path = await saveResponse(
    folder,
    await ann.json("POST", "/api/export", { ...body, clips: [{ sceneIndex: 0, position: 0, end: 1.5 }] }),
  );

  const samples = (await soundSamples(ffmpeg!, path)).length / 2;
  expect(Math.abs(samples - 1.5 * 48_000)).toBeLessThanOrEqual(1024);
});

test("a scene without a video is animated from its image", async () => {
  const body = { projectId: pictured.projectId, workId: pictured.workId, options };
  const path = await saveResponse(
    folder,
    await ann.json("POST", "/api/export", { ...body, clips: [{ sceneIndex: 0, position: 0, end: 0.5 }] }),
  );

  expect(await lumaFrames(ffmpeg!, path)).toHaveLength(15);
});

test("texts and images are visible on their own frames only", async () => {
  const { id: assetId } = await pictured.asset(png(8, 8));
  const response = await ann.json("POST", "/api/export", {
    projectId: pictured.projectId,
    workId: pictured.workId,
    options,
    clips: [{ sceneIndex: 0, position: 0, end: 1 }],
    texts: [{ text: "■", position: 0.2, end: 0.6, fontSize: 30, background: "white" }],
    images: [{ assetId, position: 0.4, end: 0.8, x: 0, y: 0 }],
  });
  const frames = await lumaFrames(ffmpeg!, await saveResponse(folder, response));

  const isLit = frames.map(({ levels }) => levels[18 * 64 + 32]! > 128);
  expect(isLit).toEqual([...Array(6).fill(false), ...Array(12).fill(true), ...Array(12).fill(false)]);
});

test("another user's work gives 404 before the rest of the request is validated", async () => {
  const bob = await service.register("Bob");
  expect(await errorOf({ clips: "nonsense" }, bob)).toMatchObject({ status: 404, code: "not_found" });
  expect(await errorOf({ workId: "work_nonsense" })).toMatchObject({ status: 404, code: "not_found" });
});

const invalid: [status: number, code: string, path: string, body: object][] = [
  [400, "validation_error", "clips.0.end", { clips: [{ sceneIndex: 0, position: 1, end: 1 }] }],
  [400, "validation_error", "clips.0.transition", { clips: [{ ...clips[0], transition: "spiral" }] }],
  [400, "validation_error", "options.width", { clips, options: { width: 1081 } }],
  [400, "validation_error", "texts.0.fontColor", { clips, texts: [{ ...clips[0], text: "x", fontColor: "nope" }] }],
  [422, "scene_video_missing", "clips.1.sceneIndex", { clips: [clips[0], { ...clips[1], sceneIndex: 7 }] }],
  [422, "asset_missing", "images.0.assetId", { clips, images: [{ ...clips[0], assetId: "asset_gone" }] }],
  [422, "asset_missing", "texts.0.fontAssetId", { clips, texts: [{ ...clips[0], text: "x", fontAssetId: "asset_1" }] }],
  [422, "asset_missing", "audio.audioUrl", { clips, audio: { audioUrl: "/api/projects/proj_1/assets/asset_1" } }],
  [422, "url_not_allowed", "audio.audioUrl", { clips, audio: { audioUrl: "http://127.0.0.1/music.mp3" } }],
  [422, "url_not_allowed", "audio.audioUrl", { clips, audio: { audioUrl: "file:///etc/passwd" } }],
];

test.each(invalid)("%i %s names the field %s", async (status, code, path, body) => {
  expect(await errorOf(body)).toMatchObject({ status, code, path });
});

test("the error for a missing scene contains its number", async () => {
  const { error } = await errorOf({ clips: [{ ...clips[0], sceneIndex: 7 }] });
  expect(error).toContain("7");
});

test("an image asset is not accepted as a font", async () => {
  const { id: image } = await work.asset(png());
  const texts = [{ text: "x", position: 0, end: 1, fontAssetId: image }];
  expect(await errorOf({ clips, texts })).toMatchObject({ status: 422, code: "font_unusable" });
});

test("music may come from another project of the same user, not from another user", async () => {
  const other = await newWork(ann);
  const { url } = await other.asset(wav());
  const response = await ann.json("POST", "/api/export", {
    projectId,
    workId,
    clips,
    options,
    audio: { audioUrl: url },
  });
  expect(response.status).toBe(200);
  await response.arrayBuffer();

  const bob = await service.register("Bob");
  const foreign = await (await newWork(bob)).asset(wav());
  expect(await errorOf({ clips, audio: { audioUrl: foreign.url } })).toMatchObject({
    status: 422,
    code: "asset_missing",
  });
});

test("the warnings of an export are listed in a header", async () => {
  const response = await ann.json("POST", "/api/export", {
    projectId,
    workId,
    options,
    audio: {},
    clips: [
      { sceneIndex: 0, position: 0, end: 0.8, transition: "fade" },
      { ...clips[1], position: 1, end: 1.2 },
    ],
    texts: [{ text: "late", position: 10, end: 12 }],
  });
  await response.arrayBuffer();

  expect(JSON.parse(response.headers.get("x-export-warnings")!).sort()).toEqual([
    ...["audio_missing", "overlay_past_end", "silent_result", "source_too_short", "transition_ignored"],
  ]);
});
