import { z } from "zod";
import type { ImageModel, ImageTask, ReferenceImage } from "../../domain/ai/models.ts";
import type { Canvas } from "../../engine/timeline/timeline.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { answered, badResponse } from "../client/errors.ts";
import { decodeImage, maxImageResponseBytes } from "../client/image-response.ts";
import { requestJson } from "../client/json-client.ts";
import { truncateAtWord } from "../client/shapes.ts";

const maxPromptLength = 32_000;

const ImagesResponse = z.object({
  data: z.array(z.object({ b64_json: z.string().nullish() })),
  usage: z.object({ input_tokens: z.number().optional(), output_tokens: z.number().optional() }).nullish(),
});

const maxReferences = 16;

/** GPT Image. A request is never repeated, because a lost image is billed too. */
export const openaiImage = (credentials: ModelCredentials): ImageModel => ({
  isBilled: true,
  maxReferences,

  draw(task, call) {
    const target = { provider: credentials.providerId, model: credentials.modelId, purpose: "image" } as const;
    const idempotencyKey = call.idempotencyKey(`${credentials.modelId} ${task.prompt}`);
    const size = openaiImageSize(credentials.modelId, task.resolution);
    return call.track({ ...target, size, bound: boundOf(task) }, async (signal) => {
      const { data, usage } = await requestJson(requestOf(task, credentials, idempotencyKey), signal);
      const image = answered(() => {
        const base64 = data[0]?.b64_json;
        if (!base64) throw badResponse(credentials, "it contains no image");
        return decodeImage(base64, credentials);
      });
      return { ...image, ...(usage && { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens }) };
    });
  },
});

/** The output tokens of the highest available quality. */
const tokensPerMegapixel = 8_000;

/** The tokens of a reference image at high fidelity. */
const tokensPerReference = 7_000;

const boundOf = ({ prompt, resolution: { width, height }, references = [] }: ImageTask) => ({
  images: 1,
  inputTokens: Buffer.byteLength(prompt) + 1_000 + references.length * tokensPerReference,
  // no image has less than a megapixel
  outputTokens: Math.ceil(Math.max(1.6, (1.3 * width * height) / 1e6) * tokensPerMegapixel),
});

function requestOf(task: ImageTask, credentials: ModelCredentials, idempotencyKey: string) {
  const { prompt, resolution, references = [] } = task;
  const fields = {
    model: credentials.modelId,
    prompt: truncateAtWord(prompt, maxPromptLength),
    n: 1,
    size: openaiImageSize(credentials.modelId, resolution),
  };
  return {
    credentials,
    url: `${credentials.baseUrl}/images/${references.length > 0 ? "edits" : "generations"}`,
    headers: { authorization: `Bearer ${credentials.apiKey}`, "idempotency-key": idempotencyKey },
    body: references.length > 0 ? formOf(fields, references) : fields,
    maxBytes: maxImageResponseBytes,
    responseSchema: ImagesResponse,
  };
}

function formOf(fields: object, references: readonly ReferenceImage[]): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  for (const [index, { bytes, mimeType }] of references.slice(0, maxReferences).entries()) {
    const file = new File([new Uint8Array(bytes)], `${index + 1}.${mimeType.replace("image/", "")}`, {
      type: mimeType,
    });
    form.append("image[]", file);
  }
  return form;
}

/** The limits of GPT Image 2 for freely chosen sizes: side lengths in steps of 16 pixels. */
const step = 16;
const maxSide = 3840;
const maxAspectRatio = 3;
const minPixels = 655_360;
const maxPixels = 8_294_400;

/** The supported size that is nearest in aspect ratio first, then in pixel count. */
export function openaiImageSize(modelId: string, requested: Canvas): string {
  const sizes = /^(gpt-image-1|chatgpt-image)/.test(modelId) ? fixedSizes : freeSizes(requested);
  const { width, height } = nearest(sizes, requested);
  return `${width}x${height}`;
}

const fixedSizes: readonly Canvas[] = [
  { width: 1024, height: 1024 },
  { width: 1536, height: 1024 },
  { width: 1024, height: 1536 },
];

/** The sizes of each valid width with the valid heights just below and above the requested aspect ratio. */
function freeSizes(requested: Canvas): readonly Canvas[] {
  const widths = Array.from({ length: maxSide / step }, (_, index) => (index + 1) * step);
  const ratio = Math.min(Math.max(requested.height / requested.width, 1 / maxAspectRatio), maxAspectRatio);
  return widths.flatMap((width) => {
    const steps = (width * ratio) / step;
    const heights = [Math.floor(steps), Math.ceil(steps)].map((count) => count * step);
    return heights.map((height) => ({ width, height })).filter(isValid);
  });
}

function isValid({ width, height }: Canvas): boolean {
  const pixels = width * height;
  const hasValidRatio = width <= height * maxAspectRatio && height <= width * maxAspectRatio;
  return hasValidRatio && height <= maxSide && pixels >= minPixels && pixels <= maxPixels;
}

/** Large, because cropping is more visible than a small difference in resolution. */
const ratioWeight = 200;

function nearest(sizes: readonly Canvas[], requested: Canvas): Canvas {
  const distance = ({ width, height }: Canvas) =>
    ratioWeight * Math.abs(Math.log((width * requested.height) / (height * requested.width))) +
    Math.abs(Math.log((width * height) / (requested.width * requested.height)));
  return sizes.reduce((best, size) => (distance(size) < distance(best) ? size : best));
}
