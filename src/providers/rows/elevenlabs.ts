import type { MusicModel, SpeechModel, TranscriptionModel } from "../../domain/ai/models.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { badResponse, toProviderError } from "../client/errors.ts";
import type { ModelPorts, ProviderRow } from "../client/rows.ts";
import { truncateAtWord } from "../client/shapes.ts";
import { maxSoundBytes, speechModel } from "../client/speech.ts";
import { providerFetch } from "../sdk/provider-fetch.ts";
import { sdkTranscription } from "../sdk/transcription.ts";

/** Voices that every account has. The caller's own ones are identified by their ids. */
const voiceIds: Readonly<Record<string, string>> = {
  George: "JBFqnCBsd6RMkjVDRZzb",
  Sarah: "EXAVITQu4vr4xnSDxMaL",
  Alice: "Xb7hH8MSUJpSbSDYk0k2",
  Brian: "nPczCjzI2devNBz1zQrb",
  Callum: "N2lVS1w4EtoT3dr4eOWO",
  Charlie: "IKne3meq5aSn9XLyUdCD",
  Chris: "iP95p4xoKVk53GoZ742B",
  Daniel: "onwK4e9ZLuTAKqWW03F9",
  Eric: "cjVigY5qzO86Huf0OWal",
  Jessica: "cgSgspJ2msm6clMCkdW9",
  Laura: "FGY2WhTYpPnrIDTdsKH5",
  Liam: "TX3LPaxmHKxFdv7VOQHJ",
  Lily: "pFZP5JQG7iQjIQuC4Bku",
  Matilda: "XrExE9yKIg1WjnnlVkGX",
  River: "SAz9YHcvj6GT2YYXdXww",
  Roger: "CwhRBWXzGAHq8TQ4Fs17",
  Will: "bIHbv24MWmeRgasZH58o",
};
const voices = Object.keys(voiceIds);

/** The limit of the smallest plan. */
const maxConcurrent = 2;

const speechModels = [
  { id: "eleven_multilingual_v2", name: "Eleven Multilingual v2", voices, maxConcurrent, unit: "character" },
  { id: "eleven_v3", name: "Eleven v3", voices, maxConcurrent, unit: "character" },
  { id: "eleven_v4", name: "Eleven v4", voices, maxConcurrent, unit: "character" },
  { id: "eleven_v4_turbo", name: "Eleven v4 Turbo", voices, maxConcurrent, unit: "character" },
  { id: "eleven_flash_v2_5", name: "Eleven Flash v2.5", voices, maxConcurrent, unit: "character" },
] as const;

const transcriptionModels = [
  { id: "scribe_v2", name: "Scribe v2", description: "Returns the times of words.", unit: "minute" },
] as const;

/** The maximum length of one request: Eleven v4, and Eleven v3. */
const maxCharacters = (modelId: string) => (modelId.startsWith("eleven_v4") ? 2_000 : 3_000);

/** https://elevenlabs.io/docs/changelog/2026/6/8 */
const removedOn = "2026-07-09";

const voiceId = (name: string): string | undefined =>
  Object.hasOwn(voiceIds, name) ? voiceIds[name] : /^[A-Za-z0-9]{20}$/.test(name) ? name : undefined;

function elevenSpeech(credentials: ModelCredentials, ports: ModelPorts): SpeechModel {
  const { apiKey, modelId } = credentials;
  const target = {
    credentials,
    async model(call: Parameters<SpeechModel["speak"]>[1]) {
      const { createElevenLabs } = await import("@ai-sdk/elevenlabs");
      const fetch = providerFetch({ credentials, ports, call, maxBytes: maxSoundBytes });
      return createElevenLabs({ apiKey, fetch }).speech(modelId);
    },
    voices,
    voiceId,
    maxCharacters: maxCharacters(modelId),
    outputFormat: "mp3_128",
    optionsFor: ({ language }: { readonly language?: string }) => ({
      // only the newer models take the language
      ...(language !== undefined && !/multilingual/.test(modelId) && { language: new Intl.Locale(language).language }),
    }),
  };
  return speechModel(target, ports.soundTools);
}

