import { afterAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { DomainError } from "../../../src/errors.ts";
import { type Json, paidFilms } from "../../support/paid-films.ts";
import { requireJson } from "../../support/work-videos.ts";
import { keys, rows, translatedTable } from "./translated-tables.ts";

/** Runs when a batch is to be advanced. */
let beforeAttempt = () => {};
let hasEnded = false;
const { provider, service, close } = await paidFilms({}, ({ models, batches }) => ({
  models: {
    ...models,
    select(kind, choice) {
      if (!hasEnded || kind !== "llm") return models.select(kind, choice);
      throw new DomainError("provider_model_unavailable", {
        provider: "OpenAI",
        model: "m",
        models: ["n"],
        byDefault: false,
      });
    },
  },
  batches: {
    ...batches,
    async acquire(id) {
      beforeAttempt();
      return await batches.acquire(id);
    },
  },
}));
const ann = await service.register();
afterAll(close);

const calls = () => provider.translations();

test("texts of one language are translated once, shown, paid for, and used again by the next table", async () => {
  const before = calls();
  const { path, table, order, rested, filmsOf } = await translatedTable(ann);
  const report = await requireJson(ann.json("POST", `${path}/validate`, table));
  expect(report.counts).toEqual({ rows: 2, films: 4, valid: 4, invalid: 0, unchanged: 0 });
  expect(Number(report.estimate.high)).toBeGreaterThan(Number(report.estimate.low));
  expect(calls()).toBe(before);

  const batch = await rested(await order());
  expect(batch).toMatchObject({ status: "done", spent: { amount: "0.000047" }, counts: { done: 4 } });
  expect(batch.translations).toEqual([
    { language: "en", text: "Rad", translation: "en:Rad" },
    { language: "en", text: "Helm", translation: "en:Helm" },
  ]);
  expect(calls()).toBe(before + 1);
  const { rows: kept } = (await service.db.execute(sql`select * from batch_keys`)) as unknown as { rows: Json[] };
  expect(kept).toEqual([]);

  const again = await order({ rows: [...rows, { name_de: "Rad", price: "20" }] });
  expect((await rested(again)).counts).toMatchObject({ unchanged: 4, done: 2 });
  expect((await filmsOf(again)).map(({ language, status }) => `${language} ${status}`)).toEqual([
    ...["de unchanged", "en unchanged", "de unchanged", "en unchanged", "de done", "en done"],
  ]);
  expect(calls()).toBe(before + 1);
});

test("without a model a text is missing, and a model needs its key", async () => {
  const { send, path, table } = await translatedTable(ann);
  const { errors } = await requireJson(ann.json("POST", `${path}/validate`, { ...table, models: undefined }));
  expect(errors.map(({ code, language }: Json) => `${language} ${code}`)).toEqual(
    Array(2).fill("en translation_missing"),
  );
  const response = await send({}, {});
  expect([response.status, (await response.json()).code]).toEqual([400, "provider_key_required"]);
});

test("a table waits for its budget and for its key, and goes on with others", async () => {
  const { order, rested } = await translatedTable(ann);
  const before = calls();
  const path = await order({ budget: { limit: "0.01" } });
  expect(await rested(path)).toMatchObject({ status: "waiting", waitingFor: "budget", budget: { limit: "0.01" } });
  expect(calls()).toBe(before);
  const refuse = () => Response.json({ error: { message: "no", code: "invalid_api_key" } }, { status: 401 });
  provider.answer = (kind) => (kind === "translation" ? refuse() : undefined);
  expect((await requireJson(ann.json("PUT", path, { budget: { limit: 5 } }))).status).toBe("validating");
  expect(await rested(path)).toMatchObject({ waitingFor: "key", counts: { waiting: 4 } });
  provider.reset();
  expect((await requireJson(ann.json("POST", `${path}/keys`, undefined, keys))).status).toBe("validating");
  expect((await rested(path)).counts).toMatchObject({ done: 4 });
});

test("a translation whose answer is lost is asked for once, and is unknown", async () => {
  const { order, rested, filmsOf } = await translatedTable(ann);
  const before = calls();
  const broken = () => new ReadableStream({ pull: (controller) => controller.error(new Error("broken")) });
  provider.answer = (kind) => (kind === "translation" ? new Response(broken()) : undefined);
  const path = await order();
  const batch = await rested(path);
  provider.reset();
  expect(batch).toMatchObject({ status: "partial", counts: { done: 2, invalid: 2 }, spent: { amount: "0.00" } });
  expect(Number(batch.unknown.amount)).toBeGreaterThan(0.01);
  const [, english] = await filmsOf(path);
  expect(english.error.message).toContain("the provider may have been paid for it. Retry the batch");
  expect(calls()).toBe(before + 1);
});

test("where the model has ended since the order, the texts that it should translate are missing", async () => {
  const { order, rested, filmsOf } = await translatedTable(ann);
  beforeAttempt = () => {
    hasEnded = true;
  };
  const path = await order();
  const batch = await rested(path);
  [hasEnded, beforeAttempt] = [false, () => {}];
  expect(batch).toMatchObject({ status: "partial", counts: { done: 2, invalid: 2 } });
  const [, english] = await filmsOf(path);
  expect(english.error).toMatchObject({
    code: "translation_missing",
    message: expect.stringMatching(
      /does not offer the model m.+choose one of n.+another model, or add the column "name_en"/,
    ),
  });
});
