import { z } from "zod";
import type { ImageModel, ImageTask, ReferenceImage } from "../../domain/ai/models.ts";
import type { Canvas } from "../../engine/timeline/timeline.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { answered, badResponse, contentRefused, refusedInWords } from "../client/errors.ts";
import { decodeImage, maxImageResponseBytes } from "../client/image-response.ts";
import { requestJson } from "../client/json-client.ts";
import { nearestRatio, truncateAtWord } from "../client/shapes.ts";
import { keyHeader } from "./auth.ts";
import { generateContentResponse, generateContentUrl, isBlocked, usageOf } from "./generate-content.ts";

const maxPromptLength = 32_000;

const Part = z.object({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  inlineData: z.object({ data: z.string() }).optional(),
});
const ImageResponse = generateContentResponse(Part);
type ImageResponse = z.infer<typeof ImageResponse>;

const maxReferences = 14;

/** Gemini's image models. A request is never repeated, because a lost image is billed too. */
export const googleImage = (credentials: ModelCredentials): ImageModel => ({
  isBilled: true,
  maxReferences,

  draw(task, call) {
    const target = { provider: credentials.providerId, model: credentials.modelId, purpose: "image" } as const;
    const idempotencyKey = call.idempotencyKey(`${credentials.modelId} ${task.prompt}`);
    return call.track({ ...target, bound: boundOf(task) }, async (signal) => {
      const response = await requestJson(requestOf(task, credentials, idempotencyKey), signal);
      return { ...answered(() => decodeImage(imageIn(response, credentials), credentials)), ...usageOf(response) };
    });
  },
});

/** The maximum usage: an image has at most 2,520 tokens; the rest is for drafts and thoughts. */
const boundOf = ({ prompt, references = [] }: ImageTask) => ({
  images: 1,
  inputTokens: Buffer.byteLength(prompt) + 1_000 + references.length * 2_600,
  outputTokens: 8_000,
});

const requestOf = (
  { prompt, resolution, references, seed }: ImageTask,
  credentials: ModelCredentials,
  idempotencyKey: string,
) => ({
  credentials,
  url: generateContentUrl(credentials),
  headers: { ...keyHeader(credentials), "idempotency-key": idempotencyKey },
  body: {
    contents: [{ role: "user", parts: [{ text: truncateAtWord(prompt, maxPromptLength) }, ...imageParts(references)] }],
    generationConfig: {
      responseModalities: ["IMAGE"],
      imageConfig: googleImageConfig(credentials.modelId, resolution),
      ...(seed !== undefined && { seed }),
    },
  },
  maxBytes: maxImageResponseBytes,
  responseSchema: ImageResponse,
});

const imageParts = (references: readonly ReferenceImage[] = []) =>
  references
    .slice(0, maxReferences)
    .map(({ bytes, mimeType }) => ({ inlineData: { mimeType, data: bytes.toBase64() } }));

/** The last image in base64, after the drafts that the model makes while thinking. */
function imageIn(response: ImageResponse, credentials: ModelCredentials): string {
  const [candidate] = response.candidates ?? [];
  const parts = (candidate?.content?.parts ?? []).filter(({ thought }) => !thought);
  const data = parts.findLast(({ inlineData }) => inlineData)?.inlineData?.data;
  if (data) return data;
  const text = parts.map((part) => part.text ?? "").join(" ");
  if (isBlocked(response) || candidate?.finishReason?.includes("RECITATION")) throw contentRefused(credentials);
  if (refusalText.test(text)) throw refusedInWords(credentials);
  throw badResponse(credentials, "it contains no image");
}

/** Some refusals are ordinary text responses. */
const refusalText = /\b(can(no|['’])t|unable to|not able to|won['’]t|policy|policies|guidelines)\b/i;

/** Gemini's parameters for the aspect ratio and size of an image. */
type ImageConfig = { readonly aspectRatio: string; readonly imageSize?: string };

const commonRatios = ["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"];
const allRatios = [...commonRatios, "1:4", "4:1", "1:8", "8:1"];

/** Total pixels of each size, for any aspect ratio. */
const pixelsOf = { "512": 512 ** 2, "1K": 1024 ** 2, "2K": 2048 ** 2, "4K": 4096 ** 2 };
type Size = keyof typeof pixelsOf;

/** The formats that a model supports. A model without sizes rejects the parameter. */
type Formats = { readonly ratios: readonly string[]; readonly sizes: readonly Size[] };

const newestFormats: Formats = { ratios: allRatios, sizes: ["1K", "2K", "4K"] };

/** Models that differ from the newest ones. */
const otherFormats: readonly (readonly [RegExp, Formats])[] = [
  [/^gemini-(2\.|3\.1-flash-lite)/, { ratios: commonRatios, sizes: [] }],
  [/^(gemini-3-pro|nano-banana-pro)/, { ratios: commonRatios, sizes: ["1K", "2K", "4K"] }],
  [/^gemini-3\.1-flash-image/, { ratios: allRatios, sizes: ["512", "1K", "2K", "4K"] }],
];

const formatsOf = (modelId: string): Formats =>
  otherFormats.find(([pattern]) => pattern.test(modelId))?.[1] ?? newestFormats;

/** The nearest aspect ratio, and the smallest size with at least 95 % of the requested pixels. */
export function googleImageConfig(modelId: string, requested: Canvas): ImageConfig {
  const { ratios, sizes } = formatsOf(modelId);
  const aspectRatio = nearestRatio(ratios, requested);
  const minPixels = 0.95 * requested.width * requested.height;
  const imageSize = sizes.find((size) => pixelsOf[size] >= minPixels) ?? sizes.at(-1);
  return { aspectRatio, ...(imageSize && { imageSize }) };
}
