import { afterEach, expect, test } from "bun:test";
import { googleLanguage } from "../../../src/ai/google/google.ts";
import { openaiLanguage } from "../../../src/ai/openai/openai.ts";
import type { Brief, LanguageModel } from "../../../src/domain/ai/models.ts";
import type { ProviderCall } from "../../../src/domain/ai/provider-calls.ts";
import { accessTo, codeOf, notedCall } from "../../helpers/model-calls.ts";
import { jsonOf, standIn } from "../../helpers/stand-in.ts";
import { draft, googleAnswer, inTurn, openaiAnswer, type Said } from "../../helpers/text-answers.ts";

let server: ReturnType<typeof standIn> | undefined;
afterEach(() => server?.stop());

type Answer = (said: Said) => Response;
type Reply = (answer: Answer) => Response | Promise<Response>;

const makers = {
  openai: { language: openaiLanguage, path: "/v1", route: "POST /v1/responses", answer: openaiAnswer },
  google: { language: googleLanguage, path: "/v1beta", route: "POST /v1beta/models/:call", answer: googleAnswer },
};
const both = Object.keys(makers) as (keyof typeof makers)[];

/** A provider that gives these replies one after the other, and a model of it. */
function speaking(provider: keyof typeof makers, ...replies: readonly Reply[]) {
  const { language, path, route, answer } = makers[provider];
  server = standIn({ [route]: inTurn(...replies.map((reply) => () => reply(answer))) });
  return { model: language(accessTo(server.url + path, "gpt-6-luna")), taken: server.taken };
}

const prompt = { system: "You are a director.", message: "Write about a cup." };
// safe because a model outside reads the prompt alone
const task = { prompt, brief: {} as Brief };
const write = (model: LanguageModel, call: ProviderCall) => model.writeScenario(task, call);

const good: Reply = (answer) => answer({ text: JSON.stringify(draft) });
const saying =
  (text: string): Reply =>
  (answer) =>
    answer({ text });
const failing =
  (status: number, headers: Record<string, string> = { "retry-after": "0" }): Reply =>
  () =>
    new Response("", { status, headers });

test.each(both)("%s is asked once for a good answer, and what it cost is noted", async (provider) => {
  const { model, taken } = speaking(provider, good);
  const { call, noted } = notedCall();
  expect(await write(model, call)).toEqual(draft);
  expect(taken).toHaveLength(1);
  const what = { provider: "acme", model: "gpt-6-luna", purpose: "scenario" };
  expect(noted).toMatchObject([{ ...what, outcome: "ok", inputTokens: 40, outputTokens: 7 }]);
});

test("OpenAI gets the key, the roles, a strict form and the wish to keep nothing", async () => {
  const { model, taken } = speaking("openai", good);
  await write(model, notedCall().call);
  expect(taken[0]?.headers.get("authorization")).toBe("Bearer a key of the caller");
  expect(jsonOf(taken[0])).toMatchObject({
    ...{ model: "gpt-6-luna", store: false, text: { format: { type: "json_schema", strict: true } } },
    input: [
      { role: "developer", content: "You are a director." },
      { role: "user", content: [{ type: "input_text", text: "Write about a cup." }] },
    ],
  });
});

test("Google gets the key in its header, the instruction and the form", async () => {
  const { model, taken } = speaking("google", good);
  await write(model, notedCall().call);
  expect(taken[0]).toMatchObject({ path: "/v1beta/models/gpt-6-luna:generateContent" });
  expect(taken[0]?.headers.get("x-goog-api-key")).toBe("a key of the caller");
  expect(jsonOf(taken[0])).toMatchObject({
    systemInstruction: { parts: [{ text: "You are a director." }] },
    contents: [{ role: "user", parts: [{ text: "Write about a cup." }] }],
    generationConfig: { responseMimeType: "application/json" },
  });
});

test.each(["models/x", "a/b", "x:streamGenerateContent"])(
  "a model called %s leads to no other path",
  async (modelId) => {
    server = standIn({ "POST /*": () => googleAnswer({ text: JSON.stringify(draft) }) });
    await write(googleLanguage(accessTo(`${server.url}/v1beta`, modelId)), notedCall().call);
    expect(server.taken[0]?.path).toMatch(/^\/v1beta\/models\/[^/:]+:generateContent$/);
  },
);

test.each(both)("%s may wrap its answer in a fence and add what nobody asked for", async (provider) => {
  const text = `\`\`\`json\n${JSON.stringify({ ...draft, mood: "calm" }, null, 2)}\n\`\`\``;
  const { model, taken } = speaking(provider, saying(text));
  expect(await write(model, notedCall().call)).toEqual(draft);
  expect(taken).toHaveLength(1);
});

test.each(both)("%s that runs into blank lines is told that this is no JSON", async (provider) => {
  const { model, taken } = speaking(provider, saying(`\`\`\`json\n${"\n".repeat(10_000)}{`), good);
  expect(await write(model, notedCall().call)).toEqual(draft);
  expect(taken).toHaveLength(2);
});

test.each(both)("%s that writes without end is not told of every entry", async (provider) => {
  const { model, taken } = speaking(provider, saying(`{"scenes":[${"0,".repeat(300_000)}0]}`), good);
  expect(await write(model, notedCall().call)).toEqual(draft);
  expect(new TextDecoder().decode(taken[1]?.bytes)).toContain("it is not the JSON asked for");
});

