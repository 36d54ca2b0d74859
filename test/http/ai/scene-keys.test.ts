import { afterAll, beforeEach, expect, test } from "bun:test";
import { jsonClient } from "../../support/json-client.ts";
import { callTool, newClient } from "../../support/mcp-clients.ts";
import { fakeServer, jsonBody } from "../../support/models/fake-server.ts";
import { rememberedMedia } from "../../support/remembered-media.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { testService } from "../../support/service.ts";
import { listen, mp4, png } from "../../support/uploads.ts";

const image = (await png(64, 64).bytes()).toBase64();
const video = { type: "video", data: (await (await mp4()).bytes()).toBase64() };
const completed = { id: "v1_job", status: "completed", steps: [{ type: "model_output", content: [video] }] };
const provider = fakeServer({
  "POST /v1/images/generations": () => Response.json({ data: [{ b64_json: image }] }),
  "POST /v1beta/models/:call": () => {
    const parts = [{ inlineData: { mimeType: "image/png", data: image } }];
    return Response.json({ candidates: [{ content: { parts }, finishReason: "STOP" }] });
  },
  "POST /v1beta/interactions": ({ bytes }) =>
    new TextDecoder().decode(bytes).includes("old-video-model")
      ? Response.json({ error: { status: "NOT_FOUND" } }, { status: 404 })
      : Response.json(completed),
});
const service = await testService(
  { OPENAI_BASE_URL: `${provider.url}/v1`, GOOGLE_BASE_URL: `${provider.url}/v1beta` },
  undefined,
  rememberedMedia,
);
const ann = await service.register("Ann");
const api = jsonClient(ann);
afterAll(async () => {
  await service.close();
  await provider.stop();
});
beforeEach(() => {
  provider.requests.length = 0;
});

const scene = { duration_seconds: 5, image_prompt: "A cup", video_prompt: "It turns" };

async function newWork() {
  const work = await workWithScenes(ann, { scenes: [{ scene_index: 0, ...scene }] });
  const generate = (headers: Record<string, string>, body?: object) =>
    api("POST", `${work.base}/generate/scene/0`, body, headers);
  return { ...work, generate };
}

const twoProviders = { "x-image-provider": "dalle", "x-video-provider": "gemini" };
const oneProvider = { "x-image-provider": "gemini", "x-video-provider": "google" };

/** The key of each request that the providers received. */
const sentKeys = () =>
  provider.requests.map(({ headers }) => headers.get("x-goog-api-key") ?? headers.get("authorization"));

const bothMissing =
  "OpenAI needs your own API key: enter it in your editor's keys, or send it as x-image-api-key, and the other provider's key as x-video-api-key.";

test.each<[string, Record<string, string>, string]>([
  ["no key, two providers", twoProviders, bothMissing],
  ["one key for two providers", { ...twoProviders, "x-api-key": "shared" }, bothMissing],
  [
    "the image's key alone",
    { ...twoProviders, "x-image-api-key": "image" },
    "Google Gemini needs your own API key: enter it in your editor's keys, or send it as x-video-api-key.",
  ],
  [
    "no key, one provider",
    oneProvider,
    "Google Gemini needs your own API key: enter it in your editor's keys, or send it as x-api-key.",
  ],
  [
    "no key, a local image",
    { "x-video-provider": "gemini" },
    "Google Gemini needs your own API key: enter it in your editor's keys, or send it as x-api-key.",
  ],
])("%s: the missing header is named, and no provider is called", async (_, headers, error) => {
  const { generate } = await newWork();
  expect(await generate(headers)).toMatchObject({ status: 400, body: { code: "provider_key_required", error } });
  expect(provider.requests).toEqual([]);
});

test("other routes name x-api-key", async () => {
  const { body } = await api("POST", "/api/generate/image", { prompt: "A cup" }, { "x-image-provider": "dalle" });
  expect(body.error).toBe("OpenAI needs your own API key: enter it in your editor's keys, or send it as x-api-key.");
});

