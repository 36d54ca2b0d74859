import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { download, exportVideo, register, uploader } from "../../../scripts/demo/api.ts";
import { wordsOnBeats } from "../../../scripts/demo/captions.ts";
import { darkest, inkAgainst } from "../../../scripts/demo/inks.ts";
import { createMedia, type DemoMedia } from "../../../scripts/demo/media.ts";
import { productOf, sunrise } from "../../../scripts/demo/product.ts";
import * as works from "../../../scripts/demo/works.ts";
import { connect } from "../../../src/client.ts";
import { ffmpegInspector } from "../../../src/media/inspect/inspect.ts";
import { lumaFrames, soundSamples } from "../../support/media/draw-media.ts";
import { ffmpegs, foundFfmpeg, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { testService } from "../../support/service.ts";

const service = await testService();
const server = Bun.serve({ port: 0, fetch: (request) => service.app.fetch(request) });
const url = server.url.origin;
let media: DemoMedia;

beforeAll(async () => {
  media = await createMedia(sunrise.palette);
});

afterAll(async () => {
  await server.stop(true);
  await service.close();
  await rm(media.folder, { recursive: true, force: true });
});

const format: works.VideoFormat = { resolution: { width: 72, height: 128 }, videoDuration: 6, sceneCount: 3 };

test("makes a video from a product's name and palette without an API key", async () => {
  const token = await register(url);
  const api = connect(url, { token });
  const upload = uploader(url, token);
  const projectId = await works.createProject(api, sunrise);
  const assets = `/api/projects/${projectId}/assets`;
  const fontAssetId = await upload(assets, "file", media.font);
  const logo = await upload(assets, "file", media.logo);
  const workId = await works.createWork(api, projectId, sunrise, format);
  const path = { projectId, workId };

  const scenes = await works.writeScenario(api, path);
  const images: Uint8Array[] = [];
  for (const { scene_index } of scenes) {
    images.push(await download(url, token, await works.generateScene(api, path, scene_index)));
  }
  await upload(`/api/projects/${projectId}/works/${workId}/media/audio`, "audio", media.music);
  const size = format.resolution;
  const templateId = await works.createTemplate(api, projectId, logo, { size, endCardPercent: 70 });
  await works.applyTemplate(api, path, templateId);
  const look = { product: sunrise, fontAssetId, size };
  const saved = await works.saveEdit(api, path, scenes, { ...look, lastImage: images.at(-1)! });
  const texts = Object.values(saved.editorState?.textOverlays ?? {}).map(({ text }) => text);
  expect(texts).toEqual(["Order today"]);
  const captions = works.sceneCaptions(scenes, look);
  expect(captions.words.map(({ text }) => text).join(" ")).toStartWith("Look closer.");
  const out = `${media.folder}/video.mp4`;
  const summary = await exportVideo(api, { ...path, captions }, out);

  expect(summary).toEndWith("warnings []");
  const [build] = ffmpegs();
  const facts = await ffmpegInspector({ ffmpeg: await foundFfmpeg(build!.path), makeFolder: temporaryFolder }).inspect(
    out,
    { owner: "ann" },
  );
  expect(facts).toMatchObject({ width: 72, height: 128, durationSeconds: 6, hasSound: true });
  expect(await lumaFrames(build!, out, format.resolution)).toHaveLength(180);
  expect(Math.max(...(await soundSamples(build!, out)))).toBeGreaterThan(0.1);
});

test("the options describe the product, and the default description applies to the default product only", () => {
  const palette = "#123456, rgb(1, 2, 3),hotpink";
  expect(productOf({ product: "Sunrise Coffee", palette })).toMatchObject({
    description: sunrise.description,
    palette: ["#123456", "rgb(1, 2, 3)", "hotpink"],
  });
  expect(productOf({ product: "Volt", palette })).toMatchObject({ name: "Volt", description: "" });
  expect(productOf({ product: "Volt", description: "Fast.", palette })).toMatchObject({ description: "Fast." });
});

test("words are said on the beats of their scene, or on halves of beats if there are many", () => {
  const said = (text: string, end: number) => wordsOnBeats({ text, range: { start: 3, end } });
  expect(said("Meet Sunrise Coffee.", 8)).toEqual([
    { text: "Meet", start: 3.5, end: 4 },
    { text: "Sunrise", start: 4, end: 4.5 },
    { text: "Coffee.", start: 4.5, end: 7.75 },
  ]);
  expect(said("one two three four five", 5).map(({ start }) => start)).toEqual([3.5, 3.75, 4, 4.25, 4.5]);
  const many = said("one two three four five six", 4);
  expect([many[0]!.start, many.at(-1)!.end]).toEqual([3.5, 3.75]);
  expect(said(" ", 5)).toEqual([]);
});

test("an ink is the palette's most readable color, or black or white", () => {
  expect(inkAgainst("#fff8f0", sunrise.palette)).toBe("#1b1b3a");
  expect(inkAgainst("#1b1b3a", sunrise.palette)).toBe("#fff8f0");
  expect(inkAgainst("#777777", ["#888888"])).toBe("#000000");
  expect(darkest(sunrise.palette)).toBe("#1b1b3a");
});
