import type { experimental_getVideoStatus, experimental_startVideo } from "ai";
import type { ModelInfo, ReferenceImage, VideoModel, VideoTask } from "../../domain/ai/models.ts";
import type { ProviderCall } from "../../domain/ai/provider-calls.ts";
import { inputUnits, videoSize } from "../../domain/ledger/prices.ts";
import type { InspectedFile, ReceivedFile } from "../../engine/ports.ts";
import { DomainError } from "../../errors.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { badResponse, contentRefused, toProviderError } from "../client/errors.ts";
import { type JobClient, runJob } from "../client/job.ts";
import { type Result, receiveResult } from "../client/results.ts";
import { exponentialBackoff } from "../client/retry.ts";
import type { ModelPorts } from "../client/rows.ts";
import { nearestRatio, truncateAtWord } from "../client/shapes.ts";
import { type Cancellation, sendCancellation } from "./cancellation.ts";
import { type ProviderFetchOptions, providerFetch } from "./provider-fetch.ts";

type StartOptions = Parameters<typeof experimental_startVideo>[0];
type SdkModel = Exclude<StartOptions["model"], string>;
type Operation = Parameters<typeof experimental_getVideoStatus>[1]["operation"];
type SdkStatus = Awaited<ReturnType<typeof experimental_getVideoStatus>>;

/** The further parameters of a model, besides its prompt, its picture, the duration and the ratio. */
type VideoRequest = Pick<StartOptions, "resolution" | "providerOptions"> & {
  /** The picture is among the options. */
  readonly withoutImage?: boolean;
  /** The beginning of the prompt. */
  readonly preface?: string;
};

type VideoTarget = {
  readonly credentials: ModelCredentials;
  readonly ports: ModelPorts;
  /** The models of the row; the first stands for models that it does not list. */
  readonly models: readonly ModelInfo[];
  /** Loads the package, only at the first request. */
  load(fetch: typeof globalThis.fetch): Promise<SdkModel>;
  readonly requestOf?: (task: VideoTask, image: ReferenceImage) => VideoRequest;
  readonly fetchOptions?: Pick<ProviderFetchOptions, "passes" | "rewrite">;
  /** Corrects the package's responses. */
  readonly wrapFetch?: (fetch: typeof globalThis.fetch) => typeof globalThis.fetch;
  readonly maxPromptLength?: number | undefined;
  /** Corrects a job of the package. */
  readonly toOperation?: (operation: Operation) => Operation;
  /** The request that cancels a job, if the provider supports it. */
  readonly cancellation?: (operation: Operation) => Cancellation | undefined;
  readonly keyHeaders: Readonly<Record<string, string>>;
};

const maxJsonBytes = 96 * 2 ** 20;
const defaultBackoff = exponentialBackoff({ firstMs: 1_000, factor: 1.5, maxMs: 10_000 });
/** The image types that all providers accept as a first frame: Kling on the gateway has the shortest lists. */
const imageTypes = ["image/jpeg", "image/png"];
const maxImageBytes = 7_500_000;

/** Our video model on top of one of the AI SDK: one job per video, started once and found again by its operation. */
export const sdkVideo = (target: VideoTarget): VideoModel => {
  const { credentials, models, ports } = target;
  const { pollBackoff: backoff = defaultBackoff } = ports;
  const listed = models.find(({ id }) => id === credentials.modelId);
  const { durations = [], ratios } = listed ?? models[0]!;
  return {
    isBilled: true,
    // models that the row does not list refuse unknown parameters
    maxReferences: listed?.maxReferences ?? 0,
    nearestDuration: (wanted) => nearestOf(durations, wanted),
    async animate(task, call, startedJob) {
      const options = { ...call.taskOptions, maxBytes: maxImageBytes };
      // before the call: failures here are not paid for
      const image =
        startedJob.id === undefined
          ? await ports.images.convertImage(task.image.path, task.image.facts, imageTypes, options)
          : undefined;
      const tracked = { provider: credentials.providerId, model: credentials.modelId, purpose: "video" } as const;
      const idempotencyKey = idempotencyKeyOf(call, credentials, task);
      return await call.track(
        {
          ...{ ...tracked, size: videoSize(task.resolution), job: startedJob, idempotencyKey },
          bound: { seconds: task.durationSeconds, ...inputUnits([pixelsOf(task.image)]) },
        },
        async (signal, checkpoint) => {
          const { wrapFetch = (fetch) => fetch } = target;
          const limits = { maxBytes: maxJsonBytes, expectsJson: true };
          const fetch = wrapFetch(providerFetch({ ...target.fetchOptions, credentials, ports, call, ...limits }));
          const model = await target.load(fetch);
          const { durationSeconds: duration, resolution } = task;
          // others derive the ratio from their picture
          const shape = { duration, ...(ratios && { aspectRatio: nearestRatio(ratios, resolution) }) };
          const start = async (startSignal: AbortSignal) => {
            const first = image!; // safe because only a call without a job starts one
            const headers = { "idempotency-key": idempotencyKey };
            const { seed } = task;
            const request = {
              image: first.bytes,
              headers,
              abortSignal: startSignal,
              ...(seed !== undefined && { seed }),
            };
            return startJob(target, model, { ...shape, ...target.requestOf?.(task, first), ...request }, task.prompt);
          };
          const jobs = jobClient(target, model, start);
          try {
            const status = await runJob(jobs, checkpoint, { credentials, backoff, signal });
            const result = await receiveVideo(resultOf(status, credentials), { ports, credentials, call, signal });
            return { result, seconds: task.durationSeconds };
          } catch (error) {
            throw toProviderError(error, credentials);
          }
        },
      );
    },
    cancelJob: (id) => cancelJob(target, id),
  };
};

