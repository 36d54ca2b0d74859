import { expect, test } from "bun:test";
import { PriceRows, priceTable } from "../../src/domain/ledger/prices.ts";
import prices from "../../src/providers/prices.json" with { type: "json" };
import { type ProviderOptions, providerModels } from "../../src/providers/providers.ts";

// safe because naming a model uses none of them
const unusedPorts = {} as Pick<ProviderOptions, "localGenerator" | "files" | "fetcher" | "images" | "soundTools">;
const now = () => Date.parse("2026-11-23");

test("each model on offer has a price, unless it is made here and costs nothing", () => {
  const defaults = {
    vision: "local",
    llm: "local",
    image: "local",
    video: "local",
    speech: "google",
    music: undefined,
  };
  const models = providerModels({ ...unusedPorts, baseUrls: {}, defaults, now });
  const table = priceTable(PriceRows.parse(prices), now);
  // who has a key pays
  const paid = models.providers
    .filter(({ category }) => (category as string) !== "stock")
    .flatMap(({ id: provider, category, models: listed, transcriptionModels: hearing = [] }) => [
      ...listed.map(({ id: modelId }) => models.select(category, { provider, modelId })),
      ...hearing.map(({ id: modelId }) => models.select("transcription", { provider, modelId })),
    ])
    .filter(({ needsKey }) => needsKey);
  const unpriced = paid.filter(({ id }) => !table.isPriced(id)).map(({ id }) => `${id.provider} ${id.model}`);
  expect([...new Set(unpriced)].sort()).toEqual([]);
  expect(paid.length).toBeGreaterThan(60);
});
