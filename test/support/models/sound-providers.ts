import type { Models } from "../../../src/domain/ai/models.ts";
import type { ProviderCall } from "../../../src/domain/ai/provider-calls.ts";
import { wavOf } from "../../../src/engine/timeline/samples.ts";
import { jsonBody, type ReceivedRequest } from "./fake-server.ts";
import { googleSound, googleTranscript, spokenSamples } from "./voice-server.ts";

export const soundKey = "key-of-the-caller";
const spokenText = "Good morning, dear friends of coffee and tea";
const spoken = wavOf(spokenSamples(spokenText));

/** How a provider makes or hears sounds over the wire, after its published description: one request, one answer. */
export type SoundProvider = {
  readonly name: string;
  readonly id: string;
  readonly setting: string;
  /** The path of the setting's address. */
  readonly base?: string;
  readonly route: string;
  readonly keyHeader: readonly [name: string, value: string];
  /** Creations are sent with a key of their own. */
  readonly creates: boolean;
  /** What the provider turns away before any work is sent again. */
  readonly repeatsRefused: boolean;
  work(models: Models, call: ProviderCall): Promise<unknown>;
  /** What is wrong with a request. */
  violations(request: ReceivedRequest): Promise<readonly string[]>;
  answer(): Response;
  refused(): Response;
};

const choice = (provider: string) => ({ provider, apiKey: soundKey });

function speak(provider: string) {
  return (models: Models, call: ProviderCall) => {
    const model = models.speech(choice(provider));
    return model.speak({ text: spokenText, voice: model.voiceNamed(undefined), speed: 1, instructions: "" }, call);
  };
}

const transcribe = (provider: string) => (models: Models, call: ProviderCall) =>
  models
    .transcription(choice(provider))
    .transcribe({ sound: { bytes: spoken, durationSeconds: 2, peakDecibels: -10 } }, call);

const compose = (kind: "music" | "effect") => (models: Models, call: ProviderCall) =>
  models.music(choice("elevenlabs")).compose({ prompt: "Calm piano", seconds: 20, kind }, call);

const wrong = (found: unknown, expected: unknown): readonly string[] =>
  Bun.deepEquals(found, expected) ? [] : [JSON.stringify(found).slice(0, 300)];

/** The fields of a form, without its file, which must be there. */
async function formFields({ headers, bytes }: ReceivedRequest): Promise<object> {
  const type = { "content-type": headers.get("content-type")! };
  const form = await new Response(new Uint8Array(bytes), { headers: type }).formData();
  const entries = [...form.entries()].map(([name, value]) => [name, typeof value === "string" ? value : "a file"]);
  return Object.fromEntries(entries);
}

const audio = () => new Response(spoken, { headers: { "content-type": "audio/mpeg" } });
const words = [
  { text: "Good", type: "word", start: 0, end: 0.4 },
  { text: "morning", type: "word", start: 0.5, end: 1 },
];
const eleven = { id: "elevenlabs", setting: "ELEVENLABS", keyHeader: ["xi-api-key", soundKey] } as const;
const gateway = { id: "gateway", setting: "GATEWAY", keyHeader: ["authorization", `Bearer ${soundKey}`] } as const;
const openaiKey = ["authorization", `Bearer ${soundKey}`] as const;
const openai = { id: "openai", setting: "OPENAI", base: "/v1", keyHeader: openaiKey } as const;
const xai = { id: "xai", setting: "XAI", keyHeader: openaiKey } as const;
const google = { id: "google", setting: "GOOGLE", base: "/v1beta", keyHeader: ["x-goog-api-key", soundKey] } as const;
const created = { creates: true, repeatsRefused: true };
const heard = { creates: false, repeatsRefused: true };
const composed = { creates: true, repeatsRefused: false };

const elevenRefused = (status: string) => () =>
  Response.json({ detail: { status, message: `a fault with ${soundKey}` } }, { status: 400 });
const openaiRefused = () =>
  Response.json({ error: { code: "content_policy_violation", message: soundKey } }, { status: 400 });

const xaiRefused = () =>
  Response.json({ code: "content-policy", error: `Content violates usage guidelines: ${soundKey}` }, { status: 400 });

