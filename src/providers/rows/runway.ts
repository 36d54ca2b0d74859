import { z } from "zod";
import type { ModelInfo, VideoModel, VideoTask } from "../../domain/ai/models.ts";
import type { ProviderCall } from "../../domain/ai/provider-calls.ts";
import { DomainError } from "../../errors.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { badResponse, contentRefused, toProviderError } from "../client/errors.ts";
import { type JobClient, runJob } from "../client/job.ts";
import { sendJson } from "../client/json-client.ts";
import { limitedFetch, maxTextResponseBytes } from "../client/limited-fetch.ts";
import { exponentialBackoff } from "../client/retry.ts";
import type { ModelPorts, ProviderRow } from "../client/rows.ts";
import { nearestRatio, secondsFrom, truncateAtWord } from "../client/shapes.ts";
import { idempotencyKeyOf, nearestOf, receiveVideo } from "../sdk/video.ts";

const ratios = ["1280:720", "720:1280", "1104:832", "832:1104", "960:960", "1584:672"];

/** Whole seconds of both models (@runwayml/sdk 4.12.0, 2026-07-23). */
const durations = secondsFrom(2, 10);

const models: readonly ModelInfo[] = [
  { id: "gen4_turbo", name: "Gen-4 Turbo", durations, ratios, unit: "second" },
  { id: "gen4.5", name: "Gen-4.5", durations, ratios, unit: "second" },
];

const version = "2024-11-06";
/** The limit in UTF-16 units. */
const maxPromptLength = 1000;
/** A data URI has at most 5 MB, and base64 adds a third to a picture. */
const maxImageBytes = 3_700_000;
const imageTypes = ["image/jpeg", "image/png", "image/webp"];
/** Runway asks not to read more often than every five seconds. */
const defaultBackoff = exponentialBackoff({ firstMs: 2_000, factor: 2.5, maxMs: 5_000 });
const getTimeoutMs = 60_000;
const cancelTimeoutMs = 3_000;

const Created = z.object({ id: z.string().min(1) });
const Task = z.object({
  status: z.string(),
  output: z.array(z.string()).nullish(),
  failure: z.string().nullish(),
  failureCode: z.string().nullish(),
});
type Task = z.output<typeof Task>;

/** Runway's own API: one task per video, found again by its id. */
const runwayVideo = (credentials: ModelCredentials, ports: ModelPorts): VideoModel => ({
  isBilled: true,
  nearestDuration: (wanted) => nearestOf(durations, wanted),
  async animate(task, call, startedJob) {
    // before the call: failures here are not paid for
    const promptImage = startedJob.id === undefined ? await dataUri(ports, task, call) : undefined;
    const tracked = { provider: credentials.providerId, model: credentials.modelId, purpose: "video" } as const;
    return await call.track(
      { ...tracked, bound: { seconds: task.durationSeconds }, job: startedJob },
      async (signal, checkpoint) => {
        try {
          const tasks = taskClient(credentials, promptImage, task, call);
          const { pollBackoff: backoff = defaultBackoff } = ports;
          const ended = await runJob(tasks, checkpoint, { credentials, backoff, signal });
          const result = await receiveVideo(
            { url: outputOf(ended, credentials) },
            { ports, credentials, call, signal },
          );
          return { result, seconds: task.durationSeconds };
        } catch (error) {
          throw toProviderError(error, credentials);
        }
      },
    );
  },

  cancelJob: (id) => cancelTask(credentials, id),
});

function taskClient(
  credentials: ModelCredentials,
  promptImage: string | undefined,
  task: VideoTask,
  call: ProviderCall,
): JobClient<Task> {
  const headers = headersOf(credentials);
  const common = { credentials, headers, maxBytes: maxTextResponseBytes };
  return {
    async create(signal) {
      const body = {
        model: credentials.modelId,
        promptImage,
        promptText: truncateAtWord(task.prompt, maxPromptLength),
        ratio: nearestRatio(ratios, task.resolution),
        duration: task.durationSeconds,
      };
      const withKey = { ...headers, "idempotency-key": idempotencyKeyOf(call, credentials, task) };
      const url = `${credentials.baseUrl}/image_to_video`;
      const { id } = await sendJson({ ...common, headers: withKey, url, body, responseSchema: Created }, signal);
      return { id, status: { status: "PENDING" } };
    },

    get(id, signal) {
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(getTimeoutMs)]);
      return sendJson({ ...common, url: urlOf(credentials, id), method: "GET", responseSchema: Task }, inTime);
    },

    hasEnded: ({ status }) => ["SUCCEEDED", "FAILED", "CANCELLED"].includes(status),

    cancel: (id) => cancelTask(credentials, id),
  };
}

async function cancelTask(credentials: ModelCredentials, id: string): Promise<void> {
  const init = { method: "DELETE", headers: headersOf(credentials), signal: AbortSignal.timeout(cancelTimeoutMs) };
  await limitedFetch({ maxBytes: maxTextResponseBytes })(urlOf(credentials, id), init)
    .then((response) => response.body?.cancel())
    .catch(() => {});
}

const headersOf = ({ apiKey }: ModelCredentials) => ({
  authorization: `Bearer ${apiKey}`,
  "x-runway-version": version,
});

const urlOf = ({ baseUrl }: ModelCredentials, id: string): string => `${baseUrl}/tasks/${encodeURIComponent(id)}`;

async function dataUri({ images }: ModelPorts, { image }: VideoTask, { taskOptions }: ProviderCall): Promise<string> {
  const options = { ...taskOptions, maxBytes: maxImageBytes };
  const { bytes, mimeType } = await images.convertImage(image.path, image.facts, imageTypes, options);
  return `data:${mimeType};base64,${bytes.toBase64()}`;
}

function outputOf({ status, output, failure, failureCode }: Task, credentials: ModelCredentials): string {
  if (status === "SUCCEEDED") {
    const [url] = output ?? [];
    if (url) return url;
    throw badResponse(credentials, "it contains no video");
  }
  const isRefused = /SAFETY|MODERATION/i.test(failureCode ?? "") || /content moderation/i.test(failure ?? "");
  if (isRefused) throw contentRefused(credentials);
  const what = status === "CANCELLED" ? "cancelled the video" : "could not make the video";
  throw new DomainError("provider_error", { reason: `${credentials.providerName} ${what}` });
}

export const runway: ProviderRow = {
  id: "runway",
  name: "Runway",
  api: { setting: "RUNWAY", baseUrl: "https://api.dev.runwayml.com/v1" },
  video: {
    models,
    retired: { gen3a_turbo: "2026-07-30" },
    successors: { gen3a_turbo: "gen4_turbo" },
    create: runwayVideo,
    // https://docs.dev.runwayml.com/api-details/moderation
    billsFailures: ["content_refused"],
    description: "Animates an image for 5 or 10 seconds. Needs your Runway key.",
  },
};
