import { afterAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../../helpers/ffmpeg.ts";
import { draw } from "../../../helpers/media.ts";
import { testService } from "../../../helpers/service.ts";
import { png, wav } from "../../../helpers/uploads.ts";
import { newWork, numbered } from "../../../helpers/work-films.ts";

const service = await testService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const options = { width: 64, height: 36, fps: 30 };

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const film = await newWork(ann, { name: "Film" });
await film.scene(0, await numbered(folder, 100));
await film.audio(wav());
const { projectId, workId } = film;
const clips = [{ sceneIndex: 0, position: 0, end: 1 }];

const ask = async (body: unknown, user = ann) => {
  const response = await user.json("POST", "/api/export/validate", body);
  return { status: response.status, ...(await response.json()) };
};

const judged = (body: object) => ask({ projectId, workId, options, clips, audio: {}, ...body });

type Told = { readonly path: string; readonly code: string; readonly message: string };
const told = (list: readonly Told[]) => list.map(({ path, code }) => `${path} ${code}`);

test("a good request is told its length, and nothing else", async () => {
  expect(await judged({})).toMatchObject({
    ...{ status: 200, ok: true, durationSeconds: 1, frames: 30, errors: [], warnings: [] },
  });
});

test("before the first export its time is not known, and afterwards what is there and what the rest costs", async () => {
  const body = { projectId, workId, options, audio: {}, clips: [{ sceneIndex: 0, position: 0, end: 1.5 }] };
  const before = await ask(body);
  expect(before).toMatchObject({ segments: { total: 1, cached: 0 }, estimatedSeconds: null });
  expect(before.estimatedBytes).toBeGreaterThan(0);

  const sizeBytes = (await (await ann.json("POST", "/api/export", body)).bytes()).length;
  const after = await ask(body);
  expect(after).toMatchObject({ segments: { total: 1, cached: 1 }, estimatedSeconds: 0 });
  const edited = await ask({ ...body, texts: [{ text: "a", position: 0, end: 1 }] });
  expect(edited.segments).toEqual({ total: 1, cached: 0 });
  expect(edited.estimatedSeconds).toBeGreaterThan(0);
  for (const { estimatedBytes } of [after, edited]) {
    expect(Math.abs(estimatedBytes / sizeBytes - 1)).toBeLessThan(0.5);
  }
});

test("everything that is wrong is told at once: what is not valid and what is missing", async () => {
  const verdict = await judged({
    clips: [...clips, { sceneIndex: 7, position: 1, end: 1, transition: "spiral" }],
    texts: [{ text: "x", position: 0, end: 1, fontColor: "nope", fontAssetId: "asset_1" }],
    images: [{ assetId: "asset_gone", position: 0, end: 0 }],
    audio: { audioUrl: "file:///etc/passwd" },
    options: { width: 1081 },
  });
  expect(verdict).toMatchObject({ status: 200, ok: false, durationSeconds: null, frames: null, warnings: [] });
  expect(told(verdict.errors).sort()).toEqual([
    "audio.audioUrl url_not_allowed",
    "clips.1.end validation_error",
    "clips.1.sceneIndex scene_video_missing",
    "clips.1.transition validation_error",
    "images.0.assetId asset_missing",
    "images.0.end validation_error",
    "options.width validation_error",
    "texts.0.fontAssetId asset_missing",
    "texts.0.fontColor validation_error",
  ]);
});

test("every missing thing is told, and what can be known without it", async () => {
  const font = await film.asset(png());
  const verdict = await judged({
    clips: [...clips, { sceneIndex: 8, position: 1, end: 2 }, { sceneIndex: 9, position: 2, end: 3 }],
    texts: [
      { text: "late", position: 9, end: 10 },
      { text: "x", position: 0, end: 1, fontAssetId: font.id },
    ],
    images: [{ assetId: "asset_gone", position: 0, end: 1 }],
    audio: { audioUrl: "/api/projects/proj_1/assets/asset_1" },
  });
  expect(verdict).toMatchObject({ ok: false, durationSeconds: 3, frames: 90 });
  expect(told(verdict.errors)).toEqual(
    expect.arrayContaining([
      "clips.1.sceneIndex scene_video_missing",
      "clips.2.sceneIndex scene_video_missing",
      "texts.1.fontAssetId font_unusable",
      "images.0.assetId asset_missing",
      "audio.audioUrl asset_missing",
    ]),
  );
  expect(verdict.errors).toHaveLength(5);
  expect(told(verdict.warnings)).toContain("texts.0.position overlay_past_end");
});

const spoiled: [string, object][] = [
  ["a missing scene", { clips: [{ ...clips[0], sceneIndex: 7 }] }],
  ["an unknown transition", { clips: [{ ...clips[0], transition: "spiral" }] }],
  ["a missing picture", { images: [{ assetId: "asset_gone", position: 0, end: 1 }] }],
  ["an address that is not read", { audio: { audioUrl: "http://127.0.0.1/music.mp3" } }],
  ["another work's file that is gone", { audio: { audioUrl: "/api/projects/proj_1/assets/asset_1" } }],
];

test.each(spoiled)("an export says of %s what was said before it", async (_, body) => {
  const { errors } = await judged(body);
  const response = await ann.json("POST", "/api/export", { projectId, workId, options, clips, audio: {}, ...body });
  const { code, details } = await response.json();

  expect(errors.map(({ path, code: foretold }: Told) => ({ path, code: foretold }))).toEqual([
    { path: details[0].path, code },
  ]);
});

test("sound of another server is not fetched", async () => {
  const { ok, errors } = await judged({ audio: { audioUrl: "http://music.invalid/theme.mp3" } });
  expect([ok, errors]).toEqual([true, []]);
});

test("where the end would be told is judged by its address", async () => {
  const { errors } = await judged({ webhook: { url: "http://127.0.0.1/hear" } });
  expect(told(errors)).toEqual(["webhook.url url_not_allowed"]);
});

describe("of several films", () => {
  const targets = ["9:16", "1:1"];

  test("all are counted, and their texts are moved inside", async () => {
    const texts = [{ text: "a", fontSize: 8, centerX: 30, position: 0, end: 1 }];
    const verdict = await judged({ texts, options: { ...options, targets } });
    expect(verdict).toMatchObject({ ok: true, durationSeconds: 1, frames: 60, segments: { total: 2, cached: 0 } });
    expect(verdict.warnings).toEqual([]);
  });

  test("each is judged by its own frame", async () => {
    const texts = [{ text: "wide as that", fontSize: 8, position: 0, end: 1 }];
    const { warnings } = await judged({ texts, options: { ...options, targets: [...targets, "16:9"] } });
    expect(warnings).toMatchObject([{ path: "texts.0", code: "text_too_wide", targets }]);
  });

  test("what an export left is there for each, and the rest is estimated", async () => {
    const asked = (...named: string[]) => ({ projectId, workId, clips, options: { ...options, targets: named } });
    const { id } = await (await ann.json("POST", "/api/exports", asked(...targets))).json();
    await (await ann.request(`/api/exports/${id}/events`)).text();
    const { files } = await (await ann.request(`/api/exports/${id}`)).json();

    const [same, more] = [await ask(asked(...targets)), await ask(asked(...targets, "16:9"))];
    expect(same.segments).toEqual({ total: 2, cached: 2 });
    expect(Math.abs(same.estimatedBytes / (files[0].size + files[1].size) - 1)).toBeLessThan(0.5);
    expect(more.segments).toEqual({ total: 3, cached: 2 });
    expect(more.estimatedBytes).toBeGreaterThan(same.estimatedBytes);
  });
});

test("without clips it is the saved editor that is judged", async () => {
  const empty = await newWork(ann);
  const verdict = await ask({ projectId: empty.projectId, workId: empty.workId });
  expect(told(verdict.errors)).toEqual(["clips nothing_to_export"]);
});

test("a work that is not one's own is as missing as none, whatever else is wrong", async () => {
  const bob = await service.register("Bob");
  expect(await ask({ projectId, workId, clips: 7 }, bob)).toMatchObject({ status: 404, code: "not_found" });
  expect(await ask({ projectId, workId: "work_1" })).toMatchObject({ status: 404, code: "not_found" });
});

test("a request that names no work is told so like anything else, and only broken JSON is refused", async () => {
  const nameless = await ask({ projectId, clips: "nonsense" });
  expect([nameless.status, told(nameless.errors)]).toEqual([
    200,
    ["workId validation_error", "clips validation_error"],
  ]);
  expect(await ask([])).toMatchObject({ status: 200, ok: false });

  const headers = { "content-type": "application/json" };
  const broken = await ann.request("/api/export/validate", { method: "POST", headers, body: "{" });
  expect(broken.status).toBe(400);
});

test("nothing is left behind and no export was made", async () => {
  const { count } = await (await ann.json("GET", "/api/exports")).json();
  await judged({});
  expect((await (await ann.json("GET", "/api/exports")).json()).count).toBe(count);
});

const warned: [string, object][] = [
  ["clips.0 source_too_short", { clips: [{ ...clips[0], end: 9 }] }],
  [
    "clips.0.transition transition_ignored",
    {
      clips: [
        { ...clips[0], transition: "fade" },
        { ...clips[0], position: 1.5, end: 2 },
      ],
    },
  ],
  ["texts.0.position overlay_past_end", { texts: [{ text: "late", position: 5, end: 6 }] }],
  ["texts.0.end overlay_past_end", { texts: [{ text: "a", fontSize: 8, position: 0, end: 6 }] }],
  ["texts.0 text_too_wide", { texts: [{ text: "wider than that", fontSize: 12, position: 0, end: 1 }] }],
  ["texts.0 text_outside_safe_zone", { texts: [{ text: "a", fontSize: 8, centerX: 30, position: 0, end: 1 }] }],
  ["texts.0.text glyph_missing", { texts: [{ text: "a\u{10FFFE}", fontSize: 8, position: 0, end: 1 }] }],
  [
    "texts.0.fontColor text_low_contrast",
    { texts: [{ text: "a", fontSize: 8, background: "#eee", position: 0, end: 1 }] },
  ],
  ["clips.0 source_upscaled", { options: { width: 640, height: 360, fps: 30 } }],
  ["options.fps fps_far_from_source", { options: { ...options, fps: 120 } }],
  ["audio silent_result", { audio: undefined }],
  ["audio silent_result", { audio: { volume: 0 } }],
];

test.each(warned)("%s is foretold", async (expected, body) => {
  const { ok, warnings } = await judged(body);
  expect([ok, told(warnings)]).toEqual([true, [expected]]);
});

test("a work without uploaded audio is told that it has no music", async () => {
  const mute = await newWork(ann);
  await mute.picture(0, png(64, 36));
  const { warnings } = await ask({ projectId: mute.projectId, workId: mute.workId, options, clips, audio: {} });
  expect(told(warnings)).toEqual(["audio audio_missing", "audio silent_result"]);
});

test("a clip that has sound is not silent", async () => {
  const path = join(folder, "loud.mp4");
  await draw(path, "color=c=red:s=64x36:r=30:d=1[out0];sine=f=300:d=1[out1]", "-pix_fmt", "yuv420p");
  const loud = await newWork(ann);
  await loud.scene(0, new File([await Bun.file(path).bytes()], "loud.mp4", { type: "video/mp4" }));
  const body = { projectId: loud.projectId, workId: loud.workId, options };

  expect((await ask({ ...body, clips })).warnings).toEqual([]);
  const muted = await ask({ ...body, clips: [{ ...clips[0], volume: 0 }] });
  expect(told(muted.warnings)).toEqual(["audio silent_result"]);
});
