import { sameProduct } from "../../domain/ai/generation/prompts.ts";
import type { ModelInfo, ReferenceImage, VideoTask } from "../../domain/ai/models.ts";
import type { Canvas } from "../../engine/timeline/timeline.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { badResponse } from "../client/errors.ts";
import { asFetch } from "../client/limited-fetch.ts";
import { exponentialBackoff, sleep } from "../client/retry.ts";
import type { ModelPorts, ProviderRow } from "../client/rows.ts";
import { flux2Size, secondsFrom } from "../client/shapes.ts";
import { dataUri, sdkImage } from "../sdk/image.ts";
import { sdkVideo } from "../sdk/video.ts";

/** The names of a fal model for common parameters: they differ between models, which refuse unknown ones. */
type FalVideo = ModelInfo & {
  readonly imageField?: string;
  /** The format of a duration, if not digits in a string. */
  readonly duration?: (seconds: number) => string | number;
  readonly maxPromptLength?: number;
  readonly takesResolution?: boolean;
};

/** Kling's name of the first frame, and its pictures of one element: the front, and three more. */
const kling = { imageField: "start_image_url", maxReferences: 4 } as const;

const videoModels: readonly FalVideo[] = [
  {
    id: "fal-ai/kling-video/v3/pro/image-to-video",
    name: "Kling 3.0 Pro",
    durations: secondsFrom(3, 15),
    ...kling,
  },
  {
    id: "bytedance/seedance-2.0/image-to-video",
    name: "Seedance 2.0",
    durations: secondsFrom(4, 15),
    ratios: ["21:9", "16:9", "4:3", "1:1", "3:4", "9:16"],
    takesResolution: true,
  },
  {
    id: "fal-ai/wan/v2.7/image-to-video",
    name: "Wan 2.7",
    durations: secondsFrom(2, 15),
    duration: Number,
    takesResolution: true,
  },
  {
    id: "fal-ai/minimax/hailuo-2.3/standard/image-to-video",
    name: "MiniMax Hailuo 2.3",
    durations: [6, 10],
    maxPromptLength: 2_000,
  },
  {
    id: "fal-ai/veo3.1/fast/image-to-video",
    name: "Veo 3.1 Fast",
    durations: [4, 6, 8],
    ratios: ["16:9", "9:16"],
    duration: (seconds: number) => `${seconds}s`,
    takesResolution: true,
  },
  {
    id: "fal-ai/kling-video/v3/standard/image-to-video",
    name: "Kling 3.0 Standard",
    durations: secondsFrom(3, 15),
    ...kling,
  },
].map((model) => ({ ...model, unit: "second" }) as const);

const imageModels: readonly ModelInfo[] = [
  { id: "fal-ai/flux-2-pro", name: "FLUX.2 Pro", unit: "image", maxReferences: 8 },
  { id: "fal-ai/bytedance/seedream/v5/lite/text-to-image", name: "Seedream 5.0 Lite", unit: "image", maxReferences: 8 },
];

/** Requests with pictures of a product use another path of the model. */
const editPath = (modelId: string) => modelId.replace(/(\/text-to-image)?$/, "/edit");

/** Seedream 5 draws nothing smaller. */
const minSeedreamPixels = 2560 * 1440;

function sizeFor(modelId: string, resolution: Canvas): `${number}x${number}` {
  const { width, height } = isFlux2(modelId) ? flux2Size(resolution) : resolution;
  const isSeedream = /seedream\/v[45]/.test(modelId);
  const scale = isSeedream ? Math.max(1, Math.sqrt(minSeedreamPixels / (width * height))) : 1;
  const side = (pixels: number) => Math.ceil((pixels * scale) / 8) * 8;
  return isSeedream ? `${side(width)}x${side(height)}` : `${width}x${height}`;
}

const isFlux2 = (modelId: string) => /flux-2/.test(modelId);

/** Removes the package's image count, which FLUX.2 does not support. */
function withoutCount(url: URL, init: RequestInit) {
  if (init.method !== "POST") return { url, init };
  const { num_images: _, ...body } = JSON.parse(String(init.body));
  return { url, init: { ...init, body: JSON.stringify(body) } };
}

/** True for the result of an unfinished job, which is an error with this text. */
const isInProgress = (status: number, body: string) => status >= 400 && /request is still in progress/i.test(body);

const queue = "https://queue.fal.run";

const keyHeaders = ({ apiKey }: ModelCredentials) => ({ authorization: `Key ${apiKey}` });

/** The package puts `fal-ai/` before every id, and removes an existing one: models of partners have no such path. */
const toModelPath =
  ({ modelId }: ModelCredentials) =>
  (url: URL, init: RequestInit) => {
    const isStart = init.method === "POST";
    return { url: isStart ? new URL(`/${modelId}`, url.origin) : url, init };
  };

