import { afterAll, expect, test } from "bun:test";
import { jsonClient } from "../../support/json-client.ts";
import { fakeServer, type ReceivedRequest } from "../../support/models/fake-server.ts";
import { openaiResponse, scenarioOutput } from "../../support/models/text-responses.ts";
import { rememberedMedia } from "../../support/remembered-media.ts";
import { testService } from "../../support/service.ts";
import { formOf, mp4, png } from "../../support/uploads.ts";

const image = (await png(64, 64).bytes()).toBase64();
const parts = [{ inlineData: { mimeType: "image/png", data: image } }, { text: JSON.stringify(scenarioOutput) }];
/** The providers' responses to requests for models that they do not have. */
const retired = { error: { code: "model_not_found", status: "NOT_FOUND", message: "Gone: sk-secret of the provider" } };
let isRetired = (_: ReceivedRequest) => false;
const unlessRetired = (reply: (request: ReceivedRequest) => Response) => (request: ReceivedRequest) =>
  isRetired(request) ? Response.json(retired, { status: 404 }) : reply(request);

const provider = fakeServer({
  "POST /v1/responses": unlessRetired(() => openaiResponse({ text: JSON.stringify(scenarioOutput) })),
  "POST /v1/images/generations": unlessRetired(() => Response.json({ data: [{ b64_json: image }] })),
  "POST /v1beta/interactions": unlessRetired(() => Response.json({ id: "v1_job", status: "failed" })),
  "POST /v1beta/models/:call": unlessRetired(({ path }) => {
    const used = path.includes("image") ? parts.slice(0, 1) : parts.slice(1);
    return Response.json({ candidates: [{ content: { parts: used }, finishReason: "STOP" }] });
  }),
});
const settings = {
  OPENAI_BASE_URL: `${provider.url}/v1`,
  GOOGLE_BASE_URL: `${provider.url}/v1beta`,
  DEFAULT_LLM_PROVIDER: "gemini",
  DEFAULT_VISION_PROVIDER: "google",
  DEFAULT_IMAGE_PROVIDER: "dalle",
};
const service = await testService(settings, undefined, rememberedMedia);
const ann = await service.register("Ann");
const api = jsonClient(ann);
afterAll(async () => {
  await service.close();
  await provider.stop();
});

type Row = { id: string; category: string; aliases: string[]; models: { id: string }[] };
const rows: Row[] = (await api("GET", "/api/providers")).body;

const key = { "x-api-key": "a-key" };
const scenario = (headers: object) =>
  api("POST", "/api/scenario", { intent: { mode: "content_remix" } }, { ...key, ...headers });
const draw = (headers: object) => api("POST", "/api/generate/image", { prompt: "A cup" }, { ...key, ...headers });
const animate = (headers: object) =>
  api("POST", "/api/generate/video", { prompt: "It turns", image_url: "/nowhere" }, { ...key, ...headers });

test("each row has the id that clients store, and the other names in aliases", () => {
  expect(rows.map(({ category, id, aliases }) => [category, id, aliases])).toEqual([
    ["vision", "openai", []],
    ["vision", "gemini", ["google"]],
    ["vision", "anthropic", []],
    ["vision", "gateway", []],
    ["vision", "xai", []],
    ["vision", "local", []],
    ["llm", "openai", []],
    ["llm", "gemini", ["google"]],
    ["llm", "anthropic", []],
    ["llm", "gateway", []],
    ["llm", "xai", []],
    ["llm", "local", []],
    ["image", "dalle", ["openai"]],
    ["image", "gemini", ["google"]],
    ["image", "fal", []],
    ["image", "gateway", []],
    ["image", "replicate", []],
    ["image", "xai", []],
    ["image", "bfl", []],
    ["image", "local", []],
    ["video", "gemini", ["google"]],
    ["video", "fal", []],
    ["video", "runway", []],
    ["video", "gateway", []],
    ["video", "replicate", []],
    ["video", "xai", []],
    ["video", "bfl", []],
    ["video", "alibaba", []],
    ["video", "local", []],
    ["speech", "gemini", ["google"]],
    ["speech", "elevenlabs", []],
    ["speech", "gateway", []],
    ["speech", "xai", []],
    ["speech", "openai", []],
    ["music", "elevenlabs", []],
  ]);
});

