import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { textOf } from "../support/child-processes.ts";
import { builtCommandLine } from "../support/client-package.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { testService } from "../support/service.ts";
import { listen, png } from "../support/uploads.ts";
import { newWork, requireJson } from "../support/work-videos.ts";

const service = await testService();
const server = listen(service);
const folder = await temporaryFolder();
const bin = await builtCommandLine(folder);
const ann = await service.register("Ann");

afterAll(async () => {
  await server.stop();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function reelwright(...args: string[]) {
  const child = Bun.spawn(["node", bin, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", HOME: folder, REELWRIGHT_URL: server.url, REELWRIGHT_TOKEN: ann.accessToken },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, exitCode] = await Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited]);
  return { output, errors, exitCode };
}

const work = await newWork(ann);
await work.image(0, png(64, 64, "#ff0000"));
const { projectId } = work;
const logo = await work.asset(png(8, 8));
const brand = { logo: { assetId: logo.id, place: "top-right" } };
await requireJson(ann.json("PUT", `/api/projects/${projectId}`, { styleGuide: { brand } }));
await Bun.write(
  `${folder}/request.json`,
  JSON.stringify({
    ...{ projectId, workId: work.workId },
    clips: [{ sceneIndex: 0, position: 0, end: 0.2 }],
    options: { width: 64, height: 64, fps: 30, quality: "draft", brand: true, disclosure: "auto" },
  }),
);
const { id } = JSON.parse((await reelwright("export", "request.json", "-o", "film.mp4", "--json")).output);
const film = await requireJson(ann.request(`/api/exports/${id}/film.json`));

test("a film of a brand is made again from its value, byte by byte", async () => {
  await Bun.write(`${folder}/film.json`, JSON.stringify(film));
  expect(film.request.options).toEqual({ width: 64, height: 64, fps: 30, quality: "draft", disclosure: "off" });
  expect(await reelwright("rebuild", "film.json", "-o", "again.mp4")).toMatchObject({
    exitCode: 0,
    errors: expect.stringContaining("The film is the same"),
  });
  const [one, other] = await Promise.all(["film", "again"].map((name) => Bun.file(`${folder}/${name}.mp4`).bytes()));
  expect(Buffer.from(other!).equals(one!)).toBe(true);
});

test("a film that was made with another ffmpeg, other fonts and other files says which", async () => {
  const engine = { ...film.engine, ffmpeg: { version: "0.1", sha256: "a" }, texts: "b" };
  const other = { ...film, id: "other", engine, inputs: { ...film.inputs, "clips.0": "c" } };
  await Bun.write(`${folder}/other.json`, JSON.stringify(other));
  const { errors, exitCode } = await reelwright("rebuild", "other.json", "-o", "other.mp4");
  expect(exitCode).toBe(1);
  for (const part of ["engine.ffmpeg.version", "engine.ffmpeg.sha256", "engine.texts", "clips.0 (file)"])
    expect(errors).toContain(part);
  expect(errors).not.toContain("engine.renderer");
});

test("a check lists the rules that a video breaks, and an edit is downloaded in the format of its name", async () => {
  const { output, errors, exitCode } = await reelwright("check", "request.json", "--platform", "tiktok");
  expect(exitCode).toBe(4);
  expect(output).toContain("fail tiktok ");
  expect(errors).toContain("tiktok does not take it");
  expect(await reelwright("timeline", id, "-o", "film.otio")).toMatchObject({ exitCode: 0, output: "film.otio\n" });
  expect(await Bun.file(`${folder}/film.otio`).json()).toMatchObject({ OTIO_SCHEMA: "Timeline.1" });
  expect(await reelwright("timeline", id, "-o", "film.txt")).toMatchObject({ exitCode: 2 });
});
