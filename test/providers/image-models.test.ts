import { afterEach, expect, test } from "bun:test";
import type { ImageTask } from "../../src/domain/ai/models.ts";
import { googleImage } from "../../src/providers/google/image.ts";
import { openaiImage } from "../../src/providers/openai/image.ts";
import { fakeServer, jsonBody } from "../support/models/fake-server.ts";
import { codeOf, credentialsFor, recordedCall } from "../support/models/model-calls.ts";

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const task = (fields: Partial<ImageTask> = {}): ImageTask => ({
  prompt: "A cup on a table",
  shot: { prompt: "A cup", avoid: "" },
  resolution: { width: 1080, height: 1920 },
  ...fields,
});

let server: ReturnType<typeof fakeServer> | undefined;
afterEach(() => server?.stop());

/** The image models of both providers, at a fake server that always sends the same reply. */
function imageModels(reply: () => Response) {
  server = fakeServer({
    "POST /v1/images/generations": reply,
    "POST /v1/images/edits": reply,
    "POST /v1beta/models/:call": reply,
  });
  return {
    openai: openaiImage(credentialsFor(`${server.url}/v1`, "gpt-image-2.5-flare")),
    google: googleImage(credentialsFor(`${server.url}/v1beta`, "gemini-3.1-flash-image")),
    requests: server.requests,
  };
}

const openaiResponse = (base64: string) => Response.json({ data: [{ b64_json: base64 }] });
const googleResponse = (...parts: unknown[]) =>
  Response.json({ candidates: [{ content: { parts }, finishReason: "STOP" }] });
const imagePart = (bytes: Uint8Array) => ({ inlineData: { mimeType: "image/png", data: bytes.toBase64() } });

