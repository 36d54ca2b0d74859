import { afterAll, beforeEach, expect, test } from "bun:test";
import { secondsOf, wavOf } from "../../../src/engine/timeline/samples.ts";
import { jsonClient } from "../../support/json-client.ts";
import {
  googleSound,
  googleTranscript,
  spokenSamples,
  textToSpeak,
  voiceServer,
} from "../../support/models/voice-server.ts";
import { rememberedMedia } from "../../support/remembered-media.ts";
import { testService } from "../../support/service.ts";
import { formOf, newProject, png, wav } from "../../support/uploads.ts";

const server = voiceServer();
const lines: string[] = [];
const service = await testService(
  { ...server.settings, LOG_LEVEL: "debug" },
  { write: (line) => void lines.push(line) },
  rememberedMedia,
);
const ann = await service.register("Ann");
const api = jsonClient(ann);
afterAll(async () => {
  await service.close();
  server.stop();
});
beforeEach(() => server.reset());

const key = { "x-api-key": "a-secret-key" };
const text = "Good morning dear friends.";
const speak = (body: object, headers: Record<string, string> = {}) =>
  api("POST", "/api/generate/speech", { text, ...body }, { ...key, ...headers });
const calls = () => server.requests.length;

async function newWork(fields: object) {
  const works = `/api/projects/${await newProject(ann)}/works`;
  const { body } = await api("POST", works, fields);
  return `${works}/${body.id}`;
}
const read = async (path: string) => (await api("GET", path)).body;

test("a voice is a WAV file of its measured length, with its words", async () => {
  const { status, body } = await speak({ language: "en" });

  expect([status, body.text, body.language, body.timing]).toEqual([200, text, "en", "estimated"]);
  expect(body.duration).toBeCloseTo(secondsOf(spokenSamples(text)), 2);
  expect(body.words.map((word: { text: string }) => word.text)).toEqual(["Good", "morning", "dear", "friends."]);
  const file = await ann.request(body.audioUrl);
  expect(file.headers.get("content-type")).toBe("audio/wav");
  expect(new Uint8Array(await file.arrayBuffer())).toEqual(wavOf(spokenSamples(text)));
});

test("a transcription measures the words if the caller asks for it", async () => {
  server.script.transcript = () =>
    googleTranscript(text, [
      ["good", 0, 0.2],
      ["morning,", 0.3, 0.7],
      ["dear", 0.8, 1],
      ["friends", 1.1, 1.5],
    ]);
  const { body } = await speak({ wordTimes: true });

  expect([body.timing, calls()]).toEqual(["measured", 2]);
  expect(body.words[3]).toEqual({ text: "friends.", start: 1.1, end: 1.5 });
});

test("a transcription that fails leaves the words estimated", async () => {
  server.script.transcript = () => new Response("", { status: 500 });
  const { status, body } = await speak({ wordTimes: true });
  expect([status, body.timing, calls()]).toEqual([200, "estimated", 2]);
});

test.each([
  ["provider_key_required", 400, {}, { "x-api-key": "" }],
  ["unsupported_capability", 400, {}, { "x-speech-provider": "local" }],
  ["validation_error", 400, { voice: "Nobody" }, {}],
  ["validation_error", 400, { text: "<laugh>" }, {}],
  ["validation_error", 400, { text: " " }, {}],
  ["validation_error", 400, { speed: 3 }, {}],
  ["validation_error", 400, { language: "!" }, {}],
] as const)("%s is found before anything is paid", async (code, status, body, headers) => {
  const response = await speak(body, headers);
  expect([response.status, response.body.code, calls()]).toEqual([status, code, 0]);
});

test("with an Idempotency-Key a voice is paid for once, and no part of a long text twice", async () => {
  const once = { "idempotency-key": "once" };
  const first = await speak({}, once);
  expect((await speak({}, once)).body).toEqual(first.body);
  expect(calls()).toBe(1);

  // of two parts, but of few letters, which take as few seconds
  const long = `${`Well ${"—".repeat(120)}. `.repeat(34)}The end.`;
  const again = { "idempotency-key": "again" };
  let isDown = true;
  server.script.google = (request) =>
    isDown && textToSpeak(request).endsWith("The end.")
      ? new Response("{}", { status: 429, headers: { "retry-after": "60" } })
      : googleSound(wavOf(spokenSamples(textToSpeak(request).replaceAll("—", ""))));
  expect((await speak({ text: long }, again)).body.code).toBe("provider_rate_limited");
  isDown = false;
  const { status, body } = await speak({ text: long }, again);
  expect([status, body.text]).toEqual([200, long]);
  // one voice, the first part, the second part that was turned away, and the second part
  expect(calls()).toBe(4);
});

test("neither a text nor a key nor a sound is logged", async () => {
  server.script.google = () => googleSound(new TextEncoder().encode("no sound at all"));
  await speak({});
  const log = lines.join("");
  expect(log).toContain("provider_bad_response");
  for (const secret of ["morning", "a-secret-key", "bm8gc291bmQ"]) expect(log).not.toContain(secret);
});

