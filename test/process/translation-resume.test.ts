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

test("a translation that a model works on when the process is told to stop is waited for, and not asked for again", async () => {
  let { url, launched } = await start({ ...variables, STOP_SECONDS: "600" });
  const ann = await registerOn((path, init) => fetch(`${url}${path}`, init), "Ann");
  const { base, path } = await productTable(ann, await numberedVideo(folder, 10));
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

  ({ url, launched } = await start(variables));
  expect(await restedBatch(ann, `${path}/${id}`)).toMatchObject({ status: "done", counts: { done: 2 } });
  expect(provider.translations()).toBe(1);
  launched.kill("SIGKILL");
  await launched.exited;
});

test("a translation that a killed process has asked for is not asked for again but by a retry", async () => {
  let { url, launched } = await start(variables);
  const ann = await registerOn((path, init) => fetch(`${url}${path}`, init), "Ann");
  const { base, path } = await productTable(ann, await numberedVideo(folder, 10));
  provider.before = async () => {
    launched.kill("SIGKILL");
    await launched.exited;
  };
  const killed = launched;
  const before = provider.translations();
  const { id } = await requireJson(ann.json("POST", path, { ...order, base }, keys));
  await killed.exited;
  provider.reset();

  ({ url, launched } = await start(variables));
  const batch = await restedBatch(ann, `${path}/${id}`);
  expect(batch).toMatchObject({ status: "partial", counts: { done: 1, invalid: 1 } });
  expect(provider.translations()).toBe(before + 1);
  await requireJson(ann.json("POST", `${path}/${id}/retry`, undefined, keys));
  expect(await restedBatch(ann, `${path}/${id}`)).toMatchObject({ status: "done", counts: { done: 2 } });
  expect(provider.translations()).toBe(before + 2);
});
