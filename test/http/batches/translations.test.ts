import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { DomainError } from "../../../src/errors.ts";
import { productTable, restedBatch } from "../../support/batches.ts";
import { openaiResponse } from "../../support/models/text-responses.ts";
import { type Json, paidFilms, secret } from "../../support/paid-films.ts";
import type { TestUser } from "../../support/service.ts";
import { numberedVideo, requireJson } from "../../support/work-videos.ts";

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
let folder: string;
let ann: TestUser;
let clip: File;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "translations-"));
  ann = await service.register();
  clip = await numberedVideo(folder, 100);
});

afterAll(async () => {
  await close();
  await rm(folder, { recursive: true });
});

const keys = { "x-llm-api-key": secret };
const models = { llm: { provider: "openai" } };

const rows = [
  { name_de: "Rad", price: "19" },
  { name_de: "Helm", price: "29" },
];

async function tableOf(words?: string) {
  const { base, path, projectId } = await productTable(ann, clip, words);
  const table = { base, rows, languages: ["de", "en"], models };
  const send = (body: object, headers: Record<string, string> = keys) =>
    ann.json("POST", path, { ...table, ...body }, headers);
  const order = async (body: object = {}): Promise<string> => `${path}/${(await requireJson(send(body))).id}`;
  const filmsOf = async (batch: string): Promise<Json[]> => (await requireJson(ann.request(`${batch}/films`))).films;
  return { path, projectId, table, send, order, filmsOf, rested: (batch: string) => restedBatch(ann, batch) };
}

const calls = () => provider.translations();

test("texts of one language are translated once, shown, paid for, and used again by the next table", async () => {
  const before = calls();
  const { path, table, order, rested, filmsOf } = await tableOf();
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
  const { send, path, table } = await tableOf();
  const { errors } = await requireJson(ann.json("POST", `${path}/validate`, { ...table, models: undefined }));
  expect(errors.map(({ code, language }: Json) => `${language} ${code}`)).toEqual(
    Array(2).fill("en translation_missing"),
  );
  const response = await send({}, {});
  expect([response.status, (await response.json()).code]).toEqual([400, "provider_key_required"]);
});

test("a table waits at its translations, and goes on when these are approved", async () => {
  const { order, rested } = await tableOf();
  const path = await order({ stopAt: ["translations"] });
  const waiting = await rested(path);
  expect(waiting).toMatchObject({ status: "waiting", waitingFor: "approval", waitingAt: "translations" });
  expect(waiting.translations).toHaveLength(2);
  expect(waiting.counts).toMatchObject({ waiting: 4 });
  expect((await ann.json("POST", `${path}/approve`)).status).toBe(200);
  expect((await rested(path)).counts).toMatchObject({ done: 4 });
});

test("a text that lost a placeholder is asked for once more, and then its rows are explained", async () => {
  const { path, projectId, table } = await tableOf();
  await requireJson(ann.json("PUT", `/api/projects/${projectId}/works/${table.base.workId}`, { videoDuration: 1 }));
  const textOverlays = [{ id: "a", text: "{{claim}}", timingMode: "relative", fontSize: 8, centerY: -8 }];
  const sale = { name: "Sale", content: { textOverlays } };
  const template = await requireJson(ann.json("POST", `/api/projects/${projectId}/templates`, sale));
  const before = calls();
  provider.answer = (kind) =>
    kind === "translation" ? openaiResponse({ text: JSON.stringify({ text_1: "Now cheap" }) }) : undefined;
  const base = { ...table.base, templateId: template.id, values: { claim: { de: "Jetzt {{price}} €" } } };
  const priced = { ...table, base, rows: [{ name: "Rad", price: "19" }] };
  const { id } = await requireJson(ann.json("POST", path, priced, keys));
  const batch = await restedBatch(ann, `${path}/${id}`);
  expect(batch).toMatchObject({ status: "partial", counts: { done: 1, invalid: 1 } });
  expect(calls()).toBe(before + 2);
  const { films } = await requireJson(ann.request(`${path}/${id}/films?status=invalid`));
  expect(films[0].error).toMatchObject({ code: "translation_missing", language: "en", column: "claim" });

  provider.reset();
  expect((await ann.json("POST", `${path}/${id}/retry`, undefined, keys)).status).toBe(200);
  expect(await restedBatch(ann, `${path}/${id}`)).toMatchObject({
    ...{ status: "done", counts: { done: 2 } },
    translations: [{ language: "en", text: "Jetzt {{price}} €", translation: "en:Jetzt {{price}} €" }],
  });
});

test("a table waits for its budget and for its key, and goes on with others", async () => {
  const { order, rested } = await tableOf();
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

test("where the model has ended since the order, the texts that it should translate are missing", async () => {
  const { order, rested, filmsOf } = await tableOf();
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

test("sums that budgets are compared with go with their table", async () => {
  const { order, rested } = await tableOf();
  const path = await order();
  await rested(path);
  const sums = async () => {
    const isOfBatch = sql`scope = 'batch' and scope_id = ${path.split("/").at(-1)}`;
    return await service.db.$count(sql`spend_totals`, isOfBatch);
  };
  expect(await sums()).toBe(1);
  expect((await ann.json("DELETE", path)).status).toBe(204);
  expect(await sums()).toBe(0);
});
