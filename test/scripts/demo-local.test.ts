import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { exportFilm, register, uploader } from "../../scripts/demo-film.ts";
import * as local from "../../scripts/demo-local.ts";
import { type DemoSet, gatherSet } from "../../scripts/demo-media.ts";
import { titleOf } from "../../scripts/demo-titles.ts";
import { connect } from "../../src/client.ts";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { ffmpegInspector } from "../../src/media/inspect/inspect.ts";
import { ffmpegs } from "../helpers/ffmpeg.ts";
import { lumaFrames, soundSamples } from "../helpers/media.ts";
import { testService } from "../helpers/service.ts";

const service = await testService();
const server = Bun.serve({ port: 0, fetch: (request) => service.app.fetch(request) });
const url = server.url.origin;
let set: DemoSet;

beforeAll(async () => {
  set = await gatherSet();
});

afterAll(async () => {
  await server.stop(true);
  await service.close();
  await rm(set.folder, { recursive: true, force: true });
});

const form: local.Form = { resolution: { width: 72, height: 128 }, videoDuration: 3, sceneCount: 3 };

test("a product's name and a palette become a film, without a key", async () => {
  const token = await register(url);
  const [api, upload] = [connect(url, { token }), uploader(url, token)];
  const projectId = await local.createProject(api, local.sunrise);
  const fontAssetId = await upload(`/api/projects/${projectId}/assets`, "file", set.font);
  const workId = await local.createWork(api, projectId, local.sunrise, form);
  const path = { projectId, workId };

  const scenes = await local.writeScenario(api, path);
  for (const { scene_index } of scenes) await local.generateScene(api, path, scene_index);
  await upload(`/api/projects/${projectId}/works/${workId}/media/audio`, "audio", set.music);
  const { palette } = local.sunrise;
  await local.saveCut(api, path, scenes, { palette, fontAssetId, resolution: form.resolution });
  const out = `${set.folder}/film.mp4`;
  const report = await exportFilm(api, projectId, workId, out);

  expect(report).toEndWith("warnings []");
  const [build] = ffmpegs();
  const facts = await ffmpegInspector(await findFfmpeg(build!.path)).inspect(out);
  expect(facts).toMatchObject({ width: 72, height: 128, durationSeconds: 3, hasSound: true });
  expect(await lumaFrames(build!, out, form.resolution)).toHaveLength(90);
  expect(Math.max(...(await soundSamples(build!, out)))).toBeGreaterThan(0.1);
});

test("the options of the command line tell the product, and what is said of one is not said of another", () => {
  const palette = "#123456, rgb(1, 2, 3),hotpink";
  expect(local.productOf({ product: "Sunrise Coffee", palette })).toMatchObject({
    description: local.sunrise.description,
    palette: ["#123456", "rgb(1, 2, 3)", "hotpink"],
  });
  expect(local.productOf({ product: "Volt", palette })).toMatchObject({ name: "Volt", description: "" });
  expect(local.productOf({ product: "Volt", description: "Fast.", palette })).toMatchObject({ description: "Fast." });
});

test("a title fills its lines, the shorter the larger", () => {
  const look = { palette: local.sunrise.palette, fontAssetId: "font", resolution: local.upright.resolution };
  const sizes = ["Go.", "よく見てください。", "Meet Sunrise Coffee.", "A sentence that takes three lines."].map(
    (text) => titleOf(text, "first", look).fontSize,
  );
  expect(sizes.map(Math.round)).toEqual([124, 89, 104, 94]);
});
