import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { productTable, restedBatch } from "../support/batches.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { filmPrices, filmProvider } from "../support/models/film-provider.ts";
import { serviceProcesses } from "../support/processes.ts";
import { registerOn } from "../support/service.ts";
import { numberedVideo, requireJson } from "../support/work-videos.ts";

const folder = await temporaryFolder();
const provider = await filmProvider();
const prices = join(folder, "prices.json");
await Bun.write(prices, JSON.stringify(filmPrices));
const variables = { ...provider.settingsFor(), PRICES_FILE: prices };
const { start, end } = await serviceProcesses();
afterAll(async () => {
  await end();
  await provider.stop();
  await rm(folder, { recursive: true, force: true });
});

const order = {
  rows: [{ name_de: "Rad", price: 1 }],
  languages: ["de", "en"],
  models: { llm: { provider: "openai" } },
};
const keys = { "x-llm-api-key": "sk-key" };

/** Each test goes on with the service that the one before has started. */
let running: Awaited<ReturnType<typeof start>>;

async function startAgain() {
  running = await start({ ...variables, STOP_SECONDS: "600" });
}

/** A new user with a table's work; requests go to the service that runs. */
async function newTable() {
  const ann = await registerOn((path, init) => fetch(`${running.url}${path}`, init), "Ann");
  return { ann, ...(await productTable(ann, await numberedVideo(folder, 10))) };
}

test("a translation that a model works on when the process is told to stop is waited for, and not asked for again", async () => {
  await startAgain();
  const { launched, url } = running;
  const { ann, base, path } = await newTable();
  provider.before = async () => {
    launched.kill("SIGTERM");
    // the port is closed once it stops
    while (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      await Bun.sleep(10);
  };
  const { id } = await requireJson(ann.json("POST", path, { ...order, base }, keys));
  expect(await launched.exited).toBe(0);
  provider.reset();

  await startAgain();
  expect(await restedBatch(ann, `${path}/${id}`)).toMatchObject({ status: "done", counts: { done: 2 } });
  expect(provider.translations()).toBe(1);
});

test("a translation that a killed process has asked for is not asked for again but by a retry", async () => {
  const { launched } = running;
  const { ann, base, path } = await newTable();
  provider.before = async () => {
    launched.kill("SIGKILL");
    await launched.exited;
  };
  const before = provider.translations();
  const { id } = await requireJson(ann.json("POST", path, { ...order, base }, keys));
  await launched.exited;
  provider.reset();

  await startAgain();
  const batch = await restedBatch(ann, `${path}/${id}`);
  expect(batch).toMatchObject({ status: "partial", counts: { done: 1, invalid: 1 } });
  expect(provider.translations()).toBe(before + 1);
  await requireJson(ann.json("POST", `${path}/${id}/retry`, undefined, keys));
  expect(await restedBatch(ann, `${path}/${id}`)).toMatchObject({ status: "done", counts: { done: 2 } });
  expect(provider.translations()).toBe(before + 2);
});

const count = 6;

test("after the service is killed in the middle of a table, its next start makes the other films, and none twice", async () => {
  const { launched } = running;
  const { ann, base, path } = await newTable();
  const rows = Array.from({ length: count }, (_, price) => ({ name: "Bike", price }));
  const { id } = await requireJson(ann.json("POST", path, { base, rows, concurrency: 2 }));

  const events = await ann.request(`${path}/${id}/events`);
  const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; !/"done":[2-9]/.test(text); text = (await reader.read()).value ?? '"done":9');
  launched.kill("SIGKILL");
  await launched.exited;
  await reader.cancel().catch(() => {});

  await startAgain();
  const batch = await restedBatch(ann, `${path}/${id}`);
  expect(batch).toMatchObject({ status: "done", counts: { films: count, done: count } });
  const { films } = await requireJson(ann.request(`${path}/${id}/films`));
  expect(new Set(films.map(({ sha256 }: { sha256: string }) => sha256)).size).toBe(count);
  const { exports } = await requireJson(ann.request("/api/exports?limit=100"));
  expect(exports.map(({ status }: { status: string }) => status)).toEqual(Array(count).fill("done"));
});
