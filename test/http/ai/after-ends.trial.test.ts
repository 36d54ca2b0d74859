import { afterAll, expect, test } from "bun:test";
import { wavOf } from "../../../src/engine/timeline/samples.ts";
import { readEnvironment } from "../../../src/env.ts";
import { createModels } from "../../../src/process/from-settings.ts";
import { localGenerator } from "../../../src/providers/local/drawings/generator.ts";
import { jsonClient } from "../../support/json-client.ts";
import { foundFfmpeg } from "../../support/media/ffmpeg.ts";
import { fakeServer } from "../../support/models/fake-server.ts";
import { openaiResponse, scenarioOutput } from "../../support/models/text-responses.ts";
import { googleSound, googleTranscript, spokenSamples, textToSpeak, tone } from "../../support/models/voice-server.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { testService } from "../../support/service.ts";
import { serviceTaskPool } from "../../support/task-pool.ts";
import { formOf, mp4, png, wav } from "../../support/uploads.ts";

const image = await png(64, 64).bytes();
const provider = fakeServer({
  "POST /v1beta/models/:call": (request) =>
    request.path.includes("transcribe")
      ? googleTranscript("hello there", [])
      : googleSound(wavOf(spokenSamples(textToSpeak(request)))),
  "POST /v1/music": () => new Response(wavOf(tone(4)), { headers: { "content-type": "audio/mpeg" } }),
  "POST /v1/audio/transcriptions": () => Response.json({ error: { code: "model_not_found" } }, { status: 404 }),
  "POST /v1/responses": () => openaiResponse({ text: JSON.stringify(scenarioOutput) }),
  "POST /v1/images/generations": () => Response.json({ data: [{ b64_json: image.toBase64() }] }),
});
const urls = {
  OPENAI_BASE_URL: `${provider.url}/v1`,
  GOOGLE_BASE_URL: `${provider.url}/v1beta`,
  ELEVENLABS_BASE_URL: provider.url,
};
// after the ends of OpenAI's voices, of Whisper and of GPT-4o
const now = () => Date.parse("2027-03-01T12:00:00Z");
const ffmpeg = await foundFfmpeg();
const lateService = (settings: Record<string, string>) =>
  testService({ ...urls, ...settings }, undefined, ({ files, fetcher, soundTools, videoAnalyzer: images }) => {
    const ports = {
      files,
      fetcher,
      soundTools,
      images,
      localGenerator: localGenerator({ ffmpeg, files, canvas: serviceTaskPool() }),
    };
    return { models: createModels(readEnvironment({ ...urls, ...settings }), ports, now) };
  });
const service = await lateService({ DEFAULT_MUSIC_PROVIDER: "elevenlabs" });
const withOpenai = await lateService({
  DEFAULT_LLM_PROVIDER: "openai",
  DEFAULT_IMAGE_PROVIDER: "openai",
  DEFAULT_SPEECH_PROVIDER: "openai",
});
afterAll(async () => {
  await Promise.all([service.close(), withOpenai.close(), provider.stop()]);
});

const ann = await service.register("Ann");
const api = jsonClient(ann);
const key = { "x-api-key": "a-key" };
const dataUrl = `data:image/png;base64,${image.toBase64()}`;
const resolution = { width: 128, height: 128 };

const requests: [name: string, send: () => Promise<{ status: number }>][] = [
  ["vision", async () => ann.request("/api/analyze", { method: "POST", body: formOf({ video: await mp4() }) })],
  ["llm", () => api("POST", "/api/scenario", { intent: { mode: "content_remix" } })],
  ["image", () => api("POST", "/api/generate/image", { prompt: "A cup", resolution })],
  [
    "video",
    () => api("POST", "/api/generate/video", { prompt: "It turns", image_url: dataUrl, duration: 1, resolution }),
  ],
  ["speech", () => api("POST", "/api/generate/speech", { text: "Good morning dear friends." }, key)],
  ["music", () => api("POST", "/api/generate/music", { prompt: "Calm piano", seconds: 4 }, key)],
  [
    "transcription",
    async () => ann.request("/api/transcribe", { method: "POST", headers: key, body: formOf({ file: wav() }) }),
  ],
];

test.each(requests)("on 1 March 2027 the default of %s works", async (_, send) => {
  expect((await send()).status).toBe(200);
});

test("so do the defaults of a server that chose OpenAI, and what editors have stored", async () => {
  const bo = jsonClient(await withOpenai.register("Bo"));
  const scenario = { intent: { mode: "content_remix" } };
  expect((await bo("POST", "/api/scenario", scenario, key)).status).toBe(200);
  const old = await bo("POST", "/api/scenario", scenario, { ...key, "x-model-id": "gpt-4o" });
  expect([old.status, old.headers.get("x-model-id")]).toEqual([200, "gpt-6-luna"]);
  expect((await bo("POST", "/api/generate/image", { prompt: "A cup", resolution }, key)).status).toBe(200);
  // OpenAI has no voice any more: Google speaks
  expect((await bo("POST", "/api/generate/speech", { text: "Good morning dear friends." }, key)).status).toBe(200);
  const ended = await bo("POST", "/api/generate/speech", { text: "Hi" }, { ...key, "x-speech-provider": "openai" });
  expect([ended.status, ended.body.code]).toEqual([400, "provider_model_unavailable"]);
});

test("an operation is not started for a model that has ended", async () => {
  const headers = { ...key, prefer: "respond-async", "x-speech-provider": "openai", "x-model-id": "tts-1" };
  const { status, body } = await api("POST", "/api/generate/speech", { text: "Hi" }, headers);
  expect([status, body.details]).toEqual([400, { model: "tts-1", models: [], endedOn: "2027-01-06" }]);
  const scene = await workWithScenes(ann, { scenes: [{ duration_seconds: 5 }] });
  const unknown = { prefer: "respond-async", "x-video-provider": "nobody" };
  expect((await api("POST", `${scene.base}/generate/scene/0`, undefined, unknown)).status).toBe(400);
});

test("of what a provider does not have, no ended model is named in its place", async () => {
  const headers = { ...key, "x-speech-provider": "openai", "x-model-id": "unknown-1" };
  const body = formOf({ file: new File([wavOf(tone(1))], "tone.wav") });
  const answer = await ann.request("/api/transcribe", { method: "POST", headers, body });
  expect(await answer.json()).toMatchObject({ details: { model: "unknown-1", models: ["gpt-transcribe"] } });
});
