import { afterAll, expect, test } from "bun:test";
import { type Brief, type Category, categories, type ModelChoice } from "../../src/domain/ai/models.ts";
import { isDomainError } from "../../src/errors.ts";
import { type ProviderOptions, providerModels } from "../../src/providers/providers.ts";
import { fakeServer, jsonBody } from "../support/models/fake-server.ts";
import { recordedCall } from "../support/models/model-calls.ts";
import { googleResponse, openaiResponse, scenarioOutput } from "../support/models/text-responses.ts";

const server = fakeServer({
  "POST /openai/v1/responses": () => openaiResponse({ text: JSON.stringify(scenarioOutput) }),
  "POST /google/v1beta/models/:call": () => googleResponse({ text: JSON.stringify(scenarioOutput) }),
});
afterAll(() => server.stop());

// safe because these tests generate no local media and receive no video and no voice
const unusedPorts = { localGenerator: {}, files: {}, fetcher: {}, images: {}, soundTools: {} } as Pick<
  ProviderOptions,
  "localGenerator" | "files" | "fetcher" | "images" | "soundTools"
>;
const models = providerModels({
  ...unusedPorts,
  defaults: { vision: "local", llm: "gemini", image: "dalle", video: "local", speech: "google", music: undefined },
  baseUrls: { OPENAI: `${server.url}/openai/v1/`, GOOGLE: `${server.url}/google/v1beta` },
});