export const soundProviders: readonly SoundProvider[] = [
  {
    ...{ name: "ElevenLabs' voices", ...eleven, ...created, work: speak("elevenlabs") },
    route: "POST /v1/text-to-speech/:voice",
    violations: async ({ url, ...request }) =>
      wrong(
        [url.pathname, url.search, jsonBody({ url, ...request })],
        [
          "/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb",
          "?output_format=mp3_44100_128",
          { text: spokenText, model_id: "eleven_multilingual_v2" },
        ],
      ),
    answer: audio,
    refused: elevenRefused("content_against_policy"),
  },
  {
    ...{ name: "ElevenLabs' music", ...eleven, ...composed, work: compose("music") },
    route: "POST /v1/music",
    violations: async ({ url, ...request }) =>
      wrong(
        [url.search, jsonBody({ url, ...request })],
        ["?output_format=mp3_44100_128", { prompt: "Calm piano", music_length_ms: 20_000, model_id: "music_v2_5" }],
      ),
    answer: audio,
    refused: elevenRefused("bad_prompt"),
  },
  {
    ...{ name: "ElevenLabs' effects", ...eleven, ...composed, work: compose("effect") },
    route: "POST /v1/sound-generation",
    violations: async ({ url, ...request }) =>
      wrong(
        [url.search, jsonBody({ url, ...request })],
        [
          "?output_format=mp3_44100_128",
          { text: "Calm piano", duration_seconds: 20, model_id: "eleven_text_to_sound_v2" },
        ],
      ),
    answer: audio,
    refused: elevenRefused("content_against_policy"),
  },
  {
    ...{ name: "ElevenLabs' transcripts", ...eleven, ...heard, work: transcribe("elevenlabs") },
    route: "POST /v1/speech-to-text",
    violations: async (request) =>
      wrong(await formFields(request), {
        ...{ model_id: "scribe_v2", file: "a file", file_format: "other" },
        ...{ diarize: "false", tag_audio_events: "false", timestamps_granularity: "word" },
      }),
    answer: () => Response.json({ language_code: "en", language_probability: 1, text: "Good morning", words }),
    refused: elevenRefused("content_against_policy"),
  },
  {
    ...{ name: "the gateway's voices", ...gateway, ...created, work: speak("gateway") },
    route: "POST /v4/ai/speech-model",
    violations: async (request) =>
      wrong(
        [request.headers.get("ai-model-id"), jsonBody(request)],
        ["google/gemini-3.8-flash-tts", { text: spokenText, voice: "Kore", outputFormat: "wav", providerOptions: {} }],
      ),
    answer: () => Response.json({ audio: spoken.toBase64() }),
    refused: () => Response.json({ error: { type: "content_filter", message: soundKey } }, { status: 400 }),
  },
  {
    ...{ name: "the gateway's transcripts", ...gateway, ...heard, work: transcribe("gateway") },
    route: "POST /v4/ai/transcription-model",
    violations: async (request) => {
      const { audio: sound, ...body } = jsonBody(request);
      return wrong(
        [request.headers.get("ai-model-id"), sound === spoken.toBase64(), body],
        [
          "elevenlabs/scribe-v2",
          true,
          { mediaType: "audio/wav", providerOptions: { elevenlabs: { tagAudioEvents: false } } },
        ],
      );
    },
    answer: () =>
      Response.json({
        text: "Good morning",
        language: "en",
        segments: words.map(({ text, start, end }) => ({ text, startSecond: start, endSecond: end })),
      }),
    refused: () => Response.json({ error: { type: "content_filter", message: soundKey } }, { status: 400 }),
  },
  {
    ...{ name: "xAI's voices", ...xai, ...created, work: speak("xai") },
    route: "POST /v1/tts",
    violations: async (request) =>
      wrong(jsonBody(request), {
        ...{ text: spokenText, voice_id: "eve", language: "auto", output_format: { codec: "wav" } },
      }),
    answer: audio,
    refused: xaiRefused,
  },
  {
    ...{ name: "xAI's transcripts", ...xai, ...heard, work: transcribe("xai") },
    route: "POST /v1/stt",
    violations: async (request) => wrong(await formFields(request), { file: "a file" }),
    answer: () => Response.json({ text: "Good morning", language: "en", duration: 2, words }),
    refused: xaiRefused,
  },
  {
    ...{ name: "OpenAI's voices", ...openai, ...created, work: speak("openai") },
    route: "POST /v1/audio/speech",
    violations: async (request) =>
      wrong(jsonBody(request), { model: "gpt-4o-mini-tts", input: spokenText, voice: "alloy", response_format: "wav" }),
    answer: audio,
    refused: openaiRefused,
  },
  {
    ...{ name: "OpenAI's transcripts", ...openai, ...heard, work: transcribe("openai") },
    route: "POST /v1/audio/transcriptions",
    violations: async (request) =>
      wrong(await formFields(request), {
        ...{ model: "whisper-1", file: "a file", response_format: "verbose_json", temperature: "0" },
        "timestamp_granularities[]": "segment",
      }),
    answer: () => Response.json({ text: "Good morning" }),
    refused: openaiRefused,
  },
  {
    ...{ name: "Google's voices", ...google, ...created, work: speak("google") },
    route: "POST /v1beta/models/:call",
    violations: async ({ path, ...request }) =>
      wrong(
        [path, jsonBody({ path, ...request }).contents],
        ["/v1beta/models/gemini-3.8-flash-tts:generateContent", [{ role: "user", parts: [{ text: spokenText }] }]],
      ),
    answer: () => googleSound(spoken),
    refused: () => Response.json({ candidates: [{ finishReason: "PROHIBITED_CONTENT" }] }),
  },
  {
    ...{ name: "Google's transcripts", ...google, ...heard, work: transcribe("google") },
    route: "POST /v1beta/models/:call",
    violations: async (request) =>
      wrong(jsonBody(request).contents, [
        { role: "user", parts: [{ inlineData: { mimeType: "audio/flac", data: spoken.toBase64() } }] },
      ]),
    answer: () =>
      googleTranscript("Good morning", [
        ["Good", 0, 0.4],
        ["morning", 0.5, 1],
      ]),
    refused: () => Response.json({ candidates: [{ finishReason: "PROHIBITED_CONTENT" }] }),
  },
];