test("OpenAI gets the prompt, the size and the key, and its tokens are recorded", async () => {
  const usage = { input_tokens: 7, output_tokens: 4160 };
  const { openai, requests } = imageModels(() => Response.json({ data: [{ b64_json: png.toBase64() }], usage }));
  const { call, records } = recordedCall();
  expect(await openai.draw(task(), call)).toEqual(png);
  expect(jsonBody(requests[0])).toEqual({
    model: "gpt-image-2.5-flare",
    prompt: "A cup on a table",
    n: 1,
    size: "1152x2048",
  });
  expect(requests[0]?.headers.get("authorization")).toBe("Bearer a key of the caller");
  expect(records).toMatchObject([
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

test("Google gets the prompt, the image config and the key, and its tokens are recorded", async () => {
  const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: 1120 };
  const candidates = [{ content: { parts: [imagePart(png)] }, finishReason: "STOP" }];
  const { google, requests } = imageModels(() => Response.json({ candidates, usageMetadata }));
  const { call, records } = recordedCall();
  expect(await google.draw(task(), call)).toEqual(png);
  expect(jsonBody(requests[0])).toEqual({
    contents: [{ role: "user", parts: [{ text: "A cup on a table" }] }],
    generationConfig: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "9:16", imageSize: "2K" } },
  });
  expect(requests[0]?.path).toBe("/v1beta/models/gemini-3.1-flash-image:generateContent");
  expect(requests[0]?.headers.get("x-goog-api-key")).toBe("a key of the caller");
  expect(records).toMatchObject([{ inputTokens: 7, outputTokens: 1120, outcome: "ok" }]);
});

test("takes Gemini's last image that is not a thought", async () => {
  const thought = { ...imagePart(new Uint8Array([...png, 9])), thought: true };
  const { google } = imageModels(() => googleResponse({ text: "Here it is" }, imagePart(png), thought));
  expect(await google.draw(task(), recordedCall().call)).toEqual(png);
});

test.each([32_000, 40_000])("a prompt of %d characters is cut at a word to at most 32,000", async (length) => {
  const { openai, requests } = imageModels(() => openaiResponse(png.toBase64()));
  await openai.draw(task({ prompt: "words ".repeat(length / 6).trim() }), recordedCall().call);
  const { prompt } = jsonBody(requests[0]);
  expect(prompt.length).toBeLessThanOrEqual(32_000);
  expect(prompt).toEndWith("words");
});

test("an endless word is not cut inside a surrogate pair", async () => {
  const { openai, requests } = imageModels(() => openaiResponse(png.toBase64()));
  await openai.draw(task({ prompt: `a${"🎬".repeat(20_000)}` }), recordedCall().call);
  expect(jsonBody(requests[0]).prompt).toBe(`a${"🎬".repeat(15_999)}`);
});

const fromOpenai: Record<string, () => Response> = {
  "ok: JPEG": () => openaiResponse(new Uint8Array([0xff, 0xd8, 0xff, 0xe0]).toBase64()),
  "ok: WebP": () => openaiResponse(Buffer.from("RIFF....WEBPVP8 ").toBase64()),
  "provider_bad_response: an HTML page": () => new Response("<html>"),
  "provider_bad_response: an empty body": () => new Response(""),
  "provider_bad_response: another JSON shape": () => Response.json({ ok: true }),
  "provider_bad_response: no image": () => Response.json({ data: [] }),
  "provider_bad_response: a URL": () => Response.json({ data: [{ url: "https://files.example/1.png" }] }),
  "provider_bad_response: not base64": () => openaiResponse("<<not base64>>"),
  "provider_bad_response: not an image": () => openaiResponse(Buffer.from("<html>").toBase64()),
  "provider_bad_response: a WAV file": () => openaiResponse(Buffer.from("RIFF....WAVEfmt ").toBase64()),
  "content_refused: moderation": () => Response.json({ error: { code: "moderation_blocked" } }, { status: 400 }),
  "provider_error: a server error": () => Response.json({}, { status: 500 }),
  "provider_overloaded: overload": () => Response.json({}, { status: 503 }),
  "provider_rate_limited: a rate limit": () => Response.json({}, { status: 429 }),
};

const fromGoogle: Record<string, () => Response> = {
  "provider_bad_response: no candidate": () => Response.json({}),
  "provider_bad_response: no part": () => googleResponse(),
  "provider_bad_response: text": () => googleResponse({ text: "I could describe the cup instead." }),
  "provider_bad_response: another finish reason": () =>
    Response.json({ candidates: [{ finishReason: "IMAGE_OTHER" }] }),
  "content_refused: a refusal in text": () => googleResponse({ text: "I'm sorry, I can't draw this." }),
  "content_refused: a blocked image": () =>
    Response.json({ candidates: [{ content: {}, finishReason: "IMAGE_SAFETY" }] }),
  "content_refused: a blocked prompt": () => Response.json({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }),
};

const cases = [
  ...Object.entries(fromOpenai).map(([name, reply]) => ["openai", name, reply] as const),
  ...Object.entries(fromGoogle).map(([name, reply]) => ["google", name, reply] as const),
];

test.each(cases)("%s is called once for %s", async (provider, name, reply) => {
  const { requests, ...models } = imageModels(reply);
  const { call, records } = recordedCall();
  const [code] = name.split(":");
  expect(await codeOf(models[provider].draw(task(), call))).toBe(code!);
  expect(requests).toHaveLength(1);
  expect(records.map(({ outcome }) => outcome)).toEqual([code as "ok"]);
});

test("an endless response is aborted", async () => {
  let sent = 0;
  const block = new Uint8Array(1024 * 1024).fill(32);
  const endless = () => new ReadableStream({ pull: (c) => (sent++ < 400 ? c.enqueue(block) : c.close()) });
  const { openai } = imageModels(() => new Response(endless()));
  expect(await codeOf(openai.draw(task(), recordedCall().call))).toBe("provider_bad_response");
  expect(sent).toBeLessThan(200);
});

test("both get the pictures of the product, in one request", async () => {
  const references = [png, new Uint8Array([...png, 4])].map((bytes) => ({ bytes, mimeType: "image/png" }));
  const { openai, requests } = imageModels(() => openaiResponse(png.toBase64()));
  expect(await openai.draw(task({ references }), recordedCall().call)).toEqual(png);
  const { path, headers, bytes } = requests[0]!;
  expect(path).toBe("/v1/images/edits");
  const type = { "content-type": headers.get("content-type")! };
  const form = await new Response(new Uint8Array(bytes), { headers: type }).formData();
  const sent = await Promise.all(form.getAll("image[]").map((file) => (file as File).bytes()));
  expect(sent).toEqual(references.map(({ bytes }) => bytes));
  expect([form.get("model"), form.get("prompt"), form.get("n"), form.get("size")]).toEqual([
    "gpt-image-2.5-flare",
    "A cup on a table",
    "1",
    "1152x2048",
  ]);
  expect(requests).toHaveLength(1);
  server!.stop();

  const { google, requests: toGoogle } = imageModels(() => googleResponse(imagePart(png)));
  await google.draw(task({ references }), recordedCall().call);
  expect(jsonBody(toGoogle[0]).contents[0].parts).toEqual([
    { text: "A cup on a table" },
    ...references.map(({ bytes }) => imagePart(bytes)),
  ]);
});
