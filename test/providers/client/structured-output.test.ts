import { afterEach, expect, test } from "bun:test";
import type { Brief, LanguageModel } from "../../../src/domain/ai/models.ts";
import type { ProviderCall } from "../../../src/domain/ai/provider-calls.ts";
import { googleLanguage } from "../../../src/providers/google/google.ts";
import { openaiLanguage } from "../../../src/providers/openai/row.ts";
import { fakeServer, jsonBody } from "../../support/models/fake-server.ts";
import { codeOf, credentialsFor, recordedCall } from "../../support/models/model-calls.ts";
import {
  googleResponse,
  inSequence,
  openaiResponse,
  type ScriptedText,
  scenarioOutput,
} from "../../support/models/text-responses.ts";

let server: ReturnType<typeof fakeServer> | undefined;
afterEach(() => server?.stop());

/** Builds a response in the provider's format. */
type Respond = (output: ScriptedText) => Response;
type Reply = (respond: Respond) => Response | Promise<Response>;

const providers = {
  openai: { language: openaiLanguage, path: "/v1", route: "POST /v1/responses", respond: openaiResponse },
  google: { language: googleLanguage, path: "/v1beta", route: "POST /v1beta/models/:call", respond: googleResponse },
};
const both = Object.keys(providers) as (keyof typeof providers)[];

/** A language model of a fake provider that sends these replies in order. */
function modelWith(provider: keyof typeof providers, ...replies: readonly Reply[]) {
  const { language, path, route, respond } = providers[provider];
  server = fakeServer({ [route]: inSequence(...replies.map((reply) => () => reply(respond))) });
  return { model: language(credentialsFor(server.url + path, "gpt-6-luna")), requests: server.requests };
}

const prompt = { system: "You are a director.", message: "Write about a cup." };
// safe because an external model reads only the prompt
const task = { prompt, brief: {} as Brief };
const write = (model: LanguageModel, call: ProviderCall) => model.writeScenario(task, call);

const valid: Reply = (respond) => respond({ text: JSON.stringify(scenarioOutput) });
const textOutput =
  (text: string): Reply =>
  (respond) =>
    respond({ text });
const failing =
  (status: number, headers: Record<string, string> = { "retry-after": "0" }): Reply =>
  () =>
    new Response("", { status, headers });

test.each(both)("%s is called once for a valid output, and its usage is recorded", async (provider) => {
  const { model, requests } = modelWith(provider, valid);
  const { call, records } = recordedCall();
  expect(await write(model, call)).toEqual(scenarioOutput);
  expect(requests).toHaveLength(1);
  const target = { provider: "acme", model: "gpt-6-luna", purpose: "scenario" };
  expect(records).toMatchObject([{ ...target, outcome: "ok", inputTokens: 40, outputTokens: 7 }]);
});

test("OpenAI gets the key, the roles, a strict schema and store: false", async () => {
  const { model, requests } = modelWith("openai", valid);
  await write(model, recordedCall().call);
  expect(requests[0]?.headers.get("authorization")).toBe("Bearer a key of the caller");
  expect(jsonBody(requests[0])).toMatchObject({
    model: "gpt-6-luna",
    store: false,
    text: { format: { type: "json_schema", strict: true } },
    input: [
      { role: "developer", content: "You are a director." },
      { role: "user", content: [{ type: "input_text", text: "Write about a cup." }] },
    ],
  });
});

test("Google gets the key in its header, the system instruction and the JSON response type", async () => {
  const { model, requests } = modelWith("google", valid);
  await write(model, recordedCall().call);
  expect(requests[0]).toMatchObject({ path: "/v1beta/models/gpt-6-luna:generateContent" });
  expect(requests[0]?.headers.get("x-goog-api-key")).toBe("a key of the caller");
  expect(jsonBody(requests[0])).toMatchObject({
    systemInstruction: { parts: [{ text: "You are a director." }] },
    contents: [{ role: "user", parts: [{ text: "Write about a cup." }] }],
    generationConfig: { responseMimeType: "application/json" },
  });
});

test.each(["models/x", "a/b", "x:streamGenerateContent"])("the model id %s cannot change the path", async (modelId) => {
  server = fakeServer({ "POST /*": () => googleResponse({ text: JSON.stringify(scenarioOutput) }) });
  await write(googleLanguage(credentialsFor(`${server.url}/v1beta`, modelId)), recordedCall().call);
  expect(server.requests[0]?.path).toMatch(/^\/v1beta\/models\/[^/:]+:generateContent$/);
});

