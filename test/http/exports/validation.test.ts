import { afterAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { draw } from "../../support/media/draw-media.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { testService } from "../../support/service.ts";
import { png, wav } from "../../support/uploads.ts";
import { newWork, numberedVideo, requireJson } from "../../support/work-videos.ts";

const service = await testService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const options = { width: 64, height: 36, fps: 30 };

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const work = await newWork(ann, { name: "Film" });
await work.scene(0, await numberedVideo(folder, 100));
await work.audio(wav());
const { projectId, workId } = work;
const clips = [{ sceneIndex: 0, position: 0, end: 1 }];

const validateBody = async (body: unknown, user = ann) => {
  const response = await user.json("POST", "/api/export/validate", body);
  return { status: response.status, ...(await response.json()) };
};

const validate = (body: object) => validateBody({ projectId, workId, options, clips, audio: {}, ...body });

type Entry = { readonly path: string; readonly code: string; readonly message: string };
const summary = (list: readonly Entry[]) => list.map(({ path, code }) => `${path} ${code}`);

test("a valid request gives its duration, without errors and warnings", async () => {
  expect(await validate({})).toMatchObject({
    status: 200,
    ok: true,
    durationSeconds: 1,
    frames: 30,
    errors: [],
    warnings: [],
  });
});

test("black gaps are named with their seconds, and a label that nobody sees", async () => {
  const clip = { sceneIndex: 0, position: 0.5, end: 1 };
  const label = { ...options, disclosure: { text: "Made by AI", from: 9 } };
  const { warnings } = await validate({ clips: [{ ...clip, position: 2.5, end: 3 }, clip], options: label });
  expect(summary(warnings)).toEqual(
    expect.arrayContaining([
      "clips.0.position gap",
      "clips.1.position gap",
      "options.disclosure.from overlay_past_end",
    ]),
  );
  const seconds = warnings.flatMap(({ message }: Entry) => /for ([\d.]+) s/.exec(message)?.[1] ?? []);
  expect(seconds).toEqual(["0.5", "1.5"]);
  expect(summary((await validate({ clips: [{ ...clip, position: 0 }] })).warnings)).not.toContain("gap");
});

test("the time is unknown before the first export, and estimated from what is not cached afterwards", async () => {
  const body = { projectId, workId, options, audio: {}, clips: [{ sceneIndex: 0, position: 0, end: 1.5 }] };
  const before = await validateBody(body);
  expect(before).toMatchObject({ segments: { total: 3, cached: 0 }, estimatedSeconds: null });
  expect(before.estimatedBytes).toBeGreaterThan(0);

  const sizeBytes = (await (await ann.json("POST", "/api/export", body)).bytes()).length;
  const after = await validateBody(body);
  expect(after).toMatchObject({ segments: { total: 3, cached: 3 }, estimatedSeconds: 0 });
  const edited = await validateBody({ ...body, texts: [{ text: "a", position: 0, end: 1 }] });
  expect(edited.segments).toEqual({ total: 3, cached: 1 });
  expect(edited.estimatedSeconds).toBeGreaterThan(0);
  for (const { estimatedBytes } of [after, edited]) {
    expect(Math.abs(estimatedBytes / sizeBytes - 1)).toBeLessThan(0.5);
  }
});

test("schema errors and missing files are reported together", async () => {
  const report = await validate({
    clips: [...clips, { sceneIndex: 7, position: 1, end: 1, transition: "spiral" }],
    texts: [{ text: "x", position: 0, end: 1, fontColor: "nope", fontAssetId: "asset_1" }],
    images: [{ assetId: "asset_gone", position: 0, end: 0 }],
    audio: { audioUrl: "file:///etc/passwd" },
    options: { width: 1081 },
  });
  expect(report).toMatchObject({ status: 200, ok: false, durationSeconds: null, frames: null, warnings: [] });
  expect(summary(report.errors).sort()).toEqual([
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

test("all missing files are reported, with the duration and warnings that do not need them", async () => {
  const font = await work.asset(png());
  const report = await validate({
    clips: [...clips, { sceneIndex: 8, position: 1, end: 2 }, { sceneIndex: 9, position: 2, end: 3 }],
    texts: [
      { text: "late", position: 9, end: 10 },
      { text: "x", position: 0, end: 1, fontAssetId: font.id },
    ],
    images: [{ assetId: "asset_gone", position: 0, end: 1 }],
    audio: { audioUrl: "/api/projects/proj_1/assets/asset_1" },
  });
  expect(report).toMatchObject({ ok: false, durationSeconds: 3, frames: 90 });
  expect(summary(report.errors)).toEqual(
    expect.arrayContaining([
      "clips.1.sceneIndex scene_video_missing",
      "clips.2.sceneIndex scene_video_missing",
      "texts.1.fontAssetId font_unusable",
      "images.0.assetId asset_missing",
      "audio.audioUrl asset_missing",
    ]),
  );
  expect(report.errors).toHaveLength(5);
  // for people: no ids
  const [image] = report.errors.filter(({ path }: { path: string }) => path.startsWith("images"));
  expect(image.message).toBe("The file of the image at 0–1 s does not exist in this project.");
  expect(summary(report.warnings)).toContain("texts.0.position overlay_past_end");
});

const invalid: [string, object][] = [
  ["a missing scene", { clips: [{ ...clips[0], sceneIndex: 7 }] }],
  ["an unknown transition", { clips: [{ ...clips[0], transition: "spiral" }] }],
  ["a missing image", { images: [{ assetId: "asset_gone", position: 0, end: 1 }] }],
  ["a forbidden URL", { audio: { audioUrl: "http://127.0.0.1/music.mp3" } }],
  ["a missing file of another project", { audio: { audioUrl: "/api/projects/proj_1/assets/asset_1" } }],
];

test.each(invalid)("for %s an export gives the error that its validation gave", async (_, body) => {
  const { errors } = await validate(body);
  const response = await ann.json("POST", "/api/export", { projectId, workId, options, clips, audio: {}, ...body });
  const { code, details } = await response.json();

  expect(errors.map(({ path, code: reported }: Entry) => ({ path, code: reported }))).toEqual([
    { path: details[0].path, code },
  ]);
});

test("an external URL is not downloaded", async () => {
  const { ok, errors } = await validate({ audio: { audioUrl: "http://music.invalid/theme.mp3" } });
  expect([ok, errors]).toEqual([true, []]);
});

test("a webhook's URL is checked", async () => {
  const { errors } = await validate({ webhook: { url: "http://127.0.0.1/hear" } });
  expect(summary(errors)).toEqual(["webhook.url url_not_allowed"]);
});

describe("with several targets", () => {
  const targets = ["9:16", "1:1"];

  test("the frames of all are counted, and texts outside the safe zone are moved inside", async () => {
    const texts = [{ text: "a", fontSize: 8, centerX: 30, position: 0, end: 1 }];
    const report = await validate({ texts, options: { ...options, targets } });
    expect(report).toMatchObject({ ok: true, durationSeconds: 1, frames: 60, segments: { total: 4, cached: 0 } });
    expect(report.warnings).toEqual([]);
  });

  test("each is checked on its own frame", async () => {
    const texts = [{ text: "wide as that", fontSize: 8, maxWidth: 64, position: 0, end: 1 }];
    const { warnings } = await validate({ texts, options: { ...options, targets: [...targets, "16:9"] } });
    expect(warnings).toMatchObject([{ path: "texts.0", code: "text_too_wide", targets }]);
  });

  test("the cached segments of each are counted, and the rest is estimated", async () => {
    const half = [{ sceneIndex: 0, position: 0, end: 0.5 }];
    const requestFor = (...named: string[]) => ({
      projectId,
      workId,
      clips: half,
      options: { ...options, targets: named },
    });
    const { id } = await (await ann.json("POST", "/api/exports", requestFor(...targets))).json();
    await (await ann.request(`/api/exports/${id}/events`)).text();
    const { files } = await (await ann.request(`/api/exports/${id}`)).json();

    const same = await validateBody(requestFor(...targets));
    const more = await validateBody(requestFor(...targets, "4:5"));
    expect(same.segments).toEqual({ total: 2, cached: 2 });
    expect(Math.abs(same.estimatedBytes / (files[0].size + files[1].size) - 1)).toBeLessThan(0.5);
    expect(more.segments).toEqual({ total: 3, cached: 2 });
    expect(more.estimatedBytes).toBeGreaterThan(same.estimatedBytes);
  });
});

test("a request without clips is validated with the saved editor", async () => {
  const empty = await newWork(ann);
  const report = await validateBody({ projectId: empty.projectId, workId: empty.workId });
  expect(summary(report.errors)).toEqual(["clips nothing_to_export"]);
});

test("two items of one track with the same id in the saved editor give a warning, also in the export", async () => {
  const twice = await newWork(ann);
  await twice.image(0, png(64, 36));
  const item = (id: string, more: object = {}) => ({ id, start: 0, end: 0.2, ...more });
  const { editorState } = await requireJson(
    ann.json("PUT", twice.base, {
      editorState: {
        editorData: {
          videoTrack: [item("v", { sceneIndex: 0 }), item("w", { sceneIndex: 0, start: 0.2, end: 0.4 })],
          textTrack: [item("gone"), item("text-1"), item("text-1"), item("image-1")],
        },
        textOverlays: { "text-1": { text: "a", fontSize: 8 }, "image-1": { text: "b", fontSize: 8 } },
        exportSettings: options,
      },
    }),
  );
  const body = { projectId: twice.projectId, workId: twice.workId, audio: { volume: 0 } };
  const { warnings } = await validateBody(body);
  expect(summary(warnings).filter((each) => each.includes("duplicate"))).toEqual(["texts.1 duplicate_id"]);
  const named = warnings.find(({ code }: Entry) => code === "duplicate_id").message;
  expect(named).toContain(JSON.stringify(editorState.textTrack[1].id));
  const { id } = await requireJson(ann.json("POST", "/api/exports", body));
  await (await ann.request(`/api/exports/${id}/events`)).text();
  expect((await requireJson(ann.request(`/api/exports/${id}`))).warnings).toEqual(warnings);
  expect(new Set(editorState.textTrack.map((action: { id: string }) => action.id)).size).toBe(3);
  expect(summary((await validateBody({ ...body, texts: [] })).warnings).join()).not.toContain("duplicate");
});

test("another user's work gives 404, whatever else is wrong", async () => {
  const bob = await service.register("Bob");
  expect(await validateBody({ projectId, workId, clips: 7 }, bob)).toMatchObject({ status: 404, code: "not_found" });
  expect(await validateBody({ projectId, workId: "work_1" })).toMatchObject({ status: 404, code: "not_found" });
});

test("a missing work id is reported like any error; only malformed JSON gives 400", async () => {
  const withoutWork = await validateBody({ projectId, clips: "nonsense" });
  expect([withoutWork.status, summary(withoutWork.errors)]).toEqual([
    200,
    ["workId validation_error", "clips validation_error"],
  ]);
  expect(await validateBody([])).toMatchObject({ status: 200, ok: false });

  const headers = { "content-type": "application/json" };
  const malformed = await ann.request("/api/export/validate", { method: "POST", headers, body: "{" });
  expect(malformed.status).toBe(400);
});

test("a validation creates no export", async () => {
  const { count } = await (await ann.json("GET", "/api/exports")).json();
  await validate({});
  expect((await (await ann.json("GET", "/api/exports")).json()).count).toBe(count);
});

const warnings: [string, object][] = [
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
  ["texts.0 text_too_wide", { texts: [{ text: "wider than that", fontSize: 12, maxWidth: 99, position: 0, end: 1 }] }],
  ["texts.0 text_outside_safe_zone", { texts: [{ text: "a", fontSize: 8, centerX: 30, position: 0, end: 1 }] }],
  ["texts.0 text_cut", { texts: [{ text: "HH", fontSize: 12, centerX: 30, position: 0, end: 1 }] }],
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

test.each(warnings)("the warning %s is reported", async (expected, body) => {
  const { ok, warnings } = await validate(body);
  expect([ok, summary(warnings)]).toEqual([true, [expected]]);
});

test("a work without uploaded audio gives the warning audio_missing", async () => {
  const silent = await newWork(ann);
  await silent.image(0, png(64, 36));
  const { warnings } = await validateBody({
    projectId: silent.projectId,
    workId: silent.workId,
    options,
    clips,
    audio: {},
  });
  expect(summary(warnings)).toEqual(["audio audio_missing", "audio silent_result"]);
});

test("a clip with sound gives no silent_result unless it is muted", async () => {
  const path = join(folder, "loud.mp4");
  await draw(path, "color=c=red:s=64x36:r=30:d=1[out0];sine=f=300:d=1[out1]", "-pix_fmt", "yuv420p");
  const loud = await newWork(ann);
  await loud.scene(0, new File([await Bun.file(path).bytes()], "loud.mp4", { type: "video/mp4" }));
  const body = { projectId: loud.projectId, workId: loud.workId, options };

  expect((await validateBody({ ...body, clips })).warnings).toEqual([]);
  const muted = await validateBody({ ...body, clips: [{ ...clips[0], volume: 0 }] });
  expect(summary(muted.warnings)).toEqual(["audio silent_result"]);
});
