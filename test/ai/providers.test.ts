import { afterAll, expect, test } from "bun:test";
import { type ProviderOptions, providerModels } from "../../src/ai/providers.ts";
import { type Brief, type Category, categories, type ModelChoice } from "../../src/domain/ai/models.ts";
import { isDomainError } from "../../src/errors.ts";
import { notedCall } from "../helpers/model-calls.ts";
import { jsonOf, standIn } from "../helpers/stand-in.ts";
import { draft, googleAnswer, openaiAnswer } from "../helpers/text-answers.ts";

const server = standIn({
  "POST /openai/v1/responses": () => openaiAnswer({ text: JSON.stringify(draft) }),
  "POST /google/v1beta/models/:call": () => googleAnswer({ text: JSON.stringify(draft) }),
});
afterAll(() => server.stop());

// safe because nothing is drawn and no video received here
const parts = { studio: {}, files: {} } as Pick<ProviderOptions, "studio" | "files">;
const models = providerModels({
  ...parts,
  defaults: { vision: "local", llm: "gemini", image: "dalle", video: "local" },
  openaiBaseUrl: `${server.url}/openai/v1/`,
  googleBaseUrl: `${server.url}/google/v1beta`,
});

/** What choosing comes to: "ok", or the error's code and sentence. */
function choosing(category: Category, choice: ModelChoice): string {
  try {
    models[category](choice);
    return "ok";
  } catch (error) {
    if (isDomainError(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
}

const ids = (category: Category) => models.rows.filter((row) => row.category === category).map(({ id }) => id);

test("there is a row for each thing that each provider does", () => {
  expect(ids("vision")).toEqual(["openai", "google", "local"]);
  expect(ids("llm")).toEqual(["openai", "google", "local"]);
  expect(ids("image")).toEqual(["openai", "google", "local"]);
  expect(ids("video")).toEqual(["google", "local"]);
});

test("a row shows what callers may know, and no more", () => {
  for (const row of models.rows) {
    expect(Object.keys(row).sort()).toEqual(["category", "description", "id", "models", "name"]);
    expect(row.models.length).toBeGreaterThan(0);
  }
});

test("the local rows say that they are local, by rules, and need nothing", () => {
  for (const { description } of models.rows.filter(({ id }) => id === "local")) {
    expect(description).toMatch(/^Local and rule-based: .*No model, no key, no network\.$/);
  }
});

test.each<[Category, string]>([
  ["vision", "openai"],
  ["vision", "gemini"],
  ["llm", " Google "],
  ["image", "DALLE"],
  ["video", "GEMINI"],
])("for %s %p is a provider", (category, provider) => {
  expect(choosing(category, { provider, apiKey: "a-key" })).toBe("ok");
});

test("local needs no key, and takes any", () => {
  for (const category of categories) {
    expect(choosing(category, { provider: "local" })).toBe("ok");
    expect(choosing(category, { provider: "local", apiKey: "any key" })).toBe("ok");
  }
});

test("who names no provider gets the default one, also by its other name", () => {
  expect(choosing("vision", {})).toBe("ok");
  expect(choosing("llm", {})).toContain("provider_key_required: Google");
  expect(choosing("image", {})).toContain("provider_key_required: OpenAI");
});

test("an unknown provider is told the known ones", () => {
  expect(choosing("llm", { provider: "acme", apiKey: "a-key" })).toMatch(/unknown_provider: .*openai, google, local/);
  expect(choosing("llm", { provider: "dalle", apiKey: "a-key" })).toContain("unknown_provider");
  expect(choosing("llm", { provider: "constructor", apiKey: "a-key" })).toContain("unknown_provider");
});

test("a provider that lacks a capability is told from an unknown one", () => {
  const refusal = "unsupported_capability: OpenAI makes no videos here: choose one of google, local.";
  expect(choosing("video", { provider: "openai", apiKey: "a-key" })).toBe(refusal);
  expect(choosing("video", { provider: "openai" })).toBe(refusal);
});

test.each(["a b", "key\n", "schlüssel", "x\u0000y"].map((key) => [key]))("%j is no key", (apiKey) => {
  const told = choosing("llm", { provider: "openai", apiKey: `sk-${apiKey}-x` });
  expect(told).toContain("provider_key_rejected");
  expect(told).not.toContain(apiKey);
});

test.each(["../x", "a b", "a?b", "a#b", "a%2fb", "x".repeat(201)])("%s is no model's id", (modelId) => {
  for (const provider of ["openai", "local"]) {
    expect(choosing("llm", { provider, apiKey: "a-key", modelId })).toContain("validation_error: x-model-id");
  }
});

// safe because a model outside reads the prompt alone
const task = { prompt: { system: "s", message: "m" }, brief: {} as Brief };

test("the first model of the row is asked, or the one that is named, at the address of the settings", async () => {
  const choices = [
    { provider: "openai" },
    { provider: "openai", modelId: "gpt-9" },
    { provider: "google", modelId: "x" },
  ];
  for (const choice of choices) {
    await models.llm({ ...choice, apiKey: " a-key " }).writeScenario(task, notedCall().call);
  }
  const [first, named, google] = server.taken;
  expect(jsonOf(first).model).toBe(
    models.rows.find(({ id, category }) => id === "openai" && category === "llm")?.models[0]?.id,
  );
  expect(first).toMatchObject({ path: "/openai/v1/responses" });
  expect(first?.headers.get("authorization")).toBe("Bearer a-key");
  expect(jsonOf(named).model).toBe("gpt-9");
  expect(google?.path).toBe("/google/v1beta/models/x:generateContent");
});

test("Google's models are known by the names that Google itself gives them, with models/ before", async () => {
  const choice = { provider: "google", apiKey: "a-key" };
  await models.llm({ ...choice, modelId: "models/x" }).writeScenario(task, notedCall().call);
  expect(server.taken.at(-1)?.path).toBe("/google/v1beta/models/x:generateContent");

  const { call, noted } = notedCall();
  const picture = { prompt: "A cup", shot: { prompt: "A cup", avoid: "" }, resolution: { width: 1024, height: 1024 } };
  // what comes is a text and no picture
  await models
    .image({ ...choice, modelId: "models/gemini-3-pro-image" })
    .draw(picture, call)
    .catch(() => {});
  expect(server.taken.at(-1)?.path).toBe("/google/v1beta/models/gemini-3-pro-image:generateContent");
  expect(noted).toMatchObject([{ model: "gemini-3-pro-image" }]);

  const short = { ...choice, modelId: "models/gemini-omni-1.1-flash" };
  expect(models.video(short).nearestDuration(15)).toBe(10);
});

test("only what is asked outside costs money", () => {
  expect(models.llm({ provider: "local" }).isBilled).toBe(false);
  expect(models.video({ provider: "google", apiKey: "a-key" }).isBilled).toBe(true);
});