/** The value nearest to `wanted`; the smaller one of two. */
export const nearestOf = (values: readonly number[], wanted: number): number =>
  values.reduce((best, value) => (Math.abs(value - wanted) < Math.abs(best - wanted) ? value : best));

export const idempotencyKeyOf = (call: ProviderCall, { modelId }: ModelCredentials, { prompt }: { prompt: string }) =>
  call.idempotencyKey(`${modelId} ${prompt}`);

/** The size of the first frame; if unknown, that of the largest picture that is sent. */
const pixelsOf = ({ facts: { width = 4096, height = 4096 } }: InspectedFile) => ({ width, height });

type Request = VideoRequest &
  Pick<StartOptions, "duration" | "aspectRatio"> & {
    readonly image: Uint8Array;
    readonly headers: Record<string, string>;
    readonly abortSignal: AbortSignal;
    readonly seed?: number;
  };

async function startJob(target: VideoTarget, model: SdkModel, request: Request, taskPrompt: string): Promise<string> {
  const { image, withoutImage, preface = "", ...options } = request;
  const text = truncateAtWord(preface + taskPrompt, target.maxPromptLength ?? 2_500);
  const prompt = withoutImage ? text : { text, image };
  const { experimental_startVideo } = await import("ai");
  // no retries: a lost answer may belong to a paid job
  const { operation } = await experimental_startVideo({ ...options, model, prompt, maxRetries: 0 });
  return JSON.stringify(target.toOperation?.(operation) ?? operation);
}

/** Two unintelligible answers may come from a proxy between us and the provider. */
const maxBadStatuses = 3;

function jobClient(
  target: VideoTarget,
  model: SdkModel,
  start: (signal: AbortSignal) => Promise<string>,
): JobClient<SdkStatus> {
  let badStatuses = 0;
  return {
    create: async (signal) => ({ id: await start(signal), status: pending }),

    async get(id, abortSignal) {
      const { experimental_getVideoStatus } = await import("ai");
      return experimental_getVideoStatus(model, { operation: JSON.parse(id), maxRetries: 0, abortSignal });
    },

    hasEnded: ({ status }) => status !== "pending",

    isFinal(error) {
      if (toProviderError(error, target.credentials).code === "provider_bad_response") badStatuses += 1;
      return badStatuses === maxBadStatuses;
    },

    cancel: (id) => cancelJob(target, id),
  };
}

const cancelJob = ({ credentials, keyHeaders, cancellation }: VideoTarget, id: string) =>
  sendCancellation(cancellation?.(JSON.parse(id)), { credentials, keyHeaders });

const pending: SdkStatus = { status: "pending", response: { timestamp: new Date(0), modelId: "", headers: undefined } };

const refusal = /safety|moderat|policy|policies|prohibited|nsfw|sensitive|inappropriate|blocked|inspection/i;

/** The provider's text only selects the error. */
export const jobFailed = (text: string, credentials: ModelCredentials, what: "image" | "video"): DomainError =>
  refusal.test(text)
    ? contentRefused(credentials)
    : new DomainError("provider_error", { reason: `${credentials.providerName} could not make the ${what}` });

/** The video of an ended job. Throws a DomainError if there is none; the provider's text only selects it. */
function resultOf(status: SdkStatus, credentials: ModelCredentials): Result {
  if (status.status === "error") throw jobFailed(status.error, credentials, "video");
  const [video] = status.status === "completed" ? status.videos : [];
  if (video?.type === "url") return { url: video.url };
  if (video?.type === "base64") return { base64: video.data };
  if (video?.type === "binary") return { bytes: video.data };
  throw badResponse(credentials, "it contains no video");
}

/** Throws provider_bad_response unless the file begins like an MP4 or a WebM. */
export async function receiveVideo(
  result: Result,
  options: Parameters<typeof receiveResult>[1],
): Promise<ReceivedFile> {
  const received = await receiveResult(result, options);
  const start = await Bun.file(received.path).slice(0, 12).bytes();
  const isMp4 = String.fromCharCode(...start.subarray(4, 8)) === "ftyp";
  const isWebm = start[0] === 0x1a && start[1] === 0x45 && start[2] === 0xdf && start[3] === 0xa3;
  if (isMp4 || isWebm) return received;
  await options.ports.files.discard(received);
  throw badResponse(options.credentials, "it is not a video");
}