test.each(both)("%s may wrap its output in a fence and add unknown fields", async (provider) => {
  const text = `\`\`\`json\n${JSON.stringify({ ...scenarioOutput, mood: "calm" }, null, 2)}\n\`\`\``;
  const { model, requests } = modelWith(provider, textOutput(text));
  expect(await write(model, recordedCall().call)).toEqual(scenarioOutput);
  expect(requests).toHaveLength(1);
});

const json = JSON.stringify(scenarioOutput, null, 2);

test.each([
  ["reasoning", `<think>Perhaps {"scenes": []}? No: {</think>\n\n${json}`],
  ["reasoning that begins before the answer", `Let me see {a}.</think>${json}`],
  ["words", `Here is the scenario for {brand}:\n\n${json}\n\nTell me if {anything} is missing.`],
  ["a fence among words", `Sure!\n\n\`\`\`json\n${json}\n\`\`\`\nEnjoy.`],
  ["a comma at the end", json.replace(/\}\s*$/, ",}")],
  ["line breaks in strings", json.replace(/("[^"]*: )?"([^"\\]*) ([^"\\]*)"/, '$1"$2\n$3"')],
])("an answer with %s is read, without a second call", async (_, text) => {
  const { model, requests } = modelWith("openai", textOutput(text));
  await write(model, recordedCall().call);
  expect(requests).toHaveLength(1);
});

test("an answer of nothing but braces takes no time", async () => {
  const { model, requests } = modelWith("openai", textOutput("{".repeat(900_000)), valid);
  expect(await write(model, recordedCall().call)).toEqual(scenarioOutput);
  expect(requests).toHaveLength(2);
});

test.each(both)("%s gets a repair request after endless blank lines", async (provider) => {
  const { model, requests } = modelWith(provider, textOutput(`\`\`\`json\n${"\n".repeat(10_000)}{`), valid);
  expect(await write(model, recordedCall().call)).toEqual(scenarioOutput);
  expect(requests).toHaveLength(2);
});

test.each(both)("%s gets no list of issues for an endless output", async (provider) => {
  const { model, requests } = modelWith(provider, textOutput(`{"scenes":[${"0,".repeat(300_000)}0]}`), valid);
  expect(await write(model, recordedCall().call)).toEqual(scenarioOutput);
  expect(new TextDecoder().decode(requests[1]?.bytes)).toContain("it is not the JSON asked for");
});

test.each(both)("%s gets one repair request that names the problems of its output", async (provider) => {
  const { model, requests } = modelWith(provider, textOutput('{"scenes":[{"transition":"swirl"}]}'), valid);
  const { call, records } = recordedCall();
  expect(await write(model, call)).toEqual(scenarioOutput);
  const repairRequest = new TextDecoder().decode(requests[1]?.bytes);
  expect(repairRequest).toContain("swirl");
  expect(repairRequest).toContain("scenes.0.duration_seconds");
  expect(records.map(({ outcome, outputTokens }) => [outcome, outputTokens])).toEqual([
    ["provider_bad_response", 7],
    ["ok", 7],
  ]);
});