/** "ok", or the code and the message of the error. */
function tryChoice(category: Category, choice: ModelChoice): string {
  try {
    models[category](choice);
    return "ok";
  } catch (error) {
    if (isDomainError(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
}

const providerIds = (category: Category) =>
  models.providers.filter((provider) => provider.category === category).map(({ id }) => id);

test("lists the providers of each category", () => {
  expect(providerIds("vision")).toEqual(["openai", "gemini", "anthropic", "gateway", "xai", "local"]);
  expect(providerIds("llm")).toEqual(providerIds("vision"));
  expect(providerIds("image")).toEqual(["dalle", "gemini", "fal", "gateway", "replicate", "xai", "bfl", "local"]);
  expect(providerIds("video")).toEqual([
    "gemini",
    "fal",
    "runway",
    "gateway",
    "replicate",
    "xai",
    "bfl",
    "alibaba",
    "local",
  ]);
  // those that end altogether come last
  expect(providerIds("speech")).toEqual(["gemini", "elevenlabs", "gateway", "xai", "openai"]);
});

test("a listed provider has public fields only", () => {
  for (const { transcriptionModels, ...provider } of models.providers) {
    expect(transcriptionModels !== undefined).toBe(provider.category === "speech");
    expect(Object.keys(provider).sort()).toEqual(["aliases", "category", "description", "id", "models", "name"]);
    expect(provider.models.length).toBeGreaterThan(0);
  }
});

test("the local providers are described as local and rule-based", () => {
  for (const { description } of models.providers.filter(({ id }) => id === "local")) {
    expect(description).toMatch(/^Local and rule-based: .*No model, no key, no network\.$/);
  }
});

test.each<[Category, string]>([
  ["vision", "openai"],
  ["vision", "gemini"],
  ["llm", " Google "],
  ["image", "DALLE"],
  ["video", "GEMINI"],
  ["speech", "google"],
  ["speech", "OpenAI"],
])("%s accepts the provider name %p", (category, provider) => {
  expect(tryChoice(category, { provider, apiKey: "a-key" })).toBe("ok");
});

test("the local provider needs no key and ignores one", () => {
  for (const category of categories.filter((name) => name !== "speech" && name !== "music")) {
    expect(tryChoice(category, { provider: "local" })).toBe("ok");
    expect(tryChoice(category, { provider: "local", apiKey: "any key" })).toBe("ok");
  }
});

test("xAI's voice, which no request names, is not spoken with under another name", () => {
  expect(tryChoice("speech", { provider: "xai", apiKey: "a-key" })).toBe("ok");
  expect(tryChoice("speech", { provider: "xai", modelId: "grok-tts-9", apiKey: "a-key" })).toStartWith(
    "provider_model_unavailable: ",
  );
});

test("nothing local speaks or hears", () => {
  expect(tryChoice("speech", { provider: "local" })).toBe(
    "unsupported_capability: Local cannot make voices and transcripts here: choose one of gemini (or google), elevenlabs, gateway, xai, openai.",
  );
});

test.each([
  ["eleven_v4", 2_000],
  ["eleven_v4_turbo", 2_000],
  ["eleven_v3", 3_000],
])("%s is sent at most %i characters at once", (modelId, most) => {
  expect(models.speech({ provider: "elevenlabs", modelId, apiKey: "a-key" }).maxCharacters).toBe(most);
});

test("the voices of a model are listed, the default first", () => {
  const speaking = models.providers.filter(({ category }) => category === "speech");
  const [google, openai] = [speaking[0], speaking.at(-1)];
  // no asymmetric matcher: toMatchObject would put it into the table that other files read
  const [first] = google!.models;
  expect([first!.id, first!.voices![0], first!.voices!.length]).toEqual(["gemini-3.8-flash-tts", "Kore", 30]);
  expect(first!.voices).toContain("Puck");
  expect(openai!.models.map(({ id, voices }) => [id, voices?.includes("cedar")])).toEqual([
    ["gpt-4o-mini-tts", true],
    ["tts-1", false],
    ["tts-1-hd", false],
  ]);
  expect(openai!.description).toContain("January 2027");
});

test("a request without a provider gets the default, which may be an alias", () => {
  expect(tryChoice("vision", {})).toBe("ok");
  expect(tryChoice("llm", {})).toContain("provider_key_required: Google");
  expect(tryChoice("image", {})).toContain("provider_key_required: OpenAI");
});

test("an unknown provider is rejected with a list of the known ones", () => {
  expect(tryChoice("llm", { provider: "acme", apiKey: "a-key" })).toMatch(
    /unknown_provider: .*openai, gemini \(or google\), .*, local/,
  );
  expect(tryChoice("llm", { provider: "constructor", apiKey: "a-key" })).toContain("unknown_provider");
});

test("a provider without the capability is rejected with the providers that have it", () => {
  const message =
    "unsupported_capability: OpenAI cannot make videos here: choose one of gemini (or google), fal, runway, gateway, replicate, xai, bfl, alibaba, local.";
  expect(tryChoice("video", { provider: "openai", apiKey: "a-key" })).toBe(message);
  expect(tryChoice("video", { provider: "openai" })).toBe(message);
});

test.each(["a b", "key\n", "schlüssel", "x\u0000y"].map((key) => [key]))("%j is not a valid key", (apiKey) => {
  const result = tryChoice("llm", { provider: "openai", apiKey: `sk-${apiKey}-x` });
  expect(result).toContain("provider_key_rejected");
  expect(result).not.toContain(apiKey);
});

test.each(["../x", "a b", "a?b", "a#b", "a%2fb", "x".repeat(201)])("%s is not a valid model id", (modelId) => {
  for (const provider of ["openai", "local"]) {
    expect(tryChoice("llm", { provider, apiKey: "a-key", modelId })).toMatch(/^validation_error: .*x-model-id/);
  }
});

// safe because an external model reads only the prompt
const task = { prompt: { system: "s", message: "m" }, brief: {} as Brief };

test("calls the first model of the provider, or the named one, at the configured URL", async () => {
  const choices = [
    { provider: "openai" },
    { provider: "openai", modelId: "gpt-9" },
    { provider: "google", modelId: "x" },
  ];
  for (const choice of choices) {
    await models.llm({ ...choice, apiKey: " a-key " }).writeScenario(task, recordedCall().call);
  }
  const [first, named, google] = server.requests;
  expect(jsonBody(first).model).toBe(
    models.providers.find(({ id, category }) => id === "openai" && category === "llm")?.models[0]?.id,
  );
  expect(first).toMatchObject({ path: "/openai/v1/responses" });
  expect(first?.headers.get("authorization")).toBe("Bearer a-key");
  expect(jsonBody(named).model).toBe("gpt-9");
  expect(google?.path).toBe("/google/v1beta/models/x:generateContent");
});

test("accepts Google's model names with the prefix models/", async () => {
  const choice = { provider: "google", apiKey: "a-key" };
  await models.llm({ ...choice, modelId: "models/x" }).writeScenario(task, recordedCall().call);
  expect(server.requests.at(-1)?.path).toBe("/google/v1beta/models/x:generateContent");

  const { call, records } = recordedCall();
  const imageTask = {
    prompt: "A cup",
    shot: { prompt: "A cup", avoid: "" },
    resolution: { width: 1024, height: 1024 },
  };
  // fails because the fake server returns text
  await models
    .image({ ...choice, modelId: "models/gemini-3-pro-image" })
    .draw(imageTask, call)
    .catch(() => {});
  expect(server.requests.at(-1)?.path).toBe("/google/v1beta/models/gemini-3-pro-image:generateContent");
  expect(records).toMatchObject([{ model: "gemini-3-pro-image" }]);

  const short = { ...choice, modelId: "models/gemini-omni-1.1-flash" };
  expect(models.video(short).nearestDuration(15)).toBe(10);
});

test("only external models are billed", () => {
  expect(models.llm({ provider: "local" }).isBilled).toBe(false);
  expect(models.video({ provider: "google", apiKey: "a-key" }).isBilled).toBe(true);
});
