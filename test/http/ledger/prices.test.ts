import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PriceRow } from "../../../src/domain/ledger/prices.ts";
import { createPrices } from "../../../src/process/from-settings.ts";
import { testService } from "../../support/service.ts";

const folder = await mkdtemp(join(tmpdir(), "reelwright-prices-"));
const own = {
  provider: "openai",
  model: "gpt-6-luna",
  category: "llm",
  unit: "input_token_million",
  price: "7.5",
} as const;

async function written(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await Bun.write(path, content);
  return path;
}

const service = await testService({ PRICES_FILE: await written("own.json", JSON.stringify([own])) });
const ann = await service.register();

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

test("the prices in force, with the operator's own in the place of the published ones", async () => {
  const response = await ann.request("/api/prices");
  expect(response.status).toBe(200);
  const rows: PriceRow[] = await response.json();
  expect(rows.filter(({ model }) => model === "gpt-6-luna")).toEqual([
    { ...own, currency: "USD", asOf: "1970-01-01", source: "PRICES_FILE" },
  ]);
  expect(rows.find(({ model }) => model === "gpt-6-sol")).toMatchObject({
    currency: "USD",
    source: expect.stringMatching(/^https:/),
  });
  expect((await service.request("/api/prices")).status).toBe(401);
});

test.each([
  ["another currency", JSON.stringify([{ ...own, currency: "EUR" }]), "0.currency must be USD"],
  ["a price that is none", JSON.stringify([{ ...own, price: "free" }]), "0.price must be a decimal such as 0.05"],
  ["no list", "{}", "the file "],
  ["no JSON", "prices", "must be the path of a file with a JSON list of prices"],
])("%s stops the start with one line", async (name, content, message) => {
  const path = await written(`${name}.json`, content);
  const start = () => createPrices({ PRICES_FILE: path });
  expect(start).toThrow(`Bad setting PRICES_FILE: ${message}`);
  expect(start).toThrow(/^[^\n]*$/);
});
