import { afterAll, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { draw } from "../../support/media/draw-media.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { newWork } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register();
const folder = await temporaryFolder();

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A video of 1280 × 720 in one color. */
async function largeVideo(color: string): Promise<File> {
  const path = await draw(join(folder, `${color}.mp4`), `color=${color}:s=1280x720:r=10:d=0.5`, "-c:v", "libx264");
  return new File([await Bun.file(path).bytes()], "large.mp4", { type: "video/mp4" });
}

const proxiesOf = async (projectId: string) => {
  const entries = await readdir(join(service.dataDir, "proxies/cache", projectId), {
    recursive: true,
    withFileTypes: true,
  }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).length;
};

const untilProxies = async (projectId: string, count: number) => {
  while ((await proxiesOf(projectId)) < count) await Bun.sleep(20);
};

test("a draft or a contact sheet makes the proxies of what it shows, an upload none; they go with the project", async () => {
  const work = await newWork(ann);
  const { projectId, workId } = work;
  const red = await largeVideo("red");
  await work.scene(0, red);
  await work.asset(red);
  await work.scene(1, await largeVideo("blue"));
  const request = (sceneIndex: number, options = {}, end = 0.5) => ({
    projectId,
    workId,
    clips: [{ sceneIndex, position: 0, end }],
    options,
  });
  const send = async (path: string, body: object) => {
    const response = await ann.json("POST", path, body);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  };
  await send("/api/export", request(1, { quality: "standard" }));
  await send("/api/export", request(0, { quality: "draft" }));
  await untilProxies(projectId, 1);
  expect(await proxiesOf(projectId)).toBe(1);
  // other frames than those of the export, which would be decoded from its segments
  await send("/api/export/contact-sheet", request(1, {}, 0.4));
  await untilProxies(projectId, 2);
  await send("/api/export", request(0, { quality: "draft" }));

  expect((await ann.request(`/api/projects/${projectId}`, { method: "DELETE" })).status).toBe(204);
  expect(await proxiesOf(projectId)).toBe(0);
});
