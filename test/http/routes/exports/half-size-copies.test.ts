import { afterAll, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { draw } from "../../../helpers/media/draw-media.ts";
import { temporaryFolder } from "../../../helpers/media/ffmpeg.ts";
import { testService } from "../../../helpers/service.ts";
import { newWork } from "../../../helpers/work-videos.ts";

const service = await testService();
const ann = await service.register();
const folder = await temporaryFolder();

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** A video of 1280 × 720 in one color. */
async function largeVideo(color: string): Promise<File> {
  const path = await draw(join(folder, `${color}.mp4`), `color=${color}:s=1280x720:r=10:d=0.5`, "-c:v", "libx264");
  return new File([await Bun.file(path).bytes()], "large.mp4", { type: "video/mp4" });
}

const copiesOf = async (projectId: string) => {
  const entries = await readdir(join(service.dataDir, "prepared/cache", projectId), {
    recursive: true,
    withFileTypes: true,
  }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).length;
};

test("videos of scenes and assets get a copy, of which there is one for equal files and none after the project", async () => {
  const work = await newWork(ann);
  const red = await largeVideo("red");
  await work.scene(0, red);
  await work.asset(red);
  await work.asset(await largeVideo("blue"));
  await service.services.preparation.untilIdle();
  expect(await copiesOf(work.projectId)).toBe(2);

  const { projectId, workId } = work;
  const request = {
    projectId,
    workId,
    clips: [{ sceneIndex: 0, position: 0, end: 0.5 }],
    options: { quality: "draft" },
  };
  const film = await ann.json("POST", "/api/export", request);
  expect(film.status).toBe(200);
  await film.arrayBuffer();
  const sheet = await ann.json("POST", "/api/export/contact-sheet", request);
  expect(sheet.status).toBe(200);

  expect((await ann.request(`/api/projects/${projectId}`, { method: "DELETE" })).status).toBe(204);
  expect(await copiesOf(projectId)).toBe(0);
});