test("both names of a provider are accepted, and the usage names the provider by one", async () => {
  for (const name of ["gemini", "google", "openai"]) {
    expect((await scenario({ "x-llm-provider": name })).status).toBe(200);
  }
  for (const name of ["gemini", "google", "openai", "DALLE"]) {
    expect((await draw({ "x-image-provider": name })).status).toBe(200);
  }
  for (const name of ["gemini", "google"]) {
    expect((await animate({ "x-video-provider": name })).status).not.toBe(400);
  }
  const { calls } = (await api("GET", "/api/usage")).body;
  const used = new Set(calls.map(({ purpose, provider: name }: Record<string, string>) => `${purpose} ${name}`));
  expect([...used].sort()).toEqual(["image google", "image openai", "scenario google", "scenario openai"]);
});

test("a default provider can have either name", async () => {
  const before = provider.requests.length;
  expect((await scenario({})).status).toBe(200);
  expect((await draw({})).status).toBe(200);
  const called = provider.requests.slice(before).map(({ path }) => path);
  expect(called).toEqual(["/v1beta/models/gemini-3.8-flash:generateContent", "/v1/images/generations"]);
});

test("an unknown provider is rejected with both names of the known ones", async () => {
  const { status, body } = await draw({ "x-image-provider": "nobody" });
  expect([status, body.code]).toEqual([400, "unknown_provider"]);
  expect(body.error).toContain("dalle (or openai), gemini (or google), fal, gateway, replicate, xai, bfl, local");
});

const analyze = async (headers: object) => {
  const body = formOf({ video: await mp4(), mode: "style_transfer" });
  const response = await ann.request("/api/analyze", { method: "POST", headers: { ...key, ...headers }, body });
  return { status: response.status, body: await response.json() };
};

const animateDrawing = async (headers: object) => {
  const body = { prompt: "It turns", image_url: `data:image/png;base64,${image}` };
  return api("POST", "/api/generate/video", body, { ...key, ...headers });
};

test.each([
  ["vision", "openai", analyze],
  ["vision", "gemini", analyze],
  ["llm", "openai", scenario],
  ["llm", "gemini", scenario],
  ["image", "dalle", draw],
  ["image", "gemini", draw],
  ["video", "gemini", animateDrawing],
] as const)("a retired %s model of %s is named with the models of the row", async (category, id, send) => {
  isRetired = () => true;
  const models = rows.find((row) => row.category === category && row.id === id)!.models.map((model) => model.id);
  const named = await send({ [`x-${category}-provider`]: id, "x-model-id": "old-model-1" });
  const byDefault = await send({ [`x-${category}-provider`]: id });
  isRetired = () => false;

  expect([named.status, byDefault.status]).toEqual([400, 502]);
  expect(named.body).toMatchObject({
    code: "provider_model_unavailable",
    details: { model: "old-model-1", models },
  });
  expect(named.body.error).toEndWith(
    ` does not offer the model old-model-1 to this key: choose one of ${models.join(", ")}.`,
  );
  expect(byDefault.body).toMatchObject({
    code: "provider_model_unavailable",
    details: { model: models[0], models: models.slice(1) },
  });
  for (const { body } of [named, byDefault]) expect(JSON.stringify(body)).not.toMatch(/sk-secret|a-key/);
});

test("a name of another category is rejected as an unsupported capability", async () => {
  const rejected = [
    await scenario({ "x-llm-provider": "dalle" }),
    await animate({ "x-video-provider": "dalle" }),
    await animate({ "x-video-provider": "openai" }),
  ];
  expect(rejected.map(({ status, body }) => [status, body.code, body.error])).toEqual([
    [
      400,
      "unsupported_capability",
      "dalle cannot make texts here: choose one of openai, gemini (or google), anthropic, gateway, xai, local.",
    ],
    [
      400,
      "unsupported_capability",
      "OpenAI cannot make videos here: choose one of gemini (or google), fal, runway, gateway, replicate, xai, bfl, alibaba, local.",
    ],
    [
      400,
      "unsupported_capability",
      "OpenAI cannot make videos here: choose one of gemini (or google), fal, runway, gateway, replicate, xai, bfl, alibaba, local.",
    ],
  ]);
  const { status, body } = await analyze({ "x-vision-provider": "dalle" });
  expect([status, body.code]).toEqual([400, "unsupported_capability"]);
});
