import type { ModelInfo } from "../../domain/ai/models.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { limitedFetch, maxTextResponseBytes } from "../client/limited-fetch.ts";
import type { ModelPorts, ProviderRow } from "../client/rows.ts";
import { flux2Size, nearestRatio, secondsFrom } from "../client/shapes.ts";
import { maxSoundBytes, speechModel } from "../client/speech.ts";
import { frameVision, languageModel, type ModelTarget } from "../client/text-models.ts";
import { googleVoices } from "../google/models.ts";
import { speechOptions } from "../google/speech.ts";
import { sdkImage } from "../sdk/image.ts";
import { providerFetch } from "../sdk/provider-fetch.ts";
import { sdkTranscription } from "../sdk/transcription.ts";
import { sdkVideo } from "../sdk/video.ts";
import { scribeOptions } from "./elevenlabs.ts";

const textModels = [
  { id: "anthropic/claude-sonnet-5.5", name: "Claude Sonnet 5.5", unit: "token" },
  { id: "openai/gpt-6-luna", name: "GPT-6 Luna", unit: "token" },
  { id: "google/gemini-3.8-flash", name: "Gemini 3.8 Flash", unit: "token" },
] as const;

const flux3Ratios = [
  ...["21:9", "2:1", "16:9", "3:2", "7:5", "4:3", "5:4", "1:1"],
  ...["4:5", "3:4", "5:7", "2:3", "9:16", "1:2", "9:21"],
];

const imageModels: readonly ModelInfo[] = [
  { id: "bfl/flux-2-pro", name: "FLUX.2 Pro", unit: "image", maxReferences: 8 },
  { id: "bytedance/seedream-5.0-pro", name: "Seedream 5.0 Pro", unit: "image", maxReferences: 8 },
  { id: "bfl/flux-3-image", name: "FLUX 3", unit: "image", maxReferences: 8, ratios: flux3Ratios },
];

const anyRatio = ["16:9", "9:16", "1:1"];

const videoModels = [
  { id: "klingai/kling-v3.0-i2v", name: "Kling 3.0", durations: secondsFrom(3, 15), ratios: anyRatio },
  { id: "bytedance/seedance-2.5", name: "Seedance 2.5", durations: secondsFrom(4, 30), ratios: anyRatio },
  { id: "alibaba/wan-v3.0-video", name: "Wan 3.0", durations: secondsFrom(2, 30), ratios: anyRatio },
  { id: "google/veo-3.1-fast-generate-001", name: "Veo 3.1 Fast", durations: [4, 6, 8], ratios: ["16:9", "9:16"] },
].map((model) => ({ ...model, unit: "second" }) as const);

const speechModels = [
  { id: "google/gemini-3.8-flash-tts", name: "Gemini 3.8 Flash TTS", voices: googleVoices, unit: "token" },
] as const;

const transcriptionModels = [
  { id: "elevenlabs/scribe-v2", name: "Scribe v2", description: "Returns the times of words.", unit: "minute" },
] as const;

const load = async ({ apiKey, baseUrl: baseURL }: ModelCredentials, fetch: typeof globalThis.fetch) => {
  const { createGateway } = await import("@ai-sdk/gateway");
  return createGateway({ apiKey, baseURL, fetch });
};

const targetOf = (credentials: ModelCredentials): ModelTarget => ({
  credentials,
  model: async () => (await load(credentials, limitedFetch({ maxBytes: maxTextResponseBytes })))(credentials.modelId),
});

const gatewayVideo = (credentials: ModelCredentials, ports: ModelPorts) =>
  sdkVideo({
    credentials,
    ports,
    models: videoModels,
    keyHeaders: {},
    load: async (fetch) => (await load(credentials, fetch)).video(credentials.modelId),
  });

const gatewayImage = (credentials: ModelCredentials, ports: ModelPorts) =>
  sdkImage({
    credentials,
    ports,
    models: imageModels,
    load: async (fetch) => (await load(credentials, fetch)).image(credentials.modelId),
    requestOf({ resolution }) {
      const { ratios } = imageModels.find(({ id }) => id === credentials.modelId) ?? {};
      if (ratios) {
        // the size of the gateway's price
        const providerOptions = { blackForestLabs: { resolution: "1k" } };
        return { aspectRatio: nearestRatio(ratios, resolution), providerOptions };
      }
      const { width, height } = /flux-2/.test(credentials.modelId) ? flux2Size(resolution) : resolution;
      return { size: `${width}x${height}` };
    },
  });

const gatewaySpeech = (credentials: ModelCredentials, ports: ModelPorts) =>
  speechModel(
    {
      credentials,
      async model(call) {
        const fetch = providerFetch({ credentials, ports, call, maxBytes: (maxSoundBytes * 4) / 3 });
        return (await load(credentials, fetch)).speech(credentials.modelId);
      },
      voices: googleVoices,
      maxCharacters: 4_000,
      optionsFor: speechOptions,
    },
    ports.soundTools,
  );

const gatewayTranscription = (credentials: ModelCredentials, ports: ModelPorts) =>
  sdkTranscription({
    credentials,
    ports,
    maxBytes: 25 * 2 ** 20,
    load: async (fetch) => (await load(credentials, fetch)).transcription(credentials.modelId),
    optionsFor: scribeOptions,
  });

export const gateway: ProviderRow = {
  id: "gateway",
  name: "AI Gateway",
  api: { setting: "GATEWAY", baseUrl: "https://ai-gateway.vercel.sh/v4/ai" },
  vision: {
    models: textModels,
    takesAnyModel: true,
    create: (credentials) => frameVision(targetOf(credentials)),
    description: "Analyzes frames of the video with models of many providers. Needs your AI Gateway key.",
  },
  llm: {
    models: textModels,
    takesAnyModel: true,
    create: (credentials) => languageModel(targetOf(credentials)),
    description: "Writes scenarios and style guides with models of many providers. Needs your AI Gateway key.",
  },
  image: {
    models: imageModels,
    takesAnyModel: true,
    create: gatewayImage,
    description: "Draws with models of many providers. Needs your AI Gateway key.",
  },
  video: {
    models: videoModels,
    takesAnyModel: true,
    create: gatewayVideo,
    // https://github.com/vercel/ai/releases/tag/@ai-sdk%2Fgateway@4.0.44
    honoursIdempotencyKey: true,
    description: "Animates an image with Kling, Seedance, Wan, Veo and others. Needs your AI Gateway key.",
  },
  speech: {
    models: speechModels,
    takesAnyModel: true,
    create: gatewaySpeech,
    description: "Speaks a text, and transcribes sounds. Needs your AI Gateway key.",
  },
  transcription: { models: transcriptionModels, create: gatewayTranscription, description: "" },
};
