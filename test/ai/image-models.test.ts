import { afterEach, expect, test } from "bun:test";
import { googleImage } from "../../src/ai/google/image.ts";
import { openaiImage } from "../../src/ai/openai/image.ts";
import type { ImageTask } from "../../src/domain/ai/models.ts";
import { accessTo, codeOf, notedCall } from "../helpers/model-calls.ts";
import { jsonOf, standIn } from "../helpers/stand-in.ts";

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const task = (more: Partial<ImageTask> = {}): ImageTask => ({
  prompt: "A cup on a table",
  shot: { prompt: "A cup", avoid: "" },
  resolution: { width: 1080, height: 1920 },
  ...more,
});

let server: ReturnType<typeof standIn> | undefined;
afterEach(() => server?.stop());

/** Both providers' drawers at one server that always answers the same. */
function drawers(reply: () => Response) {
  server = standIn({ "POST /v1/images/generations": reply, "POST /v1beta/models/:call": reply });
  return {
    openai: openaiImage(accessTo(`${server.url}/v1`, "gpt-image-2.5-flare")),
    google: googleImage(accessTo(`${server.url}/v1beta`, "gemini-3.1-flash-image")),
    taken: server.taken,
  };
}

const openaiAnswer = (base64: string) => Response.json({ data: [{ b64_json: base64 }] });
const googleAnswer = (...parts: unknown[]) =>
  Response.json({ candidates: [{ content: { parts }, finishReason: "STOP" }] });
const picturePart = (bytes: Uint8Array) => ({ inlineData: { mimeType: "image/png", data: bytes.toBase64() } });

test("OpenAI is sent the prompt, the size and the key, and its tokens are noted", async () => {
  const usage = { input_tokens: 7, output_tokens: 4160 };
  const { openai, taken } = drawers(() => Response.json({ data: [{ b64_json: png.toBase64() }], usage }));
  const { call, noted } = notedCall();
  expect(await openai.draw(task(), call)).toEqual(png);
  expect(jsonOf(taken[0])).toEqual({
    ...{ model: "gpt-image-2.5-flare", prompt: "A cup on a table", n: 1, size: "1152x2048" },
  });
  expect(taken[0]?.headers.get("authorization")).toBe("Bearer a key of the caller");
  expect(noted).toMatchObject([
    {
      provider: "acme",
      model: "gpt-image-2.5-flare",
      purpose: "image",
      inputTokens: 7,
      outputTokens: 4160,
      outcome: "ok",
    },
  ]);
});

test("Google is sent the prompt, the shape and the key, and its tokens are noted", async () => {
  const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: 1120 };
  const candidates = [{ content: { parts: [picturePart(png)] }, finishReason: "STOP" }];
  const { google, taken } = drawers(() => Response.json({ candidates, usageMetadata }));
  const { call, noted } = notedCall();
  expect(await google.draw(task(), call)).toEqual(png);
  expect(jsonOf(taken[0])).toEqual({
    contents: [{ role: "user", parts: [{ text: "A cup on a table" }] }],
    generationConfig: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "9:16", imageSize: "2K" } },
  });
  expect(taken[0]?.path).toBe("/v1beta/models/gemini-3.1-flash-image:generateContent");
  expect(taken[0]?.headers.get("x-goog-api-key")).toBe("a key of the caller");
  expect(noted).toMatchObject([{ inputTokens: 7, outputTokens: 1120, outcome: "ok" }]);
});

test("Gemini's sketches are left for its last picture", async () => {
  const sketch = { ...picturePart(new Uint8Array([...png, 9])), thought: true };
  const { google } = drawers(() => googleAnswer({ text: "Here it is" }, picturePart(png), sketch));
  expect(await google.draw(task(), notedCall().call)).toEqual(png);
});

