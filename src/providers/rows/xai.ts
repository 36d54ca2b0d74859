import { videoSize } from "../../domain/ledger/prices.ts";
import type { Canvas } from "../../engine/timeline/timeline.ts";
import { DomainError } from "../../errors.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { limitedFetch, maxTextResponseBytes } from "../client/limited-fetch.ts";
import type { ModelPorts, ProviderRow } from "../client/rows.ts";
import { nearestRatio, secondsFrom } from "../client/shapes.ts";
import { maxSoundBytes, speechModel } from "../client/speech.ts";
import { frameVision, languageModel, type ModelTarget } from "../client/text-models.ts";
import { sdkImage } from "../sdk/image.ts";
import { providerFetch } from "../sdk/provider-fetch.ts";
import { sdkTranscription } from "../sdk/transcription.ts";
import { sdkVideo } from "../sdk/video.ts";

const ratios = ["16:9", "9:16", "1:1", "4:3", "3:4", "3:2", "2:3"];

const textModels = [
  { id: "grok-4.7", name: "Grok 4.7", unit: "token" },
  { id: "grok-4.6", name: "Grok 4.6", unit: "token" },
  { id: "grok-4.3", name: "Grok 4.3", unit: "token" },
] as const;

const imageModels = [
  { id: "grok-imagine-image", name: "Grok Imagine", ratios, maxReferences: 3, unit: "image" },
] as const;

const videoModels = [
  {
    id: "grok-imagine-video",
    name: "Grok Imagine Video",
    durations: secondsFrom(1, 15),
    ratios,
    unit: "second",
  },
  {
    id: "grok-imagine-video-1.5",
    name: "Grok Imagine Video 1.5",
    description: "Up to 1080p.",
    durations: secondsFrom(1, 15),
    ratios,
    unit: "second",
  },
] as const;

const voices = ["Eve", "Ara", "Rex", "Sal", "Leo"];

/** xAI has one model for each, which requests do not name: these are the gateway's names. */
const speechModels = [{ id: "grok-tts", name: "Grok TTS", voices, unit: "character" }] as const;
const transcriptionModels = [
  { id: "grok-stt", name: "Grok STT", description: "Returns the times of words.", unit: "minute" },
] as const;

const load = async ({ apiKey, baseUrl: baseURL }: ModelCredentials, fetch: typeof globalThis.fetch) => {
  const { createXai } = await import("@ai-sdk/xai");
  return createXai({ apiKey, baseURL, fetch });
};

const targetOf = (credentials: ModelCredentials): ModelTarget => ({
  credentials,
  model: async () => (await load(credentials, limitedFetch({ maxBytes: maxTextResponseBytes })))(credentials.modelId),
  // xAI stores responses by default
  providerOptions: { xai: { store: false } },
});

const xaiVideo = (credentials: ModelCredentials, ports: ModelPorts) =>
  sdkVideo({
    credentials,
    ports,
    models: videoModels,
    keyHeaders: {},
    load: async (fetch) => (await load(credentials, fetch)).video(credentials.modelId),
    requestOf: ({ resolution }) => ({
      providerOptions: { xai: { resolution: videoResolution(credentials.modelId, resolution) } },
    }),
  });

/** The first model makes nothing larger than 720p. */
function videoResolution(modelId: string, resolution: Canvas): string {
  const size = videoSize(resolution);
  return size === "1080p" && !/-1\.5/.test(modelId) ? "720p" : size;
}

const xaiImage = (credentials: ModelCredentials, ports: ModelPorts) =>
  sdkImage({
    credentials,
    ports,
    models: imageModels,
    load: async (fetch) => (await load(credentials, fetch)).image(credentials.modelId),
    requestOf: ({ resolution }) => ({ aspectRatio: nearestRatio(ratios, resolution) }),
  });

/** Verifies the model's name here: a request does not contain it, so xAI would accept any. */
function named(credentials: ModelCredentials): ModelCredentials {
  const { providerName: provider, modelId: model, offeredModels: models } = credentials;
  if (models.includes(model)) return credentials;
  throw new DomainError("provider_model_unavailable", { provider, model, models, byDefault: false });
}

const xaiSpeech = (credentials: ModelCredentials, ports: ModelPorts) =>
  speechModel(
    {
      credentials: named(credentials),
      async model(call) {
        const fetch = providerFetch({ credentials, ports, call, maxBytes: maxSoundBytes });
        return (await load(credentials, fetch)).speech();
      },
      voices,
      voiceId: (name) => (voices.includes(name) ? name.toLowerCase() : undefined),
      maxCharacters: 4_000,
      // the model detects the language, and takes no instructions
      optionsFor: () => ({}),
    },
    ports.soundTools,
  );

const xaiTranscription = (credentials: ModelCredentials, ports: ModelPorts) =>
  sdkTranscription({
    credentials: named(credentials),
    ports,
    maxBytes: 25 * 2 ** 20,
    load: async (fetch) => (await load(credentials, fetch)).transcription(),
    optionsFor: (language) => ({ xai: language === undefined ? {} : { language } }),
  });

/** https://docs.x.ai/developers/pricing: "we will still charge for the generation of the request". */
const refusals = ["content_refused"] as const;

export const xai: ProviderRow = {
  id: "xai",
  name: "xAI",
  api: { setting: "XAI", baseUrl: "https://api.x.ai/v1" },
  vision: {
    models: textModels,
    create: (credentials) => frameVision(targetOf(credentials)),
    description: "Analyzes frames of the video, chosen from its measured scenes. Needs your xAI key.",
  },
  llm: {
    models: textModels,
    create: (credentials) => languageModel(targetOf(credentials)),
    description: "Writes scenarios and style guides. Needs your xAI key.",
  },
  image: {
    models: imageModels,
    create: xaiImage,
    billsFailures: refusals,
    description: "Draws with Grok Imagine. Needs your xAI key.",
  },
  video: {
    models: videoModels,
    create: xaiVideo,
    billsFailures: refusals,
    description: "Animates an image with Grok Imagine, for 1 to 15 seconds. Needs your xAI key.",
  },
  speech: {
    models: speechModels,
    create: xaiSpeech,
    description: "Speaks a text with one of five voices, and transcribes sounds. Needs your xAI key.",
  },
  transcription: { models: transcriptionModels, create: xaiTranscription, description: "" },
};