test("the voices of a work are made once, and again only for what has changed", async () => {
  const scenes = [
    { duration_seconds: 2, voice_text: "Good morning dear friends." },
    { duration_seconds: 2, text_overlay: "Coffee now" },
    { duration_seconds: 2 },
  ];
  const work = await newWork({ scenes });
  const generate = async (body: object = {}) => api("POST", `${work}/generate/voice`, body, key);

  const first = await generate();
  expect(first.body.scenes).toMatchObject([
    { sceneIndex: 0, voiceUrl: `${work}/media/scene/0/voice`, sceneDuration: 2, timing: "estimated", isNew: true },
    { sceneIndex: 1, isNew: true },
  ]);
  expect(server.requests.map(textToSpeak)).toEqual(["Good morning dear friends.", "Coffee now"]);
  expect((await read(work)).generatedScenes).toMatchObject([{ voiceUrl: first.body.scenes[0].voiceUrl }, {}]);

  await api("PUT", work, { scenes: [scenes[0], { ...scenes[1], voice_text: "Tea now" }, scenes[2]] });
  server.requests.length = 0;
  const second = await generate();
  expect(second.body.scenes.map(({ isNew }: { isNew: boolean }) => isNew)).toEqual([false, true]);
  expect(server.requests.map(textToSpeak)).toEqual(["Tea now"]);

  const fitted = await generate({ fitScenes: true });
  expect(calls()).toBe(1);
  const [voice] = fitted.body.scenes;
  expect(voice.sceneDuration - voice.duration).toBeCloseTo(0.4, 1);
  expect((await read(work)).scenes[0].duration_seconds).toBe(voice.sceneDuration);
});

test("a recording stays, unless force is true", async () => {
  const work = await newWork({ scenes: [{ duration_seconds: 2, voice_text: text }] });
  await ann.request(`${work}/media/scene/0/voice`, { method: "POST", body: formOf({ file: wav() }) });

  const kept = await api("POST", `${work}/generate/voice`, {}, {});
  expect([kept.status, kept.body.scenes[0].isNew, kept.body.scenes[0].timing]).toEqual([200, false, undefined]);
  const forced = await api("POST", `${work}/generate/voice`, { force: true }, key);
  expect([forced.body.scenes[0].isNew, forced.body.scenes[0].timing]).toEqual([true, "estimated"]);
});

test("a text that is refused keeps no other scene silent, and a second request pays only for what is missing", async () => {
  const work = await newWork({
    scenes: ["Bad words here", "Good words here"].map((voice_text) => ({ duration_seconds: 2, voice_text })),
  });
  server.script.google = (request) =>
    textToSpeak(request).startsWith("Bad")
      ? Response.json({ candidates: [{ finishReason: "SAFETY" }] })
      : server.speak(request);
  const refused = await api("POST", `${work}/generate/voice`, {}, key);
  expect([refused.status, refused.body.code, calls()]).toEqual([422, "content_refused", 2]);
  const scenes = (await read(work)).generatedScenes;
  expect(scenes).toMatchObject([{ voiceError: refused.body.error }, { voiceUrl: `${work}/media/scene/1/voice` }]);

  server.script.google = server.speak;
  expect((await api("POST", `${work}/generate/voice`, {}, key)).status).toBe(200);
  expect(calls()).toBe(3);
  expect((await read(work)).generatedScenes[0]).not.toHaveProperty("voiceError");
});

test("a work without a word to say, or without the scene, is an error", async () => {
  const work = await newWork({ scenes: [{ duration_seconds: 2 }] });
  const codeFor = async (body: object) => (await api("POST", `${work}/generate/voice`, body, key)).body.code;
  expect(await codeFor({})).toBe("validation_error");
  expect(await codeFor({ sceneIndex: 0 })).toBe("validation_error");
  expect(await codeFor({ sceneIndex: 4 })).toBe("scene_missing");
});

test("the transcript of an asset is kept with it, by id and by URL, and a form is transcribed too", async () => {
  const projectId = await newProject(ann);
  const file = new File([wavOf(spokenSamples(text))], "voice.wav");
  const upload = await ann.request(`/api/projects/${projectId}/assets`, { method: "POST", body: formOf({ file }) });
  const { id: assetId, url } = await upload.json();
  server.script.transcript = () =>
    googleTranscript("Good morning. Friends!", [
      ["Good", 0, 0.3],
      ["morning.", 0.4, 0.8],
      ["Friends!", 1, 1.5],
    ]);
  const expected = {
    ...{ text: "Good morning. Friends!", language: "en", timing: "measured" },
    segments: [
      { text: "Good morning.", start: 0, end: 0.8 },
      { text: "Friends!", start: 1, end: 1.5 },
    ],
  };

  const byId = await api("POST", "/api/transcribe", { projectId, assetId, language: "en" }, key);
  expect(byId.body).toMatchObject(expected);
  const stored = await service.services.assets.find(projectId, assetId);
  expect(stored?.speech).toMatchObject({ text: expected.text, words: byId.body.words, timing: "measured" });
  expect((await api("POST", "/api/transcribe", { audioUrl: url, language: "en" }, key)).body).toMatchObject(expected);
  const body = formOf({ file, language: "en" });
  const sent = await ann.request("/api/transcribe", { method: "POST", body, headers: key });
  expect(await sent.json()).toMatchObject(expected);
  expect(calls()).toBe(3);
});

test("a silent file gives an empty transcript without a call, and a picture has no sound", async () => {
  const send = async (file: File) => {
    const response = await ann.request("/api/transcribe", { method: "POST", body: formOf({ file }), headers: key });
    return { status: response.status, body: await response.json() };
  };
  const silent = await send(new File([wavOf(new Int16Array(24_000))], "silent.wav"));
  expect(silent).toMatchObject({ status: 200, body: { text: "", words: [], segments: [], duration: 1 } });
  expect((await send(png())).body.code).toBe("asset_wrong_type");
  expect(calls()).toBe(0);
});

test("a transcript that broke off is not used", async () => {
  server.script.transcript = () =>
    Response.json({ candidates: [{ content: { parts: [{ text: "Good" }] }, finishReason: "MAX_TOKENS" }] });
  const { body } = await speak({});
  const response = await api("POST", "/api/transcribe", { audioUrl: body.audioUrl }, key);
  expect([response.status, response.body.code]).toEqual([502, "provider_bad_response"]);
});