/** The package recognizes only one of the queue's statuses of an unfinished job. */
const withInProgress = (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  asFetch(async (input, init) => {
    const response = await fetch(input, init);
    const { status } = init.method === "POST" || !response.ok ? {} : await response.clone().json();
    const isRunning = response.status === 202 || status === "IN_QUEUE" || status === "IN_PROGRESS";
    return isRunning ? Response.json({ detail: "Request is still in progress" }, { status: 400 }) : response;
  });

type Operation = { readonly responseUrl: string; readonly submitUrl: string };

const falVideo = (credentials: ModelCredentials, ports: ModelPorts) =>
  sdkVideo({
    credentials,
    ports,
    models: videoModels,
    maxPromptLength: listedVideo(credentials)?.maxPromptLength,
    keyHeaders: keyHeaders(credentials),
    fetchOptions: { passes: isInProgress, rewrite: toModelPath(credentials) },
    wrapFetch: withInProgress,
    async load(fetch) {
      const { createFal } = await import("@ai-sdk/fal");
      return createFal({ apiKey: credentials.apiKey, fetch }).video(credentials.modelId);
    },
    // the package follows only URLs on the origin of its request
    toOperation: (operation) => ({ ...(operation as Operation), submitUrl: (operation as Operation).responseUrl }),
    cancellation: (operation) => ({ method: "PUT", url: `${(operation as Operation).responseUrl}/cancel` }),
    requestOf: (task, image) => requestOf(credentials, task, image),
  });

const listedVideo = ({ modelId }: ModelCredentials): FalVideo | undefined =>
  videoModels.find(({ id }) => id === modelId);

function requestOf(credentials: ModelCredentials, task: VideoTask, image: ReferenceImage) {
  const listed = listedVideo(credentials);
  const { imageField, duration = String, takesResolution } = listed ?? {};
  const isSmall = Math.min(task.resolution.width, task.resolution.height) <= 720;
  const fal = {
    duration: duration(task.durationSeconds),
    ...(takesResolution && { resolution: isSmall ? "720p" : "1080p" }),
    ...(imageField && { [imageField]: dataUri(image) }),
    ...elementsOf(task),
  };
  return {
    ...(imageField && { withoutImage: true }),
    ...(task.references?.length && { preface: productElement }),
    providerOptions: { fal },
  };
}

const productElement = `The pictures of @Element1 show the product. ${sameProduct}\n\n`;

/** The pictures of the product as one element, which needs a second picture: a copy if there is no other. */
function elementsOf({ references = [] }: VideoTask) {
  const [front, ...others] = references.map(dataUri);
  if (!front) return {};
  return { elements: [{ frontal_image_url: front, reference_image_urls: others.length > 0 ? others : [front] }] };
}

const falImage = (credentials: ModelCredentials, ports: ModelPorts) => {
  const { apiKey, baseUrl: baseURL, modelId } = credentials;
  const { maxReferences = 0 } = imageModels.find(({ id }) => id === modelId) ?? {};
  return sdkImage({
    credentials,
    ports,
    models: imageModels,
    fetchOptions: { passes: isInProgress, ...(isFlux2(modelId) && { rewrite: withoutCount }) },
    keyHeaders: keyHeaders(credentials),
    cancellation: ({ response_url: url }) => (url ? { method: "PUT", url: `${url}/cancel` } : undefined),
    wrapFetch: (fetch) => awaitingQueue(fetch, credentials),
    async load(fetch, { references = [] }) {
      const { createFal } = await import("@ai-sdk/fal");
      const isEdit = maxReferences > 0 && references.length > 0;
      return createFal({ apiKey, baseURL, fetch }).image(isEdit ? editPath(modelId) : modelId);
    },
    requestOf: ({ resolution }) => ({
      size: sizeFor(modelId, resolution),
      providerOptions: { fal: { useMultipleImages: true } },
    }),
  });
};

const pollBackoff = exponentialBackoff({ firstMs: 500, factor: 1.5, maxMs: 4_000 });

/** A fetch that waits for the result if the request was queued. */
const awaitingQueue = (fetch: typeof globalThis.fetch, credentials: ModelCredentials): typeof globalThis.fetch =>
  asFetch(async (input, init) => {
    let response = await fetch(input, init);
    if (init.method !== "POST") return response;
    const ticket = await response
      .clone()
      .json()
      .catch(() => ({}));
    if (ticket?.images || ticket?.image || typeof ticket?.response_url !== "string") return response;
    const signal = init.signal ?? new AbortController().signal;
    if (!URL.canParse(ticket.response_url)) throw badResponse(credentials, "it contains no job");
    for (let count = 0; ; count++) {
      await sleep(pollBackoff(count), signal);
      response = await fetch(ticket.response_url, { headers: keyHeaders(credentials), signal });
      if (response.ok && response.status !== 202) return response;
    }
  });

export const fal: ProviderRow = {
  id: "fal",
  name: "fal",
  api: { setting: "FAL", baseUrl: "https://fal.run", otherOrigins: [queue] },
  image: {
    models: imageModels,
    takesAnyModel: true,
    create: falImage,
    description: "Draws with FLUX, Seedream and every other image model of fal. Needs your fal key.",
  },
  video: {
    models: videoModels,
    takesAnyModel: true,
    create: falVideo,
    description:
      "Animates an image with Kling, Seedance, Wan, MiniMax, Veo and every other video model of fal. Needs your fal key.",
  },
};
