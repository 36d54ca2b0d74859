import { afterAll, beforeEach, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { temporaryFolder } from "../helpers/media/ffmpeg.ts";
import { heldFfmpeg } from "../helpers/media/held-ffmpeg.ts";
import { type TestUser, testService } from "../helpers/service.ts";
import { formOf, newProject, png, wav } from "../helpers/uploads.ts";
import { newFilm } from "../helpers/work-videos.ts";

// the slots of one user for frames and for exports
const concurrency = 2;
const { ffmpeg, ...held } = heldFfmpeg(await findFfmpeg(process.env.FFMPEG_PATH));
const service = await testService({ EXPORT_CONCURRENCY: `${concurrency}` }, undefined, undefined, ffmpeg);
const folder = await temporaryFolder();
const [ann, bob] = [await service.register("Ann"), await service.register("Bob")];
const [annsFilm, bobsFilm] = [await newFilm(ann, folder), await newFilm(bob, folder)];

beforeEach(() => held.hold());

afterAll(async () => {
  held.pass();
  held.release();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const times = <T>(count: number, start: () => T): T[] => Array.from({ length: count }, start);

test("an upload does not wait for another user's sound files", async () => {
  const upload = async (user: TestUser, file: File) =>
    user.request(`/api/projects/${await newProject(user)}/assets`, { method: "POST", body: formOf({ file }) });
  const anns = times(4, () => upload(ann, wav()));
  await held.heldCount(2);
  held.pass();

  for (const file of [png(), wav()]) expect((await upload(bob, file)).status).toBe(201);

  held.release();
  for (const response of anns) expect((await response).status).toBe(201);
});

test("the full queue of one user's frames leaves those of others as they are", async () => {
  const left = new AbortController();
  const frame = async (user: TestUser, { request }: typeof annsFilm, init: RequestInit = {}) =>
    user.request("/api/export/frame?t=0.5", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
      ...init,
    });
  const anns = times(concurrency + 33, () => frame(ann, annsFilm, { signal: left.signal }));
  const refused = await Promise.race(anns);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
  await held.heldCount(concurrency);
  held.pass();

  expect((await frame(bob, bobsFilm)).status).toBe(200);

  left.abort();
  await Promise.allSettled(anns);
});

test("a local video does not wait for another user's", async () => {
  const image = `data:image/png;base64,${(await png(64, 36).bytes()).toBase64()}`;
  const body = { prompt: "A kettle", image_url: image, duration: 1, resolution: { width: 64, height: 36 } };
  const generate = async (user: TestUser) => user.json("POST", "/api/generate/video", body);
  const anns = times(4, () => generate(ann));
  await held.heldCount(2);
  held.pass();

  expect((await generate(bob)).status).toBe(200);

  held.release();
  for (const response of anns) expect((await response).status).toBe(200);
});

test("an export does not wait for another user's", async () => {
  const exportFilm = async (user: TestUser, { request }: typeof annsFilm) => user.json("POST", "/api/export", request);
  const anns = times(3, () => exportFilm(ann, annsFilm));
  await held.heldCount(concurrency);
  held.pass();

  expect((await exportFilm(bob, bobsFilm)).status).toBe(200);

  held.release();
  for (const response of anns) expect((await response).status).toBe(200);
});