test("x-api-key is for the only model that the request needs", async () => {
  const { generate, upload, base } = await newWork();
  await upload("scene/0/image", png(40, 40));
  const withoutKey = await generate(twoProviders);
  expect(withoutKey.body.error).toContain(
    "Google Gemini needs your own API key: enter it in your editor's keys, or send it as x-api-key.",
  );
  expect((await generate({ ...twoProviders, "x-api-key": "video" })).status).toBe(200);
  expect(sentKeys()).toEqual(["video"]);

  provider.requests.length = 0;
  await api("DELETE", `${base}/media/scene/0/image`);
  await upload("scene/0/video", await mp4());
  expect((await generate({ ...twoProviders, "x-api-key": "image" })).status).toBe(200);
  expect(sentKeys()).toEqual(["Bearer image"]);
});

test("media that stay need no key", async () => {
  const { generate } = await newWork();
  const keys = { "x-image-api-key": "image", "x-video-api-key": "video" };
  expect((await generate({ ...twoProviders, ...keys })).status).toBe(200);
  expect(sentKeys()).toEqual(["Bearer image", "video"]);

  provider.requests.length = 0;
  const otherNames = { "x-image-provider": "openai", "x-video-provider": "google" };
  for (const headers of [{}, twoProviders, otherNames]) expect((await generate(headers)).status).toBe(200);
  expect((await generate(twoProviders, { force: true })).body.code).toBe("provider_key_required");
  expect(provider.requests).toEqual([]);
});

test("an agent that names no provider keeps what is there, and one that names a file's provider has that file made", async () => {
  const { generate, projectId, workId, base } = await newWork();
  const keys = { "x-image-api-key": "image", "x-video-api-key": "video" };
  expect((await generate({ ...twoProviders, ...keys })).status).toBe(200);
  const hashes = async () =>
    Promise.all(
      ["image", "video"].map(async (file) =>
        Bun.hash(await (await ann.request(`${base}/media/scene/0/${file}`)).bytes()),
      ),
    );
  const paid = await hashes();
  const server = listen(service);
  const client = await newClient(server, ann.accessToken);
  const twoOnConnection = await newClient(server, ann.accessToken, { "x-image-provider": "dalle" });
  const call = { projectId, workId, sceneIndex: 0 };
  await callTool(client, "works_generate_scene", call);
  await callTool(client, "works_generate_scene", { ...call, imageProvider: "openai" });
  await callTool(twoOnConnection, "works_generate_scene", call);
  expect(await hashes()).toEqual(paid);
  await callTool(client, "works_generate_scene", { ...call, videoProvider: "local" });
  const [image, video] = await hashes();
  expect([image === paid[0], video === paid[1]]).toEqual([true, false]);
  await Promise.all([client.close(), twoOnConnection.close()]);
  server.stop();
});

test("an unavailable video model from x-model-id is named", async () => {
  const { generate, upload } = await newWork();
  await upload("scene/0/image", png(40, 40));
  const headers = { "x-video-provider": "gemini", "x-model-id": "old-video-model", "x-api-key": "key" };
  expect(await generate(headers)).toMatchObject({
    status: 400,
    body: {
      code: "provider_model_unavailable",
      details: { model: "old-video-model", models: ["gemini-omni-1.2-flash", "gemini-omni-1.1-flash"] },
    },
  });
  expect((await generate({ ...headers, "x-video-model-id": "gemini-omni-1.1-flash" })).status).toBe(200);
  expect(provider.requests.map((request) => jsonBody(request).model)).toEqual([
    "old-video-model",
    "gemini-omni-1.1-flash",
  ]);
});

test.each(["x-image-model-id", "x-video-model-id", "x-model-id"])("a malformed %s is named", async (header) => {
  const { generate } = await newWork();
  const { status, body } = await generate({ [header]: "../x" });
  expect([status, body.details[0].path]).toEqual([400, header]);
});
