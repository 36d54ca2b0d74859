import { expect, test } from "bun:test";
import { requireModels } from "../../../src/domain/films/chosen-models.ts";
import { type PriceRow, priceTable } from "../../../src/domain/ledger/prices.ts";
import { providerModels } from "../../../src/providers/providers.ts";
import { codeOf } from "../../support/models/model-calls.ts";

// safe because nothing is asked of a model here
const models = providerModels({ defaults: {}, baseUrls: {}, now: () => Date.parse("2026-11-01") } as never);
const ledger = { findBudget: async () => undefined };
const own: PriceRow = {
  ...{ provider: "openai", model: "gpt-9", category: "llm", unit: "input_token_million", price: "1" },
  ...{ currency: "USD", asOf: "2026-01-01", source: "test" },
};
const outcome = (category: "llm" | "image" | "video", provider: string, modelId: string) => {
  const order = { models: { [category]: { provider, modelId } }, allowUnpriced: false };
  return codeOf(requireModels({ ledger, models, prices: priceTable([own]) }, { id: "project" }, order, undefined));
};

test("a film takes the models that are listed, and any name where the provider's row says so", async () => {
  for (const { id, category, models: listed } of models.providers) {
    if (!["llm", "image", "video"].includes(category)) continue;
    const taken = await outcome(category as "llm", id, "a-model/of-a-name");
    const takesAny = ["fal", "replicate", "gateway"].includes(id);
    expect([id, category, taken]).toEqual([id, category, takesAny ? "ok" : "provider_model_unavailable"]);
    for (const model of listed) expect(await outcome(category as "llm", id, model.id)).toBe("ok");
  }
});

test("a model that has a price of the operator is taken in its category", async () => {
  expect(await outcome("llm", "openai", "gpt-9")).toBe("ok");
  expect(await outcome("image", "openai", "gpt-9")).toBe("provider_model_unavailable");
});
