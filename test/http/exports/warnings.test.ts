import { afterAll, describe, expect, test } from "bun:test";
import { readdir, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { draw } from "../../support/media/draw-media.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService, storesOnDisk } from "../../support/service.ts";
import { mp4, png } from "../../support/uploads.ts";
import { newWork, numberedVideo, requireJson } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

type Entry = { readonly path: string; readonly code: string; readonly message: string };

/** A work with a silent video of a fifth of a second, 64 × 36. */
const work = await newWork(ann, { name: "Film" });
await work.scene(0, await numberedVideo(folder, 100, 6));
const { id: assetId } = await work.asset(png(8, 8));
const { projectId, workId } = work;
const clips = [
  { sceneIndex: 0, position: 0, end: 0.5, transition: "fade" },
  { sceneIndex: 0, position: 0.7, end: 0.9 },
];
const shown = { position: 0, end: 0.8, fontSize: 8 };
const texts = [
  { ...shown, text: "late", position: 5, end: 6 },
  { ...shown, text: "cut off", end: 6 },
  { ...shown, text: "much wider than the frame is", maxWidth: 400 },
  { ...shown, text: "a", centerX: 30 },
  { ...shown, text: "aside", centerX: 30 },
  { ...shown, text: "pale", background: "#eee" },
  { ...shown, text: "a\u{10FFFE}" },
];
const images = [{ assetId, position: 0, end: 0.3, width: 32, height: 32 }];
const options = { width: 64, height: 36, fps: 10 };
const request = { projectId, workId, clips, texts, images, options, audio: {} };

const allCodes = [
  "audio_missing",
  "fps_far_from_source",
  "glyph_missing",
  "overlay_past_end",
  "silent_result",
  "source_too_short",
  "source_upscaled",
  "text_cut",
  "text_low_contrast",
  "text_outside_safe_zone",
  "text_overlap",
  "text_too_wide",
  "transition_ignored",
];

const validate = async (body: object): Promise<{ errors: Entry[]; warnings: Entry[] }> =>
  requireJson(ann.json("POST", "/api/export/validate", body));

/** The states of an asynchronous export when it was accepted and after it has ended. */
async function exportAsync(path: string, body: object) {
  const accepted = await requireJson(ann.json("POST", path, body, { prefer: "respond-async" }));
  await (await ann.request(`/api/exports/${accepted.id}/events`)).text();
  return [accepted, await requireJson(ann.request(`/api/exports/${accepted.id}`))];
}

describe("the warnings of a validation", () => {
  test("are all listed, each place once", async () => {
    const { warnings } = await validate(request);
    expect([...new Set(warnings.map(({ code }) => code))].sort()).toEqual(allCodes);
    expect(new Set(warnings.map(({ path, code }) => `${path} ${code}`)).size).toBe(warnings.length);
  });

  test.each(["/api/export", "/api/exports"])("are those of an asynchronous export over %s", async (path) => {
    const { warnings } = await validate(request);
    const [accepted, ended] = await exportAsync(path, request);
    expect([accepted.warnings, ended.status, ended.warnings]).toEqual([warnings, "done", warnings]);
  });

  test("are in the header of a synchronous export, each code once", async () => {
    const { warnings } = await validate(request);
    const response = await ann.json("POST", "/api/export", request);
    await response.arrayBuffer();
    const codes = JSON.parse(response.headers.get("x-export-warnings")!);
    expect([response.status, codes]).toEqual([200, [...new Set(warnings.map(({ code }) => code))]]);
  });

  test("are those of an export of several targets", async () => {
    const body = { ...request, options: { ...options, targets: ["9:16", "16:9"] } };
    const { warnings } = await validate(body);
    const [accepted, ended] = await exportAsync("/api/exports", body);
    expect([accepted.warnings, ended.warnings]).toEqual([warnings, warnings]);
  });
});

test("a warning names its text, also beside a clip with a mask", async () => {
  const mask = { shape: "ellipse", width: 20, height: 20 };
  const body = { projectId, workId, clips: [{ ...clips[1], position: 0, mask }], texts: [texts[3]], options };
  const { warnings } = await requireJson(ann.json("POST", "/api/export/validate", body));
  const ofTexts = warnings.filter(({ code }: Entry) => code.startsWith("text_"));
  expect(ofTexts.map(({ path, code }: Entry) => [path, code])).toEqual([["texts.0", "text_outside_safe_zone"]]);
});

test("words of the scenario that the video neither shows nor says are named, unless there are none", async () => {
  const scripted = await newWork(ann, { scenes: [{ duration_seconds: 1, text_overlay: "Fresh today" }] });
  await scripted.scene(0, await mp4());
  const { projectId, workId } = scripted;
  const codesOf = async (more: object) => {
    const { warnings } = await validate({ projectId, workId, clips: [clips[0]], options, ...more });
    return warnings.map(({ code }) => code).filter((code) => code === "script_unused");
  };
  expect(await codesOf({})).toEqual(["script_unused"]);
  expect(await codesOf({ captions: {} })).toEqual([]);
  expect(await codesOf({ texts: [{ ...shown, text: "Fresh" }] })).toEqual([]);
  await ann.json("PUT", scripted.base, { scenes: [{ duration_seconds: 1, text_overlay: " " }] });
  expect(await codesOf({})).toEqual([]);
});

test("a text without a style of its own gives no warning", async () => {
  const { warnings } = await validate({ ...request, texts: [{ ...shown, text: "plain words that wrap" }], images: [] });
  expect(warnings.filter(({ path }) => path.startsWith("texts"))).toEqual([]);
});

test.if(storesOnDisk)("a font file that is damaged later fails the export, not its request", async () => {
  const font = Bun.file(
    join(import.meta.dir, "../../../node_modules/@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf"),
  );
  const { id } = await work.asset(new File([await font.bytes()], "Inter.ttf"));
  const stored = (await readdir(join(service.dataDir, "files", projectId))).filter((name) => name.endsWith(".ttf"));
  await Bun.write(join(service.dataDir, "files", projectId, stored[0]!), "no font");

  const body = {
    ...request,
    texts: [
      { ...shown, text: "a", fontAssetId: id },
      { ...shown, text: "b", centerX: 30 },
    ],
  };
  const report = await validate(body);
  expect(report.errors).toMatchObject([{ path: "texts.0.fontAssetId", code: "font_unusable" }]);
  const [accepted, ended] = await exportAsync("/api/exports", body);
  expect([accepted.warnings, ended.status, ended.code]).toEqual([report.warnings, "error", "font_unusable"]);
  const response = await ann.json("POST", "/api/export", body);
  expect([response.status, (await response.json()).code]).toEqual([422, "font_unusable"]);
});

test.if(storesOnDisk)("a picture that is cut in half later becomes no film", async () => {
  const stored = join(service.dataDir, "files", projectId);
  const pictures = async () => (await readdir(stored)).filter((name) => name.endsWith(".png"));
  const before = await pictures();
  const { id } = await work.asset(png(64, 64));
  const added = (await pictures()).filter((name) => !before.includes(name));
  expect(added).toHaveLength(1);
  const { size } = await stat(join(stored, added[0]!));
  await truncate(join(stored, added[0]!), Math.floor(size / 2));
  const body = { ...request, texts: [], images: [{ ...images[0]!, assetId: id }] };
  const response = await ann.json("POST", "/api/export", body);
  expect([response.status, (await response.json()).error]).toEqual([
    422,
    "An image is damaged or missing in the service's storage: upload it or make it again.",
  ]);
});

test.if(storesOnDisk)("a scene's picture that is cut in half later is named by its time", async () => {
  const scene = await newWork(ann);
  await scene.image(0, png(64, 64));
  const [row] = await service.services.workMedia.list(scene.workId);
  await service.services.files.withLocalFile(row!.file, (path) => truncate(path, 20));
  const clips = [{ sceneIndex: 0, position: 0, end: 0.1 }];
  const body = { projectId: scene.projectId, workId: scene.workId, clips, options: { width: 64, height: 64 } };
  const response = await ann.json("POST", "/api/export", body);
  expect([response.status, (await response.json()).error]).toEqual([
    422,
    "The export's image at 0–0.1 s is damaged or missing in the service's storage: upload it or make it again.",
  ]);
});

test.if(storesOnDisk).each([
  ["that stands still", {}],
  ["that is turned", { rotation: 3 }],
])("the video of a layer %s, and is cut in half later, is named by its time", async (_, placed) => {
  const scene = await newWork(ann);
  const path = await draw(
    `${folder}/layer.mp4`,
    "color=red:s=64x36:r=10:d=1",
    "-c:v",
    "libx264",
    "-pix_fmt",
    "yuv420p",
  );
  await scene.scene(0, new File([await Bun.file(path).bytes()], "layer.mp4", { type: "video/mp4" }));
  const [row] = await service.services.workMedia.list(scene.workId);
  await service.services.files.withLocalFile(row!.file, async (stored) => truncate(stored, 500));
  const layers = [{ type: "video", sceneIndex: 0, position: 0.5, width: 32, height: 18, ...placed }];
  const { projectId, workId } = scene;
  const body = { projectId, workId, clips: [], options: { width: 64, height: 36, fps: 10, duration: 1 }, layers };
  const error = {
    path: "layers",
    message: "The export's video at 0.5–1 s cannot be decoded: upload it again in another format.",
  };
  const film = await ann.json("POST", "/api/export", body);
  expect([film.status, (await film.json()).details]).toEqual([422, [error]]);
  const frame = await ann.json("POST", "/api/export/frame?t=0.7", body);
  expect([frame.status, (await frame.json()).details]).toEqual([422, [error]]);
});

test("music that cannot be used fails the export, not its request", async () => {
  const body = { ...request, audio: { audioUrl: "/api/projects/proj_1/assets/asset_1" } };
  const { errors } = await validate(body);
  const [accepted, ended] = await exportAsync("/api/exports", body);
  expect(errors).toMatchObject([{ path: "audio.audioUrl", code: "asset_missing" }]);
  expect([accepted.status, ended.status, ended.code]).toEqual(["queued", "error", "asset_missing"]);
});

test("a text that still has a placeholder is named", async () => {
  const { warnings } = await validate({ ...request, texts: [{ ...shown, text: "{{price}} €" }] });
  expect(warnings).toContainEqual({
    ...{ path: "texts.0.text", code: "placeholder_missing" },
    message: expect.stringContaining("{{price}}"),
  });
});