test.each(both)("%s is told once what was wrong about its answer", async (provider) => {
  const { model, taken } = speaking(provider, saying('{"scenes":[{"transition":"swirl"}]}'), good);
  const { call, noted } = notedCall();
  expect(await write(model, call)).toEqual(draft);
  const again = new TextDecoder().decode(taken[1]?.bytes);
  expect(again).toContain("swirl");
  expect(again).toContain("scenes.0.duration_seconds");
  expect(noted.map(({ outcome, outputTokens }) => [outcome, outputTokens])).toEqual([
    ["provider_bad_response", 7],
    ["ok", 7],
  ]);
});

const useless: [what: string, reply: Reply][] = [
  ["an answer of another form", saying("{}")],
  ["prose", saying("Here is what I would do.")],
  ["no scene", saying('{"scenes":[]}')],
  ["no text", saying("")],
  ["an answer cut off", (answer) => answer({ text: '{"scenes":[', why: "length" })],
  ["a page", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
  ["nothing", () => new Response("")],
  ["JSON of another kind", () => Response.json({ ok: true })],
];
test.each(both.flatMap((provider) => useless.map(([what, reply]) => [provider, what, reply] as const)))(
  "%s is asked twice when it gives %s",
  async (provider, _, reply) => {
    const { model, taken } = speaking(provider, reply);
    expect(await codeOf(write(model, notedCall().call))).toBe("provider_bad_response");
    expect(taken).toHaveLength(2);
  },
);

test.each([408, 429, 500, 502, 503, 504])("after a %d a model is asked again, three times in all", async (status) => {
  const { model, taken } = speaking("openai", failing(status), failing(status), good);
  const { call, noted } = notedCall();
  expect(await write(model, call)).toEqual(draft);
  expect(taken).toHaveLength(3);
  expect(noted).toHaveLength(3);

  const always = speaking("openai", failing(status));
  const codes: Record<number, string> = { 429: "provider_rate_limited", 503: "provider_overloaded" };
  expect(await codeOf(write(always.model, notedCall().call))).toBe(codes[status] ?? "provider_error");
  expect(always.taken).toHaveLength(3);
});

test.each<[number, string]>([
  [400, "provider_rejected_request"],
  [401, "provider_key_rejected"],
  [403, "provider_key_rejected"],
  [404, "provider_model_unavailable"],
  [413, "media_too_large"],
  [402, "provider_quota_exhausted"],
])("after a %d nothing is asked again", async (status, code) => {
  const { model, taken } = speaking("openai", failing(status));
  expect(await codeOf(write(model, notedCall().call))).toBe(code);
  expect(taken).toHaveLength(1);
});

test.each(both)("%s that declines is not asked again", async (provider) => {
  const { model, taken } = speaking(provider, (answer) => answer({ why: "refusal" }));
  const { call, noted } = notedCall();
  expect(await codeOf(write(model, call))).toBe("content_refused");
  expect(taken).toHaveLength(1);
  expect(noted).toMatchObject([{ outcome: "content_refused", inputTokens: 40 }]);
});

test("Google that blocks the prompt is not asked again", async () => {
  const { model, taken } = speaking("google", () => Response.json({ promptFeedback: { blockReason: "SAFETY" } }));
  expect(await codeOf(write(model, notedCall().call))).toBe("content_refused");
  expect(taken).toHaveLength(1);
});

test("one that asks for a long wait is left alone at once", async () => {
  const { model, taken } = speaking("openai", failing(429, { "retry-after": "120" }));
  const error = await write(model, notedCall().call).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "provider_rate_limited", facts: { retryAfterSeconds: 120 } });
  expect(taken).toHaveLength(1);
});

test("a repair counts among the three", async () => {
  const { model, taken } = speaking("openai", failing(500), saying("{}"), failing(500), good);
  expect(await codeOf(write(model, notedCall().call))).toBe("provider_error");
  expect(taken).toHaveLength(3);
});

test("a dead connection is a failure of the provider", async () => {
  const { model } = speaking("openai", good);
  server?.stop();
  expect(await codeOf(write(model, notedCall().call))).toBe("provider_error");
});

test("an answer without end is broken off", async () => {
  const block = new Uint8Array(2 ** 20).fill(32);
  const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(block) });
  const { model } = speaking(
    "openai",
    () => new Response(endless(), { headers: { "content-type": "application/json" } }),
  );
  const error = await write(model, notedCall().call).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: "provider_bad_response", facts: { reason: "it is too large" } });
});

test("at the deadline the call is aborted, and no other follows", async () => {
  const { model, taken } = speaking("openai", () => new Promise(() => {}));
  const { call, noted } = notedCall(50);
  expect(await codeOf(write(model, call))).toBe("provider_timeout");
  expect(noted).toMatchObject([{ outcome: "provider_timeout" }]);
  expect(taken).toHaveLength(1);
});

test("when the caller leaves, the call is aborted upstream", async () => {
  const { call, noted, leave } = notedCall();
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const body = () => new ReadableStream({ cancel: () => resolve(), pull: () => leave() });
  const { model, taken } = speaking("openai", () => new Response(body()));
  expect(write(model, call)).rejects.toThrow();
  await aborted;
  expect(noted).toMatchObject([{ outcome: "cancelled" }]);
  expect(taken).toHaveLength(1);
});

test("the wait before the next try ends with the request", async () => {
  const { call, leave } = notedCall();
  const { model, taken } = speaking("openai", () => {
    setTimeout(leave, 20);
    return new Response("", { status: 500, headers: { "retry-after": "10" } });
  });
  const error = await write(model, call).catch((thrown) => thrown);
  expect(error.name).toBe("AbortError");
  expect(taken).toHaveLength(1);
});
