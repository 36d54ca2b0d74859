import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { productTable, restedBatch } from "../support/batches.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { serviceProcesses } from "../support/processes.ts";
import { registerOn } from "../support/service.ts";
import { numberedVideo, requireJson } from "../support/work-videos.ts";

const { start, end } = await serviceProcesses();
const folder = await temporaryFolder();
afterAll(async () => {
  await end();
  await rm(folder, { recursive: true, force: true });
});

const count = 12;

test("after the service is killed in the middle of a table, its next start makes the other films, and none twice", async () => {
  let { url, launched } = await start();
  const ann = await registerOn((path, init) => fetch(`${url}${path}`, init), "Ann");
  const { base, path } = await productTable(ann, await numberedVideo(folder, 10));
  const rows = Array.from({ length: count }, (_, price) => ({ name: "Bike", price }));
  const { id } = await requireJson(ann.json("POST", path, { base, rows, concurrency: 2 }));

  const events = await ann.request(`${path}/${id}/events`);
  const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; !/"done":[2-9]/.test(text); text = (await reader.read()).value ?? '"done":9');
  launched.kill("SIGKILL");
  await launched.exited;
  await reader.cancel().catch(() => {});

  ({ url, launched } = await start());
  const batch = await restedBatch(ann, `${path}/${id}`);
  expect(batch).toMatchObject({ status: "done", counts: { films: count, done: count } });
  const { films } = await requireJson(ann.request(`${path}/${id}/films`));
  expect(new Set(films.map(({ sha256 }: { sha256: string }) => sha256)).size).toBe(count);
  const { exports } = await requireJson(ann.request("/api/exports?limit=100"));
  expect(exports.map(({ status }: { status: string }) => status)).toEqual(Array(count).fill("done"));
});
