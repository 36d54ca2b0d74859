import type { ModelCredentials } from "../client/credentials.ts";
import { limitedFetch, maxTextResponseBytes } from "../client/limited-fetch.ts";
import type { ModelPorts, ProviderRow } from "../client/rows.ts";
import { nearestRatio, secondsFrom } from "../client/shapes.ts";
import { frameVision, languageModel, type ModelTarget } from "../client/text-models.ts";
import { sdkImage } from "../sdk/image.ts";
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
    requestOf: ({ resolution: { width, height } }) => ({
      providerOptions: { xai: { resolution: Math.min(width, height) <= 480 ? "480p" : "720p" } },
    }),
  });

const xaiImage = (credentials: ModelCredentials, ports: ModelPorts) =>
  sdkImage({
    credentials,
    ports,
    models: imageModels,
    load: async (fetch) => (await load(credentials, fetch)).image(credentials.modelId),
    requestOf: ({ resolution }) => ({ aspectRatio: nearestRatio(ratios, resolution) }),
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
};
