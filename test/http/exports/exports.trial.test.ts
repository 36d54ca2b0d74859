import { afterAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { testService } from "../../support/service.ts";
import { listen } from "../../support/uploads.ts";
import { newPictureFilm } from "../../support/work-videos.ts";

const service = await testService();
const ann = await service.register("Ann");
const { work, request } = await newPictureFilm(ann);
const { projectId, workId } = work;

afterAll(() => service.close());

/** The files and folders of jobs that run, or that left something behind: an empty job folder counts too. */
async function jobEntries(): Promise<readonly string[]> {
  const entries = await readdir(join(service.dataDir, "jobs"), { recursive: true });
  return entries.filter((entry) => entry.includes("/"));
}

/** Polls the job folders until they match; the timeout of the test ends a fruitless wait. */
async function untilJobs(matches: (entries: readonly string[]) => boolean) {
  while (!matches(await jobEntries())) await Bun.sleep(5);
}

const isEmpty = (entries: readonly string[]) => entries.length === 0;
const isRendering = (entries: readonly string[]) => entries.some((entry) => entry.includes("segment-"));

test("a finished export leaves no files in its job folder", async () => {
  const response = await ann.json("POST", "/api/export", request);
  expect([response.status, (await response.bytes()).length > 0]).toEqual([200, true]);
  await untilJobs(isEmpty);
});

test("an export stops when its client disconnects, and leaves no files", async () => {
  await untilJobs(isEmpty);
  const server = listen(service);
  const client = new AbortController();
  const long = [{ sceneIndex: 0, position: 0, end: 60 }];
  const response = fetch(`${server.url}/api/export`, {
    method: "POST",
    headers: { authorization: `Bearer ${ann.accessToken}`, "content-type": "application/json" },
    body: JSON.stringify({ projectId, workId, clips: long, options: { width: 1280, height: 720 } }),
    signal: client.signal,
  });
  await untilJobs(isRendering);
  client.abort();

  await expect(response).rejects.toThrow();
  await untilJobs(isEmpty);
  await server.stop();
});
