import { afterAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { restedBatch } from "../../support/batches.ts";
import { openaiResponse } from "../../support/models/text-responses.ts";
import { paidFilms } from "../../support/paid-films.ts";
import { requireJson } from "../../support/work-videos.ts";
import { keys, translatedTable } from "./translated-tables.ts";

const { provider, service, close } = await paidFilms();
const ann = await service.register();
afterAll(close);
const calls = () => provider.translations();

test("a table waits at its translations, and goes on when these are approved", async () => {
  const { order, rested } = await translatedTable(ann);
  const path = await order({ stopAt: ["translations"] });
  const waiting = await rested(path);
  expect(waiting).toMatchObject({ status: "waiting", waitingFor: "approval", waitingAt: "translations" });
  expect(waiting.translations).toHaveLength(2);
  expect(waiting.counts).toMatchObject({ waiting: 4 });
  expect((await ann.json("POST", `${path}/approve`)).status).toBe(200);
  expect((await rested(path)).counts).toMatchObject({ done: 4 });
});

test("a text that lost a placeholder is asked for once more, and then its rows are explained", async () => {
  const { path, projectId, table } = await translatedTable(ann);
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

test("sums that budgets are compared with go with their table", async () => {
  const { order, rested } = await translatedTable(ann);
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
