import { sameProduct } from "../../domain/ai/generation/prompts.ts";
import type { ReferenceImage, VideoModel, VideoTask } from "../../domain/ai/models.ts";
import type { InspectedFile } from "../../engine/ports.ts";
import type { Canvas } from "../../engine/timeline/timeline.ts";
import { DomainError } from "../../errors.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { badResponse, failed, toProviderError } from "../client/errors.ts";
import { type JobClient, runJob } from "../client/job.ts";
import { sendJson } from "../client/json-client.ts";
import { limitedFetch } from "../client/limited-fetch.ts";
import { type Backoff, exponentialBackoff } from "../client/retry.ts";
import type { ModelPorts } from "../client/rows.ts";
import { keyHeader } from "./auth.ts";
import { maxVideoReferences } from "./models.ts";
import { receiveVideo } from "./omni-download.ts";
import { hasEnded, Interaction, videoOf } from "./omni-response.ts";

/** Base64 adds a third, and a request has at most 100 MB. */
const maxImageBytes = 70_000_000;

const defaultBackoff = exponentialBackoff({ firstMs: 1_000, maxMs: 10_000 });

type OmniOptions = Pick<ModelPorts, "files"> & { readonly backoff?: Backoff };

/** Gemini Omni. Creates one job per video and never repeats that; polls and downloads are repeated. */
export const googleOmni = (
  credentials: ModelCredentials,
  { files, backoff = defaultBackoff }: OmniOptions,
): VideoModel => ({
  isBilled: true,
  maxReferences: maxVideoReferences,

  nearestDuration: (wantedSeconds) =>
    Math.min(Math.max(Math.round(wantedSeconds), minSeconds), maxSeconds(credentials.modelId)),

  animate(task, call, startedJob) {
    const target = { provider: credentials.providerId, model: credentials.modelId, purpose: "video" } as const;
    const size = resolutionName(task.resolution);
    return call.track({ ...target, size, bound: boundOf(task), job: startedJob }, async (signal, checkpoint) => {
      const idempotencyKey = call.idempotencyKey(`${credentials.modelId} ${task.prompt}`);
      const jobs = interactionsClient(credentials, { body: () => requestOf(task, credentials), idempotencyKey });
      const options = { credentials, backoff, signal };
      const job = await runJob(jobs, checkpoint, options).catch((error) => {
        throw toProviderError(error, credentials);
      });
      const { total_input_tokens: inputTokens, total_output_tokens: outputTokens } = job.usage ?? {};
      const usage = { inputTokens, outputTokens };
      try {
        const result = await receiveVideo(videoOf(job, credentials), { ...options, files });
        return { result, seconds: task.durationSeconds, ...usage };
      } catch (error) {
        signal.throwIfAborted();
        return { ...failed(toProviderError(error, credentials)), ...usage };
      }
    });
  },

  cancelJob: (id) => cancelInteraction(credentials, id),
});

/** A second of 4k has no more tokens than this. */
const tokensPerSecond = 24_000;

const boundOf = ({ prompt, durationSeconds, references = [] }: VideoTask) => ({
  seconds: durationSeconds,
  inputTokens: Buffer.byteLength(prompt) + 10_000 + references.length * 2_600,
  outputTokens: durationSeconds * tokensPerSecond,
});

const minSeconds = 3;

/** Unknown models get the limit of the newest one. */
const maxSeconds = (modelId: string) => (/^gemini-omni-(1\.1|flash)/.test(modelId) ? 10 : 15);

