import type { ModelInfo } from "../../domain/ai/models.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import type { ModelPorts, ProviderRow } from "../client/rows.ts";
import { nearestRatio } from "../client/shapes.ts";
import { dataUri, sdkImage } from "../sdk/image.ts";
import { sdkVideo } from "../sdk/video.ts";

const imageRatios = ["1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "4:5", "5:4"];

const imageModels: readonly ModelInfo[] = [
  { id: "black-forest-labs/flux-2-pro", name: "FLUX.2 Pro", ratios: imageRatios, maxReferences: 8, unit: "image" },
  { id: "black-forest-labs/flux-1.1-pro", name: "FLUX 1.1 Pro", ratios: imageRatios, unit: "image" },
];

/** A model's name of the first frame, and its requested resolution. */
type ReplicateVideo = ModelInfo & { readonly imageField?: string; readonly resolution?: string };

const videoModels: readonly ReplicateVideo[] = [
  {
    id: "kwaivgi/kling-v2.1",
    name: "Kling 2.1",
    durations: [5, 10],
    imageField: "start_image",
    unit: "second",
  },
  { id: "bytedance/seedance-1-pro", name: "Seedance 1 Pro", durations: [5, 10], unit: "second" },
  {
    id: "minimax/hailuo-02",
    name: "MiniMax Hailuo 02",
    durations: [6, 10],
    imageField: "first_frame_image",
    // the default, 1080p, supports no clip of 10 seconds
    resolution: "768p",
    unit: "second",
  },
];

const load = async ({ apiKey: apiToken, baseUrl: baseURL }: ModelCredentials, fetch: typeof globalThis.fetch) => {
  const { createReplicate } = await import("@ai-sdk/replicate");
  return createReplicate({ apiToken, baseURL, fetch });
};

const keyHeaders = ({ apiKey }: ModelCredentials) => ({ authorization: `Bearer ${apiKey}` });

const replicateVideo = (credentials: ModelCredentials, ports: ModelPorts) =>
  sdkVideo({
    credentials,
    ports,
    models: videoModels,
    keyHeaders: keyHeaders(credentials),
    load: async (fetch) => (await load(credentials, fetch)).video(credentials.modelId),
    cancellation: (operation) => ({ method: "POST", url: `${(operation as { getUrl: string }).getUrl}/cancel` }),
    requestOf(_, image) {
      const { imageField, resolution } = videoModels.find(({ id }) => id === credentials.modelId) ?? {};
      if (!imageField) return {};
      const replicate = { [imageField]: dataUri(image), ...(resolution && { resolution }) };
      return { withoutImage: true, providerOptions: { replicate } };
    },
  });

/** The package names pictures one by one and counts outputs: FLUX.2 has a list of pictures instead, and no count. */
function toInput(url: URL, init: RequestInit) {
  if (init.method !== "POST") return { url, init };
  const { input: given, ...body } = JSON.parse(String(init.body));
  const { num_outputs: _, ...fields } = given;
  const isPicture = ([name]: [string, unknown]) => /^input_image(_\d)?$/.test(name);
  const pictures = Object.entries(fields).filter(isPicture);
  const others = Object.fromEntries(Object.entries(fields).filter((field) => !isPicture(field)));
  const input = { ...others, ...(pictures.length > 0 && { input_images: pictures.map(([, picture]) => picture) }) };
  return { url, init: { ...init, body: JSON.stringify({ ...body, input }) } };
}

const replicateImage = (credentials: ModelCredentials, ports: ModelPorts) =>
  sdkImage({
    credentials,
    ports,
    models: imageModels,
    fetchOptions: { rewrite: toInput },
    keyHeaders: keyHeaders(credentials),
    cancellation: ({ urls }) => ({ method: "POST", url: `${(urls as { get?: string } | undefined)?.get}/cancel` }),
    load: async (fetch) => (await load(credentials, fetch)).image(credentials.modelId),
    requestOf: ({ resolution }) => ({
      aspectRatio: nearestRatio(imageRatios, resolution),
      // the request's own deadline ends the wait
      providerOptions: { replicate: { output_format: "png", maxPollAttempts: Number.MAX_SAFE_INTEGER } },
    }),
  });

export const replicate: ProviderRow = {
  id: "replicate",
  name: "Replicate",
  api: { setting: "REPLICATE", baseUrl: "https://api.replicate.com/v1" },
  image: {
    models: imageModels,
    takesAnyModel: true,
    create: replicateImage,
    description: "Draws with FLUX and other image models of Replicate. Needs your Replicate token.",
  },
  video: {
    models: videoModels,
    takesAnyModel: true,
    create: replicateVideo,
    description: "Animates an image with Kling, Seedance, MiniMax and others of Replicate. Needs your Replicate token.",
  },
};