const unusable: [name: string, reply: Reply][] = [
  ["JSON of another shape", textOutput("{}")],
  ["prose", textOutput("Here is what I would do.")],
  ["no scene", textOutput('{"scenes":[]}')],
  ["an empty text", textOutput("")],
  ["a truncated output", (respond) => respond({ text: '{"scenes":[', finish: "length" })],
  ["an HTML page", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
  ["an empty body", () => new Response("")],
  ["a body of another shape", () => Response.json({ ok: true })],
];
test.each(both.flatMap((provider) => unusable.map(([name, reply]) => [provider, name, reply] as const)))(
  "%s is called twice when it returns %s",
  async (provider, _, reply) => {
    const { model, requests } = modelWith(provider, reply);
    expect(await codeOf(write(model, recordedCall().call))).toBe("provider_bad_response");
    expect(requests).toHaveLength(2);
  },
);

test.each([408, 429, 500, 502, 503, 504])(
  "a model is called again after status %d, three times in all",
  async (status) => {
    const { model, requests } = modelWith("openai", failing(status), failing(status), valid);
    const { call, records } = recordedCall();
    expect(await write(model, call)).toEqual(scenarioOutput);
    expect(requests).toHaveLength(3);
    expect(records).toHaveLength(3);

    const always = modelWith("openai", failing(status));
    const codes: Record<number, string> = { 429: "provider_rate_limited", 503: "provider_overloaded" };
    expect(await codeOf(write(always.model, recordedCall().call))).toBe(codes[status] ?? "provider_error");
    expect(always.requests).toHaveLength(3);
  },
);

test.each<[number, string]>([
  [400, "provider_rejected_request"],
  [401, "provider_key_rejected"],
  [403, "provider_key_rejected"],
  [404, "provider_model_unavailable"],
  [413, "media_too_large"],
  [402, "provider_quota_exhausted"],
])("a model is not called again after status %d", async (status, code) => {
  const { model, requests } = modelWith("openai", failing(status));
  expect(await codeOf(write(model, recordedCall().call))).toBe(code);
  expect(requests).toHaveLength(1);
});

test.each(both)("%s is not called again after a refusal", async (provider) => {
  const { model, requests } = modelWith(provider, (respond) => respond({ finish: "refusal" }));
  const { call, records } = recordedCall();
  expect(await codeOf(write(model, call))).toBe("content_refused");
  expect(requests).toHaveLength(1);
  expect(records).toMatchObject([{ outcome: "content_refused", inputTokens: 40 }]);
});

test("Google is not called again after it blocked the prompt", async () => {
  const { model, requests } = modelWith("google", () => Response.json({ promptFeedback: { blockReason: "SAFETY" } }));
  expect(await codeOf(write(model, recordedCall().call))).toBe("content_refused");
  expect(requests).toHaveLength(1);
});

test("a provider that requests a long pause is not called again", async () => {
  const { model, requests } = modelWith("openai", failing(429, { "retry-after": "120" }));
  const error = await write(model, recordedCall().call).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "provider_rate_limited", facts: { retryAfterSeconds: 120 } });
  expect(requests).toHaveLength(1);
});

test("a repair counts as one of the three attempts", async () => {
  const { model, requests } = modelWith("openai", failing(500), textOutput("{}"), failing(500), valid);
  expect(await codeOf(write(model, recordedCall().call))).toBe("provider_error");
  expect(requests).toHaveLength(3);
});

test("a dead connection is a provider_error", async () => {
  const { model } = modelWith("openai", valid);
  server?.stop();
  expect(await codeOf(write(model, recordedCall().call))).toBe("provider_error");
});

const brokenOff = () =>
  new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("broken")) }));

test.each(both)("%s is called once if the connection breaks after the request was sent", async (provider) => {
  const { model, requests } = modelWith(provider, brokenOff, valid);
  const error = await write(model, recordedCall().call).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "provider_error", facts: { unanswered: true } });
  expect(requests).toHaveLength(1);
});

test("an endless response is aborted", async () => {
  const block = new Uint8Array(2 ** 20).fill(32);
  const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(block) });
  const { model } = modelWith(
    "openai",
    () => new Response(endless(), { headers: { "content-type": "application/json" } }),
  );
  const error = await write(model, recordedCall().call).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "provider_bad_response", facts: { reason: "it is too large" } });
});

test("the call is aborted at the deadline and not repeated", async () => {
  const { call, records, expire } = recordedCall();
  const { model, requests } = modelWith("openai", () => {
    expire();
    return new Promise(() => {});
  });
  expect(await codeOf(write(model, call))).toBe("provider_timeout");
  expect(records).toMatchObject([{ outcome: "provider_timeout" }]);
  expect(requests).toHaveLength(1);
});

test("a disconnect aborts the request to the provider", async () => {
  const { call, records, disconnect } = recordedCall();
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const body = () => new ReadableStream({ cancel: () => resolve(), pull: () => disconnect() });
  const { model, requests } = modelWith("openai", () => new Response(body()));
  await expect(write(model, call)).rejects.toThrow();
  await aborted;
  expect(records).toMatchObject([{ outcome: "cancelled" }]);
  expect(requests).toHaveLength(1);
});

test("a disconnect ends the delay before the next attempt", async () => {
  const { call, disconnect } = recordedCall();
  const { model, requests } = modelWith("openai", () => {
    setTimeout(disconnect, 20);
    return new Response("", { status: 500, headers: { "retry-after": "10" } });
  });
  const error = await write(model, call).catch((thrown) => thrown);
  expect(error.name).toBe("AbortError");
  expect(requests).toHaveLength(1);
});
