import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { exportVideo, register, uploader } from "../../../scripts/demo/api.ts";
import * as local from "../../../scripts/demo/local.ts";
import { createBasics, type DemoBasics } from "../../../scripts/demo/media.ts";
import { titleOverlay } from "../../../scripts/demo/titles.ts";
import { connect } from "../../../src/client.ts";
import { findFfmpeg } from "../../../src/media/ffmpeg/ffmpeg.ts";
import { ffmpegInspector } from "../../../src/media/inspect/inspect.ts";
import { lumaFrames, soundSamples } from "../../helpers/media/draw-media.ts";
import { ffmpegs, temporaryFolder } from "../../helpers/media/ffmpeg.ts";
import { testService } from "../../helpers/service.ts";

const service = await testService();
const server = Bun.serve({ port: 0, fetch: (request) => service.app.fetch(request) });
const url = server.url.origin;
let media: DemoBasics;

beforeAll(async () => {
  media = await createBasics();
});

afterAll(async () => {
  await server.stop(true);
  await service.close();
  await rm(media.folder, { recursive: true, force: true });
});

const format: local.VideoFormat = { resolution: { width: 72, height: 128 }, videoDuration: 3, sceneCount: 3 };

test("makes a video from a product's name and palette without an API key", async () => {
  const token = await register(url);
  const api = connect(url, { token });
  const upload = uploader(url, token);
  const projectId = await local.createProject(api, local.sunrise);
  const fontAssetId = await upload(`/api/projects/${projectId}/assets`, "file", media.font);
  const workId = await local.createWork(api, projectId, local.sunrise, format);
  const path = { projectId, workId };

  const scenes = await local.writeScenario(api, path);
  for (const { scene_index } of scenes) await local.generateScene(api, path, scene_index);
  await upload(`/api/projects/${projectId}/works/${workId}/media/audio`, "audio", media.music);
  const { palette } = local.sunrise;
  await local.saveEdit(api, path, scenes, { palette, fontAssetId, resolution: format.resolution });
  const out = `${media.folder}/video.mp4`;
  const summary = await exportVideo(api, projectId, workId, out);

  expect(summary).toEndWith("warnings []");
  const [build] = ffmpegs();
  const facts = await ffmpegInspector({ ffmpeg: await findFfmpeg(build!.path), makeFolder: temporaryFolder }).inspect(
    out,
    { owner: "ann" },
  );
  expect(facts).toMatchObject({ width: 72, height: 128, durationSeconds: 3, hasSound: true });
  expect(await lumaFrames(build!, out, format.resolution)).toHaveLength(90);
  expect(Math.max(...(await soundSamples(build!, out)))).toBeGreaterThan(0.1);
});

test("the options describe the product, and the default description applies to the default product only", () => {
  const palette = "#123456, rgb(1, 2, 3),hotpink";
  expect(local.productOf({ product: "Sunrise Coffee", palette })).toMatchObject({
    description: local.sunrise.description,
    palette: ["#123456", "rgb(1, 2, 3)", "hotpink"],
  });
  expect(local.productOf({ product: "Volt", palette })).toMatchObject({ name: "Volt", description: "" });
  expect(local.productOf({ product: "Volt", description: "Fast.", palette })).toMatchObject({ description: "Fast." });
});

test("shorter titles get larger fonts", () => {
  const look = { palette: local.sunrise.palette, fontAssetId: "font", resolution: local.portrait.resolution };
  const sizes = ["Go.", "よく見てください。", "Meet Sunrise Coffee.", "A sentence that takes three lines."].map(
    (text) => titleOverlay(text, "first", look).fontSize,
  );
  expect(sizes.map(Math.round)).toEqual([124, 89, 104, 94]);
});
