import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { download, exportVideo, register, uploader } from "../../../scripts/demo/api.ts";
import { inkAgainst } from "../../../scripts/demo/inks.ts";
import { createMedia, type DemoMedia } from "../../../scripts/demo/media.ts";
import { productOf, sunrise } from "../../../scripts/demo/product.ts";
import { fitTitle } from "../../../scripts/demo/titles.ts";
import * as works from "../../../scripts/demo/works.ts";
import { connect } from "../../../src/client.ts";
import { ffmpegInspector } from "../../../src/media/inspect/inspect.ts";
import { lumaFrames, soundSamples } from "../../helpers/media/draw-media.ts";
import { ffmpegs, foundFfmpeg, temporaryFolder } from "../../helpers/media/ffmpeg.ts";
import { testService } from "../../helpers/service.ts";

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

const format: works.VideoFormat = { resolution: { width: 72, height: 128 }, videoDuration: 3, sceneCount: 3 };

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
  const saved = await works.saveEdit(api, path, scenes, { product: sunrise, fontAssetId, size, images });
  const texts = Object.values(saved.editorState?.textOverlays ?? {}).map(({ text }) => text);
  expect(texts).toEqual(expect.arrayContaining(["Order today", "Look"]));
  const out = `${media.folder}/video.mp4`;
  const summary = await exportVideo(api, projectId, workId, out);

  expect(summary).toEndWith("warnings []");
  const [build] = ffmpegs();
  const facts = await ffmpegInspector({ ffmpeg: await foundFfmpeg(build!.path), makeFolder: temporaryFolder }).inspect(
    out,
    { owner: "ann" },
  );
  expect(facts).toMatchObject({ width: 72, height: 128, durationSeconds: 3, hasSound: true });
  expect(await lumaFrames(build!, out, format.resolution)).toHaveLength(90);
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

test("titles are as large as their area allows, in lines of about equal length", () => {
  expect(fitTitle("Go.")).toEqual({ lines: ["Go."], fontSize: 138 });
  expect(fitTitle("Try Sunrise Coffee today.").lines).toEqual(["Try Sunrise", "Coffee today."]);
  expect(fitTitle("よく見てください。").lines).toEqual(["よく見てください。"]);
  const { fontSize, lines } = fitTitle("A sentence that is much too long for two lines of this size.");
  expect(lines).toHaveLength(3);
  expect(fontSize).toBeLessThan(90);
});

test("an ink is the palette's most readable color, or black or white", () => {
  expect(inkAgainst("#fff8f0", sunrise.palette)).toBe("#1b1b3a");
  expect(inkAgainst("#1b1b3a", sunrise.palette)).toBe("#fff8f0");
  expect(inkAgainst("#777777", ["#888888"])).toBe("#000000");
});
