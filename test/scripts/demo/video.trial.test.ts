import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { register } from "../../../scripts/demo/api.ts";
import { createProject, finishedFilm, orderFilm } from "../../../scripts/demo/film.ts";
import { foldaway, productOf } from "../../../scripts/demo/product.ts";
import { connect, unwrap } from "../../../src/client.ts";
import { ffmpegInspector } from "../../../src/engine/inspect/inspect.ts";
import { looks } from "../../support/looks.ts";
import { lumaFrames, soundSamples } from "../../support/media/draw-media.ts";
import { ffmpegs, foundFfmpeg, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { testService } from "../../support/service.ts";

const service = await testService();
const server = Bun.serve({ port: 0, fetch: (request) => service.app.fetch(request) });
const url = server.url.origin;
const folder = await temporaryFolder();

afterAll(async () => {
  await server.stop(true);
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

test("makes a video with sound from a product's name and facts by one order, without an API key", async () => {
  const token = await register(url);
  const api = connect(url, { token });
  const projectId = await createProject(api, foldaway);
  const ended: string[] = [];
  const ordered = await orderFilm(api, foldaway, { projectId, width: 72, seconds: 9 });
  const film = await finishedFilm(api, ordered, ({ id }) => ended.push(id));
  expect(ended).toEqual(expect.arrayContaining(["scenario", "scene-0-video", "export"]));
  expect(film.warnings.map(({ code }) => code)).toEqual([]);

  const path = { projectId, workId: film.workId };
  const work = await unwrap(api.api.projects[":projectId"].works[":workId"].$get({ param: path }));
  const clips = work.editorState?.editorData.videoTrack ?? [];
  const used = clips.slice(0, -1).map((clip) => clip.transitionType);
  const ofLooks = [...looks.values()].map(({ transitions }) => transitions.map(({ name }) => name));
  expect(ofLooks.some((names) => used.every((type) => names.includes(String(type))))).toBe(true);
  const texts = Object.values(work.editorState?.textOverlays ?? {}).map(({ text }) => String(text).replace("\n", " "));
  expect(texts[0]).toBe("Foldaway");
  expect(texts.slice(-3)).toEqual(["Foldaway", "Book a test ride", "foldaway.example"]);

  const out = `${folder}/video.mp4`;
  await api.downloadExport(film.exportId, { to: out });
  const [build] = ffmpegs();
  const facts = await ffmpegInspector({ ffmpeg: await foundFfmpeg(build!.path), makeFolder: temporaryFolder }).inspect(
    out,
    { owner: "ann" },
  );
  expect(facts).toMatchObject({ width: 72, height: 128, durationSeconds: 9, hasSound: true });
  expect(await lumaFrames(build!, out, { width: 72, height: 128 })).toHaveLength(270);
  expect((await soundSamples(build!, out)).some((level) => level > 0.1)).toBe(true);
});

test("the options describe the product, and the default description applies to the default product only", () => {
  const palette = "#123456, rgb(1, 2, 3),hotpink";
  expect(productOf({ product: "Foldaway", palette })).toMatchObject({
    description: foldaway.description,
    palette: ["#123456", "rgb(1, 2, 3)", "hotpink"],
  });
  expect(productOf({ product: "Volt", palette })).toMatchObject({ name: "Volt", description: "" });
  expect(productOf({ product: "Volt", description: "Fast.", palette })).toMatchObject({ description: "Fast." });
});