test.each([32_000, 40_000])("a prompt of %d characters is cut at a word within what is read", async (length) => {
  const { openai, taken } = drawers(() => openaiAnswer(png.toBase64()));
  await openai.draw(task({ prompt: "words ".repeat(length / 6).trim() }), notedCall().call);
  const { prompt } = jsonOf(taken[0]);
  expect(prompt.length).toBeLessThanOrEqual(32_000);
  expect(prompt).toEndWith("words");
});

test("an endless word is not cut inside a character", async () => {
  const { openai, taken } = drawers(() => openaiAnswer(png.toBase64()));
  await openai.draw(task({ prompt: `a${"🎬".repeat(20_000)}` }), notedCall().call);
  expect(jsonOf(taken[0]).prompt).toBe(`a${"🎬".repeat(15_999)}`);
});

const fromOpenai: Record<string, () => Response> = {
  "ok: JPEG": () => openaiAnswer(new Uint8Array([0xff, 0xd8, 0xff, 0xe0]).toBase64()),
  "ok: WebP": () => openaiAnswer(Buffer.from("RIFF....WEBPVP8 ").toBase64()),
  "provider_bad_response: a page": () => new Response("<html>"),
  "provider_bad_response: nothing": () => new Response(""),
  "provider_bad_response: another form": () => Response.json({ ok: true }),
  "provider_bad_response: no picture": () => Response.json({ data: [] }),
  "provider_bad_response: an address": () => Response.json({ data: [{ url: "https://files.example/1.png" }] }),
  "provider_bad_response: no base64": () => openaiAnswer("<<not base64>>"),
  "provider_bad_response: another file": () => openaiAnswer(Buffer.from("<html>").toBase64()),
  "provider_bad_response: sound": () => openaiAnswer(Buffer.from("RIFF....WAVEfmt ").toBase64()),
  "content_refused: moderation": () => Response.json({ error: { code: "moderation_blocked" } }, { status: 400 }),
  "provider_error: a failure": () => Response.json({}, { status: 500 }),
  "provider_overloaded: a crowd": () => Response.json({}, { status: 503 }),
  "provider_rate_limited: too many": () => Response.json({}, { status: 429 }),
};

const fromGoogle: Record<string, () => Response> = {
  "provider_bad_response: no candidate": () => Response.json({}),
  "provider_bad_response: no part": () => googleAnswer(),
  "provider_bad_response: words": () => googleAnswer({ text: "I could describe the cup instead." }),
  "provider_bad_response: no reason": () => Response.json({ candidates: [{ finishReason: "IMAGE_OTHER" }] }),
  "content_refused: words that decline": () => googleAnswer({ text: "I'm sorry, I can't draw this." }),
  "content_refused: the picture": () => Response.json({ candidates: [{ content: {}, finishReason: "IMAGE_SAFETY" }] }),
  "content_refused: the prompt": () => Response.json({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }),
};

const cases = [
  ...Object.entries(fromOpenai).map(([name, reply]) => ["openai", name, reply] as const),
  ...Object.entries(fromGoogle).map(([name, reply]) => ["google", name, reply] as const),
];

test.each(cases)("%s is asked once, whatever it answers; %s", async (provider, name, reply) => {
  const { taken, ...models } = drawers(reply);
  const { call, noted } = notedCall();
  const [code] = name.split(":");
  expect(await codeOf(models[provider].draw(task(), call))).toBe(code!);
  expect(taken).toHaveLength(1);
  expect(noted.map(({ outcome }) => outcome)).toEqual([code as "ok"]);
});

test("an answer without end is cut off", async () => {
  let sent = 0;
  const block = new Uint8Array(1024 * 1024).fill(32);
  const endless = () => new ReadableStream({ pull: (c) => (sent++ < 400 ? c.enqueue(block) : c.close()) });
  const { openai } = drawers(() => new Response(endless()));
  expect(await codeOf(openai.draw(task(), notedCall().call))).toBe("provider_bad_response");
  expect(sent).toBeLessThan(200);
});
