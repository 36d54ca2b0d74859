import { expect, test } from "bun:test";
import { endingModels } from "../../src/domain/ai/model-ends.ts";
import { type Category, categories, type ModelChoice } from "../../src/domain/ai/models.ts";
import { isDomainError } from "../../src/errors.ts";
import { type ProviderOptions, providerModels } from "../../src/providers/providers.ts";

// safe because choosing a model uses none of them
const unusedPorts = { localGenerator: {}, files: {}, fetcher: {}, images: {}, soundTools: {} } as Pick<
  ProviderOptions,
  "localGenerator" | "files" | "fetcher" | "images" | "soundTools"
>;
const defaults = { vision: "local", llm: "local", image: "local", video: "local", speech: "google", music: undefined };

const modelsOn = (day: string, chosen: Partial<Record<Category, string>> = {}) =>
  providerModels({
    ...unusedPorts,
    baseUrls: {},
    defaults: { ...defaults, ...chosen },
    now: () => Date.parse(`${day}T12:00:00Z`),
  });

const selected = (day: string, category: Category, choice: ModelChoice) => {
  try {
    const { id, replaces } = modelsOn(day).select(category, choice);
    return replaces === undefined ? id.model : `${replaces} → ${id.model}`;
  } catch (error) {
    if (isDomainError(error)) return error;
    throw error;
  }
};

test("the default of a row does not end within 30 days", () => {
  const hearing = (day: string) =>
    modelsOn(day).providers.find(({ id, category }) => id === "openai" && category === "speech")?.transcriptionModels;
  expect(hearing("2027-01-26")?.map(({ id }) => id)).toEqual(["whisper-1", "gpt-transcribe"]);
  expect(hearing("2027-01-28")?.map(({ id }) => id)).toEqual(["gpt-transcribe", "whisper-1"]);
  expect(hearing("2027-01-28")?.map(({ endsOn }) => endsOn)).toEqual([undefined, "2027-02-26"]);
});

test("a row without such a model stays choosable, and is no default", () => {
  expect(selected("2026-12-20", "speech", { provider: "openai" })).toBe("gpt-4o-mini-tts");
  expect(modelsOn("2026-12-20", { speech: "openai" }).select("speech", {}).id.provider).toBe("google");
  expect(modelsOn("2026-11-23", { speech: "openai" }).select("speech", {}).id.provider).toBe("openai");
});

test("a model that has ended is refused with those that are left, before anything is sent", () => {
  const error = selected("2027-01-06", "speech", { provider: "openai", modelId: "tts-1", apiKey: "a-key" });
  expect(error).toMatchObject({
    code: "provider_model_unavailable",
    facts: { model: "tts-1", models: [], endedOn: "2027-01-06", byDefault: false },
    message: "OpenAI removed the model tts-1 on 2027-01-06: choose another provider.",
  });
  expect(selected("2027-01-05", "speech", { provider: "openai", modelId: "tts-1" })).toBe("tts-1");
});

test("a model that has ended is sent as its successor", () => {
  const choice = { provider: "openai", modelId: "gpt-4o" };
  expect(selected("2027-01-13", "llm", choice)).toBe("gpt-4o");
  expect(selected("2027-01-14", "llm", choice)).toBe("gpt-4o → gpt-6-luna");
  const mini = { provider: "openai", modelId: "gpt-5-mini" };
  expect(selected("2026-12-10", "llm", mini)).toBe("gpt-5-mini");
  expect(selected("2026-12-11", "llm", mini)).toBe("gpt-5-mini → gpt-6.1-terra");
  expect(selected("2027-03-01", "vision", { provider: "openai", modelId: "o3" })).toBe("o3 → gpt-6.1-sol");
  expect(selected("2027-03-31", "llm", { provider: "openai", modelId: "gpt-5.1" })).toBe("gpt-5.1");
  expect(selected("2027-04-01", "llm", { provider: "openai", modelId: "gpt-5.1" })).toMatchObject({
    facts: { endedOn: "2027-04-01" },
  });
  const { id } = modelsOn("2027-03-01").select("transcription", { provider: "openai", modelId: "gpt-4o-transcribe" });
  expect(id.model).toBe("gpt-transcribe");
});

test("what ElevenLabs removed on 2026-07-09 is sent as what it recommends", () => {
  const idOf = (kind: "transcription" | "speech", modelId: string) =>
    modelsOn("2026-11-26").select(kind, { provider: "elevenlabs", modelId }).id.model;
  expect(idOf("transcription", "scribe_v1")).toBe("scribe_v2");
  expect(idOf("speech", "eleven_monolingual_v1")).toBe("eleven_multilingual_v2");
});

test("a model that no row knows is passed on", () => {
  expect(selected("2030-01-01", "llm", { provider: "openai", modelId: "constructor" })).toBe("constructor");
});

test("the models that end within 60 days are named, the first ones first", () => {
  const on = (day: string) =>
    endingModels(modelsOn(day).providers, Date.parse(day)).map(({ model, endsOn }) => `${model} ${endsOn}`);
  expect(on("2026-11-01")).toEqual([]);
  expect(on("2026-12-30")).toEqual([
    ...["gpt-4o-mini-tts 2027-01-06", "tts-1 2027-01-06", "tts-1-hd 2027-01-06"],
    "whisper-1 2027-02-26",
  ]);
});

test("with the clock at 2027-03-01, every default is a model that has not ended", () => {
  const models = modelsOn("2027-03-01");
  for (const category of categories.filter((name) => name !== "music")) {
    const { id } = models.select(category, {});
    const row = models.providers.find((provider) => provider.models.some((model) => model.id === id.model));
    expect(row?.models[0]).toMatchObject({ id: id.model });
    expect(row?.models[0]?.endsOn ?? "9999").toMatch(/^9999|^2027-0[4-9]|^202[89]/);
  }
});

test("with the clock at 2027-03-01, every row asks a model that has not ended, or says that it has none left", () => {
  const models = modelsOn("2027-03-01");
  const outcomes = models.providers.map(({ id: provider, category }) => {
    try {
      return models.select(category, { provider }).id.model;
    } catch (error) {
      return `${provider} ${category}: ${isDomainError(error) ? error.code : error}`;
    }
  });
  expect(outcomes.filter((outcome) => outcome.includes(":"))).toEqual(["openai speech: provider_model_unavailable"]);
});