const elevenTranscription = (credentials: ModelCredentials, ports: ModelPorts): TranscriptionModel =>
  sdkTranscription({
    credentials,
    ports,
    maxBytes: 200 * 2 ** 20,
    async load(fetch) {
      const { createElevenLabs } = await import("@ai-sdk/elevenlabs");
      return createElevenLabs({ apiKey: credentials.apiKey, fetch }).transcription(credentials.modelId);
    },
    optionsFor: scribeOptions,
  });

/** The options of Scribe, also behind the gateway. */
export const scribeOptions = (language: string | undefined) => ({
  elevenlabs: { tagAudioEvents: false, ...(language !== undefined && { languageCode: language }) },
});

const musicModels = [
  { id: "music_v2_5", name: "Eleven Music v2.5", unit: "second" },
  { id: "music_v2", name: "Eleven Music v2", unit: "second" },
  { id: "eleven_text_to_sound_v2", name: "Sound Effects v2", description: "Makes effects of at most 30 seconds." },
] as const;

const effectModel = "eleven_text_to_sound_v2";
const maxEffectSeconds = 30;
const maxMusicPrompt = 4_000;
const maxEffectPrompt = 450;

/** Music and effects have separate models: one request each, which is sent once. */
const elevenMusic = (credentials: ModelCredentials, ports: ModelPorts): MusicModel => ({
  isBilled: true,

  compose({ prompt, seconds: wanted, kind }, call) {
    const isEffect = kind === "effect";
    const seconds = isEffect ? Math.min(wanted, maxEffectSeconds) : wanted;
    const model = isEffect && credentials.byDefault ? effectModel : credentials.modelId;
    const idempotencyKey = call.idempotencyKey(`${model} ${seconds} ${prompt}`);
    const bound = { seconds };
    const tracked = { provider: credentials.providerId, model, purpose: "music", bound, idempotencyKey } as const;
    const music = { prompt: truncateAtWord(prompt, maxMusicPrompt), music_length_ms: Math.round(seconds * 1000) };
    const effect = { text: truncateAtWord(prompt, maxEffectPrompt), duration_seconds: seconds };
    const url = `${credentials.baseUrl}/v1/${isEffect ? "sound-generation" : "music"}?output_format=mp3_44100_128`;
    return call.track(tracked, async (signal) => {
      const fetch = providerFetch({ credentials, ports, call, maxBytes: maxSoundBytes });
      const init = {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "xi-api-key": credentials.apiKey,
          "idempotency-key": idempotencyKey,
        },
        body: JSON.stringify({ ...(isEffect ? effect : music), model_id: model }),
        signal,
      };
      try {
        const response = await fetch(url, init);
        if (!/^audio\/|octet-stream/.test(response.headers.get("content-type") ?? "")) {
          throw badResponse(credentials, "it is not a sound");
        }
        return { result: await response.bytes(), seconds };
      } catch (error) {
        throw toProviderError(error, credentials);
      }
    });
  },
});

export const elevenlabs: ProviderRow = {
  id: "elevenlabs",
  name: "ElevenLabs",
  api: { setting: "ELEVENLABS", baseUrl: "https://api.elevenlabs.io" },
  speech: {
    models: speechModels,
    retired: { eleven_multilingual_v1: removedOn, eleven_monolingual_v1: removedOn },
    successors: { eleven_multilingual_v1: "eleven_multilingual_v2", eleven_monolingual_v1: "eleven_multilingual_v2" },
    create: elevenSpeech,
    description:
      "Speaks a text with one of the listed voices or, by its id, one of your own, and transcribes sounds with the times of words. Needs your ElevenLabs key.",
  },
  music: {
    models: musicModels,
    create: elevenMusic,
    description: "Makes music of 3 to 300 seconds, and sound effects of up to 30. Needs your ElevenLabs key.",
  },
  transcription: {
    models: transcriptionModels,
    retired: { scribe_v1: removedOn },
    successors: { scribe_v1: "scribe_v2" },
    create: elevenTranscription,
    description: "",
  },
};
