import { expect, test } from "bun:test";
import prices from "../../src/ai/prices.json" with { type: "json" };
import { type ProviderOptions, providerModels } from "../../src/ai/providers.ts";
import { PriceRows, priceTable } from "../../src/domain/ledger/prices.ts";

// safe because naming a model uses none of them
const unusedPorts = {} as Pick<ProviderOptions, "localGenerator" | "files" | "fetcher" | "images" | "soundTools">;
const now = () => Date.parse("2026-11-23");

/** docs/decisions/providers.md says why. */
const withoutPrice = [
  "alibaba wan3.0-video",
  "gateway alibaba/wan-v3.0-video",
  "gateway bfl/flux-3-image",
  "gateway bytedance/seedance-2.5",
  "gateway elevenlabs/scribe-v2",
  "gateway google/gemini-3.8-flash-tts",
  "gateway klingai/kling-v3.0-i2v",
  "replicate minimax/hailuo-02",
];

test("each model that the rows name has a price, or is listed without one", () => {
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
  const named = models.providers
    .filter(({ id, category }) => id !== "local" && (category as string) !== "stock")
    .flatMap(({ id: provider, category, models: listed, transcriptionModels: hearing = [] }) => [
      ...listed.map(({ id: modelId }) => models.select(category, { provider, modelId }).id),
      ...hearing.map(({ id: modelId }) => models.select("transcription", { provider, modelId }).id),
    ]);
  const unpriced = named.filter((model) => !table.isPriced(model)).map(({ provider, model }) => `${provider} ${model}`);
  expect([...new Set(unpriced)].sort()).toEqual(withoutPrice);
});
