import { afterAll, beforeEach, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { newSpending } from "../../../src/domain/ledger/paid-calls.ts";
import { findFfmpeg } from "../../../src/engine/ffmpeg/ffmpeg.ts";
import { ffmpegSoundTools } from "../../../src/engine/speech/sound-tools.ts";
import { type Samples, secondsOf, wavOf } from "../../../src/engine/timeline/samples.ts";
import { DomainError, type ErrorCode } from "../../../src/errors.ts";
import { googleSpeech } from "../../../src/providers/google/speech.ts";
import { openaiSpeech } from "../../../src/providers/openai/speech.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { jsonBody } from "../../support/models/fake-server.ts";
import { codeOf, credentialsFor, recordedCall } from "../../support/models/model-calls.ts";
import { googleSound, spokenSamples, textToSpeak, tone, voiceServer } from "../../support/models/voice-server.ts";

const server = voiceServer();
const folder = await temporaryFolder();
const sounds = ffmpegSoundTools({
  ffmpeg: await findFfmpeg(process.env.FFMPEG_PATH),
  files: await diskFiles(folder),
});
afterAll(async () => {
  server.stop();
  await rm(folder, { recursive: true });
});
beforeEach(() => server.reset());

const google = () =>
  googleSpeech(credentialsFor(`${server.url}/v1beta`, "gemini-3.8-flash-tts"), { soundTools: sounds });
const openai = (model = "gpt-4o-mini-tts") =>
  openaiSpeech(credentialsFor(`${server.url}/v1`, model), { soundTools: sounds });

const text = "Good morning, dear friends of coffee and tea";
const task = { text, voice: "Kore", speed: 1, instructions: "" };

test("Google is told the language with its region, and speaks at its own speed", async () => {
  const { call } = recordedCall();
  const samples = await google().speak({ ...task, language: "de", speed: 2, instructions: "Warm" }, call);

  const { contents, generationConfig } = jsonBody(server.requests[0]);
  expect(contents[0].parts[0]).toMatchObject({ text, speechMetadata: { style: "Warm" } });
  expect(generationConfig.speechConfig).toEqual({
    voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } },
    languageCode: "de-DE",
  });
  expect(secondsOf(samples)).toBeCloseTo(secondsOf(spokenSamples(text)) / 2, 1);
});

test("OpenAI's WAV without lengths is read to its end", async () => {
  const samples = await openai().speak({ ...task, voice: "alloy" }, recordedCall().call);
  expect(secondsOf(samples)).toBeCloseTo(secondsOf(spokenSamples(text)), 2);
  expect(jsonBody(server.requests[0])).toMatchObject({ input: text, voice: "alloy", response_format: "wav" });
});

test("a voice is named in any case, and an old model has fewer", () => {
  expect(google().voiceNamed("kore")).toBe("Kore");
  expect(openai().voiceNamed(undefined)).toBe("alloy");
  expect(openai().voiceNamed("cedar")).toBe("cedar");
  expect(() => openai("tts-1").voiceNamed("cedar")).toThrow("alloy, ash");
});

const half = (samples: Samples) => samples.slice(0, samples.length / 2);
const json = (body: object) => () => Response.json(body);

test.each<[string, ErrorCode, () => Response]>([
  ["a page", "provider_bad_response", () => new Response("<html></html>")],
  ["bytes that are no sound", "provider_bad_response", () => googleSound(new TextEncoder().encode("<html></html>"))],
  ["a WAV without samples", "provider_bad_response", () => googleSound(wavOf(tone(0)))],
  ["silence", "provider_bad_response", () => googleSound(wavOf(new Int16Array(60_000)))],
  ["half of the text", "provider_bad_response", () => googleSound(wavOf(half(spokenSamples(text))))],
  ["much more than the text", "provider_bad_response", () => googleSound(wavOf(tone(20)))],
  [
    "no base64",
    "provider_bad_response",
    json({ candidates: [{ content: { parts: [{ inlineData: { mimeType: "audio/wav", data: "<<>>" } }] } }] }),
  ],
  ["no sound", "provider_bad_response", json({ candidates: [{ finishReason: "OTHER" }] })],
  ["a refusal", "content_refused", json({ candidates: [{ finishReason: "SAFETY" }] })],
  ["a blocked prompt", "content_refused", json({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } })],
  ["a failure", "provider_error", () => new Response("", { status: 500 })],
])("%s is an error, and is not asked for again", async (_, code, reply) => {
  const { call, records } = recordedCall();
  server.script.google = reply;

  expect(await codeOf(google().speak(task, call))).toBe(code);
  expect(server.requests.length).toBe(1);
  expect(records.map(({ purpose, outcome }) => [purpose, outcome])).toEqual([["speech", code]]);
});

test("what OpenAI says is compared with the text too", async () => {
  server.script.openai = () => new Response("<html></html>", { headers: { "content-type": "audio/mpeg" } });
  expect(await codeOf(openai().speak({ ...task, voice: "alloy" }, recordedCall().call))).toBe("provider_bad_response");
});

test("a sound for which this machine has no time is paid for", async () => {
  const spending = newSpending();
  const { call, records } = recordedCall({ spending });
  const decodeVoice = async () => Promise.reject(new DomainError("busy", { retryAfterSeconds: 1 }));
  const busy = googleSpeech(credentialsFor(`${server.url}/v1beta`, "gemini-3.8-flash-tts"), {
    soundTools: { ...sounds, decodeVoice },
  });
  expect(await codeOf(busy.speak(task, call))).toBe("busy");
  expect([spending.isPaid, records.length]).toEqual([true, 1]);
});

test.each([429, 503])("a request that is turned away with %d is sent again", async (status) => {
  const { call, records } = recordedCall();
  let turnedAway = 0;
  server.script.google = (request) =>
    turnedAway++ < 2
      ? new Response("{}", { status, headers: { "retry-after": "0" } })
      : googleSound(wavOf(spokenSamples(textToSpeak(request))));

  expect(await codeOf(google().speak(task, call))).toBe("ok");
  expect(records.map(({ outcome }) => outcome === "ok")).toEqual([false, false, true]);
});
