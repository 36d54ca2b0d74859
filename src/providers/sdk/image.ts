import { AISDKError } from "@ai-sdk/provider";
import type { GeneratedFile, generateImage } from "ai";
import type { ImageModel, ImageTask, ModelInfo, ReferenceImage } from "../../domain/ai/models.ts";
import { imageSize, inputUnits } from "../../domain/ledger/prices.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { badResponse, contentRefused, isSdkError, toProviderError } from "../client/errors.ts";
import { isImage, maxImageResponseBytes } from "../client/image-response.ts";
import type { ModelPorts } from "../client/rows.ts";
import { truncateAtWord } from "../client/shapes.ts";
import { type Cancellation, sendCancellation, withAnswers } from "./cancellation.ts";
import { type ProviderFetchOptions, providerFetch } from "./provider-fetch.ts";
import { idempotencyKeyOf, jobFailed } from "./video.ts";

type Options = Parameters<typeof generateImage>[0];
type SdkModel = Exclude<Options["model"], string>;

type ImageTarget = {
  readonly credentials: ModelCredentials;
  readonly ports: ModelPorts;
  /** The models of the row. */
  readonly models: readonly ModelInfo[];
  /** Loads the package, only at the first request. */
  load(fetch: typeof globalThis.fetch, task: ImageTask): Promise<SdkModel>;
  readonly requestOf: (task: ImageTask) => Pick<Options, "size" | "aspectRatio" | "providerOptions">;
  readonly maxPromptLength?: number;
  readonly fetchOptions?: Pick<ProviderFetchOptions, "passes" | "rewrite">;
  readonly wrapFetch?: (fetch: typeof globalThis.fetch) => typeof globalThis.fetch;
  /** The request that cancels the job of an answer, for images that are cancellable jobs. */
  readonly cancellation?: (answer: Readonly<Record<string, unknown>>) => Cancellation | undefined;
  readonly keyHeaders?: Readonly<Record<string, string>>;
};

/** Our image model on top of one of the AI SDK. A creation is never repeated, because a lost image is billed too. */
export const sdkImage = (target: ImageTarget): ImageModel => ({
  isBilled: true,
  maxReferences: maxReferencesOf(target),

  draw(task, call) {
    const { credentials, ports, wrapFetch = (fetch) => fetch, maxPromptLength = 10_000, keyHeaders = {} } = target;
    const tracked = { provider: credentials.providerId, model: credentials.modelId, purpose: "image" } as const;
    const bound = { images: 1, ...inputUnits(sentReferences(task, target).map(pixelsOf)) };
    const idempotencyKey = idempotencyKeyOf(call, credentials, task);
    const priced = { ...tracked, size: imageSize(task.resolution), bound, idempotencyKey };
    return call.track(priced, async (abortSignal) => {
      const common = { credentials, ports, call, maxBytes: maxImageResponseBytes, repeatsReads: true };
      let cancellation: Cancellation | undefined;
      const watched = withAnswers(providerFetch({ ...target.fetchOptions, ...common }), (answer) => {
        cancellation = target.cancellation?.(answer);
      });
      const fetch = wrapFetch(watched);
      const { generateImage } = await import("ai");
      try {
        const { image } = await generateImage({
          ...target.requestOf(task),
          model: await target.load(fetch, task),
          prompt: promptOf(truncateAtWord(task.prompt, maxPromptLength), sentReferences(task, target)),
          n: 1,
          ...(task.seed !== undefined && { seed: task.seed }),
          maxRetries: 0,
          abortSignal,
          headers: { "idempotency-key": idempotencyKey },
        });
        return { result: requireImage(image, credentials) };
      } catch (error) {
        if (abortSignal.aborted) await sendCancellation(cancellation, { credentials, keyHeaders });
        throw toImageError(error, credentials);
      }
    });
  },
});

/** Models that the row does not list get none: they refuse unknown parameters. */
const maxReferencesOf = ({ models, credentials: { modelId } }: Pick<ImageTarget, "models" | "credentials">): number =>
  models.find(({ id }) => id === modelId)?.maxReferences ?? 0;

const sentReferences = ({ references = [] }: ImageTask, target: ImageTarget) =>
  references.slice(0, maxReferencesOf(target));

/** The largest reference that is sent, if its size is unknown. */
const mostPixels = { width: 4096, height: 4096 };

const pixelsOf = ({ pixels }: ReferenceImage) => pixels ?? mostPixels;

function promptOf(text: string, references: readonly ReferenceImage[]) {
  const images = references.map(({ bytes }) => bytes);
  return images.length > 0 ? { text, images } : text;
}

export const dataUri = ({ bytes, mimeType }: ReferenceImage): string => `data:${mimeType};base64,${bytes.toBase64()}`;

function requireImage(image: GeneratedFile, credentials: ModelCredentials): Uint8Array {
  const bytes = image.uint8Array;
  if (isImage(bytes)) return bytes;
  throw badResponse(credentials, "it is not an image");
}

function toImageError(error: unknown, credentials: ModelCredentials) {
  if (isSdkError(error, "NoImageGeneratedError")) return badResponse(credentials, "it contains no image");
  // thrown for an image that is not base64
  if (error instanceof DOMException && error.name === "InvalidCharacterError") {
    return badResponse(credentials, "it is not an image");
  }
  // some packages throw plain errors for answers of a provider
  if (error instanceof Error && error.constructor === Error) {
    const isRefused = /policy|moderat|safety/i.test(error.message);
    return isRefused ? contentRefused(credentials) : badResponse(credentials, "it contains no image");
  }
  if (AISDKError.isInstance(error) && /generation (failed|canceled)/.test(error.message)) {
    return jobFailed(error.message, credentials, "image");
  }
  return toProviderError(error, credentials);
}
