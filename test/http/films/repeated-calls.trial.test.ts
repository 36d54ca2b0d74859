import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resumed } from "../../../src/domain/films/film.ts";
import { advanceFilm } from "../../../src/domain/films/run/advance.ts";
import { fakeServer } from "../../support/models/fake-server.ts";
import { filmPrices } from "../../support/models/film-provider.ts";
import { type Json, paidFilms } from "../../support/paid-films.ts";
import type { TestUser } from "../../support/service.ts";
import { mp4 } from "../../support/uploads.ts";

const folder = await mkdtemp(join(tmpdir(), "reelwright-repeated-"));
const price = { provider: "gateway", model: "klingai/kling-v3.0-i2v", category: "video", unit: "second", price: "0.1" };
await Bun.write(join(folder, "prices.json"), JSON.stringify([...filmPrices, price]));

/** A provider that starts one job for each key. */
const keys: string[] = [];
let started: (count: number) => Response | Promise<Response>;
const video = { type: "base64", data: (await (await mp4()).bytes()).toBase64(), mediaType: "video/mp4" };
const gateway = fakeServer({
  "POST /v4/ai/video-model/start": ({ headers }) => started(keys.push(headers.get("idempotency-key")!)),
  "POST /v4/ai/video-model/status": () => Response.json({ status: "completed", videos: [video] }),
});
const films = await paidFilms({ GATEWAY_BASE_URL: gateway.url, PRICES_FILE: join(folder, "prices.json") });
afterAll(async () => {
  await Promise.all([films.close(), gateway.stop()]);
  await rm(folder, { recursive: true });
});

const job = () => Response.json({ operation: { job: "1" } });
const lost = () =>
  new Response(new ReadableStream({ pull: (controller) => controller.error() }), {
    headers: { "content-type": "application/json" },
  });
beforeEach(() => {
  keys.length = 0;
  started = job;
});

const models = { llm: { provider: "openai" }, image: { provider: "openai" }, video: { provider: "gateway" } };

/** Three pictures, and three videos of three seconds: each of them paid for once. */
async function expectPaidOnce(user: TestUser, film: Json) {
  expect(film).toMatchObject({ waitingFor: "approval", spent: { amount: "1.050047" } });
  expect(new Set(keys).size).toBe(3);
  const { groups, ...spend } = await (await user.request("/api/spend?groupBy=model")).json();
  expect(spend).toMatchObject({ total: "1.050047", reserved: "0.00", unknown: "0.00" });
  expect(groups[0]).toMatchObject({ key: "gateway/klingai/kling-v3.0-i2v", amount: "0.90", calls: 3 });
}

test("a call without an answer is sent again with its key where the provider honours it, and paid once", async () => {
  const ann = await films.register();
  started = (count) => (count === 1 ? lost() : job());
  const { path } = await films.order(ann, { models, stopAt: ["scenes"] });
  const film = await films.rested(ann, path);
  expect(keys).toHaveLength(4);
  await expectPaidOnce(ann, film);
  const attempts = film.steps.filter(({ kind }: Json) => kind === "video").map((step: Json) => step.attempts);
  expect(attempts.map((each: Json) => each.map(({ state }: Json) => state).join()).sort()).toEqual([
    ...["done", "done", "unknown,done"],
  ]);
});

test("so is one whose process stops before its answer", async () => {
  const ann = await films.register();
  const { path, film } = await films.order(ann, { models, stopAt: ["images", "scenes"] });
  await films.rested(ann, path);
  const { services } = films.service;
  // without a word to the queue, whose worker would go on
  await services.films.change(film, (found) => ({ ...resumed(found), approved: ["images"] }));
  const stopped = new AbortController();
  started = (count) => {
    if (count === 3) stopped.abort();
    return new Promise(() => {});
  };
  await advanceFilm(services, film.id, stopped.signal).catch(() => {});
  expect(keys).toHaveLength(3);
  started = job;
  await advanceFilm(services, film.id, new AbortController().signal);
  expect(keys).toHaveLength(6);
  await expectPaidOnce(ann, await films.rested(ann, path));
});
