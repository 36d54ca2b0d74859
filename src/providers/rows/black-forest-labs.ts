import { DomainError } from "../../errors.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { contentRefused } from "../client/errors.ts";
import { asFetch } from "../client/limited-fetch.ts";
import type { ModelPorts, ProviderRow } from "../client/rows.ts";
import { flux2Size, secondsFrom } from "../client/shapes.ts";
import { sdkImage } from "../sdk/image.ts";
import { sdkVideo } from "../sdk/video.ts";

const imageModels = [
  { id: "flux-2-pro", name: "FLUX.2 Pro", maxReferences: 8, unit: "image" },
  { id: "flux-2-flex", name: "FLUX.2 Flex", maxReferences: 8, unit: "image" },
  { id: "flux-2-max", name: "FLUX.2 Max", maxReferences: 8, unit: "image" },
] as const;

const videoModels = [
  {
    id: "flux-3-video",
    name: "FLUX 3 Video",
    durations: secondsFrom(5, 20),
    ratios: ["16:9", "9:16", "1:1", "4:3", "3:4", "21:9"],
    unit: "second",
  },
] as const;

const load = async ({ apiKey, baseUrl: baseURL }: ModelCredentials, fetch: typeof globalThis.fetch) => {
  const { createBlackForestLabs } = await import("@ai-sdk/black-forest-labs");
  return createBlackForestLabs({ apiKey, baseURL, fetch, pollIntervalMillis: 1_000, pollTimeoutMillis: 3_600_000 });
};

const bflVideo = (credentials: ModelCredentials, ports: ModelPorts) =>
  sdkVideo({
    credentials,
    ports,
    models: videoModels,
    keyHeaders: {},
    load: async (fetch) => (await load(credentials, fetch)).video(credentials.modelId),
    requestOf: ({ resolution: { width, height } }) => ({
      providerOptions: { blackForestLabs: { resolution: Math.min(width, height) <= 720 ? "hd" : "fhd" } },
    }),
  });

const bflImage = (credentials: ModelCredentials, ports: ModelPorts) =>
  sdkImage({
    credentials,
    ports,
    models: imageModels,
    wrapFetch: (fetch) => endingJobs(fetch, credentials),
    load: async (fetch) => (await load(credentials, fetch)).image(credentials.modelId),
    requestOf({ resolution }) {
      const { width, height } = flux2Size(resolution);
      const inSteps = (pixels: number) => Math.round(pixels / 16) * 16;
      const size = { width: inSteps(width), height: inSteps(height) };
      return { providerOptions: { blackForestLabs: { ...size, outputFormat: "png" } } };
    },
  });

/** Without this, the package waits for an hour if an image was refused. */
const endingJobs = (fetch: typeof globalThis.fetch, credentials: ModelCredentials): typeof globalThis.fetch =>
  asFetch(async (input, init) => {
    const response = await fetch(input, init);
    if (init.method === "POST") return response;
    const { status } = await response
      .clone()
      .json()
      .catch(() => ({}));
    if (/moderated/i.test(status)) throw contentRefused(credentials);
    if (!/not found/i.test(status)) return response;
    // the image may be charged for
    throw new DomainError("provider_error", {
      reason: `${credentials.providerName} has lost the image`,
      unanswered: true,
    });
  });

export const blackForestLabs: ProviderRow = {
  id: "bfl",
  name: "Black Forest Labs",
  api: {
    setting: "BFL",
    baseUrl: "https://api.bfl.ai/v1",
    otherOrigins: [
      "https://api.eu.bfl.ai",
      "https://api.us.bfl.ai",
      "https://api.eu1.bfl.ai",
      "https://api.us1.bfl.ai",
    ],
  },
  image: { models: imageModels, create: bflImage, description: "Draws with FLUX. Needs your Black Forest Labs key." },
  video: {
    models: videoModels,
    create: bflVideo,
    description: "Animates an image with FLUX 3 for 5 to 20 seconds. Needs your Black Forest Labs key.",
  },
};
