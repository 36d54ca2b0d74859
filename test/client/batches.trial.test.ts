import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { BatchFailedError, connect } from "../../src/client.ts";
import { productTable } from "../support/batches.ts";
import { breakingFetch } from "../support/broken-fetch.ts";
import { textOf } from "../support/child-processes.ts";
import { builtCommandLine } from "../support/client-package.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { testService } from "../support/service.ts";
import { listen } from "../support/uploads.ts";
import { numberedVideo } from "../support/work-videos.ts";

const service = await testService();
const server = listen(service);
const folder = await temporaryFolder();
const ann = await service.register("Ann");
const isOrder = (url: string, { method }: RequestInit) => method === "POST" && url.endsWith("/batches");
const { fetch } = breakingFetch({ matches: isOrder, isLost: true });
const client = connect(server.url, { token: ann.accessToken, fetch });
const { projectId, workId, base } = await productTable(ann, await numberedVideo(folder, 10));
afterAll(async () => {
  await server.stop();
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const csv = "sku;name;price\r\na;Rad;19\r\nb;Helm;29\r\n";

test("a client checks a table, orders it once though an answer is lost, and reads its films", async () => {
  const order = { base, keyColumn: "sku" };
  const report = await client.validateBatch(projectId, { ...order, rows: [{ sku: "a", name: "Rad" }] });
  expect([report.ok, report.errors.map(({ column }) => column)]).toEqual([false, ["price"]]);

  const begun = await client.orderBatch(projectId, order, { table: new File([csv], "products.csv") });
  const seen: number[] = [];
  const done = await client.waitForBatch(begun, { onProgress: ({ counts }) => seen.push(counts.done) });
  expect(done).toMatchObject({ status: "done", counts: { rows: 2, done: 2 } });
  expect(seen.at(-1)).toBe(2);
  const { batches } = await (await client.fetch(`/api/projects/${projectId}/batches`)).json();
  expect(batches).toHaveLength(1);

  const films = await Array.fromAsync(client.batchFilms(begun, { status: "done" }));
  expect(films.map(({ key, fileName }) => [key, fileName])).toEqual([
    ["a", "a.mp4"],
    ["b", "b.mp4"],
  ]);
  const video = await client.downloadExport(films[0]!.exportId!);
  expect(video.size).toBe(films[0]!.size!);

  const bad = await client.orderBatch(projectId, { base, rows: [{ name: "x" }] });
  expect(await client.waitForBatch(bad).catch((error) => error)).toBeInstanceOf(BatchFailedError);
});

const bin = await builtCommandLine(folder);

/** Runs `reelwright batch` on the feed. */
async function batchCommand(...options: readonly string[]) {
  const args = ["batch", "feed.json", "--key", "sku", "-o", "films", ...options];
  const env = { PATH: process.env.PATH ?? "", HOME: folder, REELWRIGHT_URL: server.url };
  const child = Bun.spawn(["node", bin, ...args], {
    cwd: folder,
    env: { ...env, REELWRIGHT_TOKEN: ann.accessToken },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, exitCode] = await Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited]);
  return { output, errors, exitCode, batch: /batch_\w+/.exec(errors)?.[0] };
}

test("the command line makes the films of a table, says why others are missing, and goes on", async () => {
  const reelwright = () => batchCommand("--work", workId);
  const feed = join(folder, "feed.json");
  await Bun.write(
    feed,
    JSON.stringify([
      { sku: "c", name: "Korb", price: 5 },
      { sku: "d", name: "x" },
    ]),
  );
  const partial = await reelwright();
  expect(partial).toMatchObject({ exitCode: 5, output: expect.stringContaining("1 made, 0 unchanged, 1 failed") });
  expect(partial.errors).toMatch(/d\s+price\s+Row 2 has no column "price"/);
  expect(await Bun.file(join(folder, "films", "c.mp4")).exists()).toBe(true);

  await Bun.write(
    feed,
    JSON.stringify([
      { sku: "c", name: "Korb", price: 5 },
      { sku: "d", name: "x", price: 1 },
    ]),
  );
  const whole = await reelwright();
  expect(whole).toMatchObject({ exitCode: 0, output: expect.stringContaining("1 made, 1 unchanged, 0 failed") });
});

test("the command line follows the batch of the same table that has not ended", async () => {
  const rows = [1, 2, 3, 4].map((sku) => ({ sku, name: "Waiting", price: 100 + sku }));
  await Bun.write(join(folder, "feed.json"), JSON.stringify(rows));
  const waiting = await batchCommand("--work", workId, "--stop-at", "preview");
  expect(waiting).toMatchObject({ exitCode: 7, output: expect.stringContaining("3 made, 0 unchanged, 0 failed") });
  const again = await batchCommand("--work", workId, "--stop-at", "preview");
  expect(again).toMatchObject({ exitCode: 7, batch: waiting.batch });
  const whole = await batchCommand("--work", workId, "--stop-at", "preview", "--approve");
  expect(whole).toMatchObject({ exitCode: 0, output: expect.stringContaining("4 made, 0 unchanged, 0 failed") });
});

test("the command line makes films from briefs of a table", async () => {
  await Bun.write(join(folder, "feed.json"), JSON.stringify([{ sku: "cup", name: "Cup", fact: "it keeps warm." }]));
  const film = { brief: { text: "{{name}}: {{fact}}" }, seconds: 3, scenes: 1, resolution: { width: 64, height: 64 } };
  await Bun.write(join(folder, "order.json"), JSON.stringify({ ...film, models: { video: false } }));
  const options = ["--film", "order.json", "--project", projectId, "--target", "1:1"];
  expect(await batchCommand(...options)).toMatchObject({ exitCode: 0, output: expect.stringContaining("1 made") });
  expect(await Bun.file(join(folder, "films", "cup.mp4")).exists()).toBe(true);
  expect(await batchCommand("--work", workId, ...options)).toMatchObject({ exitCode: 2 });
});
