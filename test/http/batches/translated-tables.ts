import { productTable, restedBatch } from "../../support/batches.ts";
import { type Json, secret } from "../../support/paid-films.ts";
import type { TestUser } from "../../support/service.ts";
import { requireJson } from "../../support/work-videos.ts";

export const keys = { "x-llm-api-key": secret };
const models = { llm: { provider: "openai" } };

export const rows = [
  { name_de: "Rad", price: "19" },
  { name_de: "Helm", price: "29" },
];

/** A table whose English names a model translates, over a work of its own. */
export async function translatedTable(ann: TestUser) {
  const { base, path, projectId } = await productTable(ann);
  const table = { base, rows, languages: ["de", "en"], models };
  const send = (body: object, headers: Record<string, string> = keys) =>
    ann.json("POST", path, { ...table, ...body }, headers);
  const order = async (body: object = {}): Promise<string> => `${path}/${(await requireJson(send(body))).id}`;
  const filmsOf = async (batch: string): Promise<Json[]> => (await requireJson(ann.request(`${batch}/films`))).films;
  return { path, projectId, table, send, order, filmsOf, rested: (batch: string) => restedBatch(ann, batch) };
}