async function requestOf(task: VideoTask, credentials: ModelCredentials) {
  const { prompt, image, durationSeconds, resolution, references = [] } = task;
  const pictures = references.map(({ bytes, mimeType }) => ({
    type: "image",
    data: bytes.toBase64(),
    mime_type: mimeType,
  }));
  return {
    model: credentials.modelId,
    input: [
      await imageContent(image, credentials),
      ...pictures,
      { type: "text", text: references.length > 0 ? withRoles(prompt, references) : prompt },
    ],
    // no task supports a first frame and references together: the text explains their roles
    ...(references.length === 0 && { generation_config: { video_config: { task: "image_to_video" } } }),
    response_format: {
      type: "video",
      aspect_ratio: resolution.width > resolution.height ? "16:9" : "9:16",
      resolution: resolutionName(resolution),
      // Google rejects a number
      duration: `${durationSeconds}s`,
      // an inline video would be in memory as a whole
      delivery: "uri",
    },
    background: true,
  };
}

/** The prompt, preceded by the role of each picture: pictures count from one, references from zero. */
function withRoles(prompt: string, references: readonly ReferenceImage[]): string {
  const roles = references.map((_, index) => `<IMAGE_REF_${index}>@Image${index + 2}`);
  return `[# Sources <FIRST_FRAME>@Image1] [# References ${roles.join(" ")}]
${prompt}

Use Image1 as the starting frame. The other pictures show the product. ${sameProduct}`;
}

async function imageContent({ path, sizeBytes, facts }: InspectedFile, { providerName: provider }: ModelCredentials) {
  if (sizeBytes > maxImageBytes) throw new DomainError("media_too_large", { provider });
  const bytes = await Bun.file(path).bytes();
  return { type: "image", data: bytes.toBase64(), mime_type: facts.mimeType };
}

/** The smallest resolution that is not below the shorter side. */
function resolutionName({ width, height }: Canvas): string {
  const side = Math.min(width, height);
  if (side <= 360) return "360p";
  if (side <= 720) return "720p";
  return side <= 1080 ? "1080p" : "4k";
}

/** A job with an inline video has about 70 MB. */
const maxResponseBytes = 96 * 1024 * 1024;
/** Long enough for a response with an inline video. */
const getTimeoutMs = 120_000;
const cancelTimeoutMs = 3_000;

/** The parameters with which one job is created. */
type Creation = { readonly body: () => Promise<unknown>; readonly idempotencyKey: string };

/** A client of Google's Interactions API, which runs video generation as jobs. Each method sends one request. */
function interactionsClient(credentials: ModelCredentials, creation: Creation): JobClient<Interaction> {
  const headers = keyHeader(credentials);
  const collectionUrl = `${credentials.baseUrl}/interactions`;
  const common = { credentials, headers, maxBytes: maxResponseBytes, responseSchema: Interaction };

  return {
    async create(signal) {
      const body = await creation.body();
      const withKey = { ...headers, "idempotency-key": creation.idempotencyKey };
      const job = await sendJson({ ...common, headers: withKey, url: collectionUrl, body }, signal);
      if (!job.id) throw badResponse(credentials, "it contains no job id");
      return { id: job.id, ...(job.status && { status: job }) };
    },

    async get(id, signal) {
      const timeoutSignal = AbortSignal.any([signal, AbortSignal.timeout(getTimeoutMs)]);
      const job = await sendJson({ ...common, url: urlOf(credentials, id), method: "GET" }, timeoutSignal);
      if (!job.status && !job.error) throw badResponse(credentials, "it has no status");
      return job;
    },

    hasEnded,

    cancel: (id) => cancelInteraction(credentials, id),
  };
}

/** Sends the cancellation; never throws. */
async function cancelInteraction(credentials: ModelCredentials, id: string): Promise<void> {
  const init = { method: "POST", headers: keyHeader(credentials), signal: AbortSignal.timeout(cancelTimeoutMs) };
  await limitedFetch({ maxBytes: maxResponseBytes })(`${urlOf(credentials, id)}/cancel`, init)
    .then((response) => response.body?.cancel())
    .catch(() => {});
}

const urlOf = ({ baseUrl }: ModelCredentials, id: string): string =>
  `${baseUrl}/interactions/${encodeURIComponent(id)}`;
