import type { SeenFile, VideoModel, VideoTask } from "../../domain/ai/models.ts";
import type { FileStore } from "../../domain/files/file-store.ts";
import { DomainError } from "../../errors.ts";
import type { Canvas } from "../../timeline/timeline.ts";
import type { Access } from "../client/credentials.ts";
import { asProviderError } from "../client/errors.ts";
import { interactionsOf } from "./omni-client.ts";
import { receivedVideo } from "./omni-download.ts";
import { endedJob, growingPauses, type Pauses } from "./omni-job.ts";
import { madeVideo } from "./omni-response.ts";

/** A request has 100 MB at most, in base64. */
const maxImageBytes = 70_000_000;

type Options = { readonly files: Pick<FileStore, "receive">; readonly pauses?: Pauses };

/** Gemini Omni: one job is created for one video, ever; looking after it and fetching the video is repeated. */
export const googleOmni =
  ({ files, pauses = growingPauses }: Options) =>
  (access: Access): VideoModel => ({
    isBilled: true,

    nearestDuration: (wantedSeconds) =>
      Math.min(Math.max(Math.round(wantedSeconds), shortestSeconds), longestSeconds(access.modelId)),

    animate: (task, call, job) =>
      call.track({ provider: access.providerId, model: access.modelId, purpose: "video" }, async (signal) => {
        const options = { access, pauses, signal };
        const interactions = interactionsOf(access);
        try {
          const ended = await endedJob(() => requestOf(task, access), job, { ...options, interactions });
          const result = await receivedVideo(madeVideo(ended, access), { ...options, files });
          const { total_input_tokens: inputTokens, total_output_tokens: outputTokens } = ended.usage ?? {};
          return { result, seconds: task.durationSeconds, inputTokens, outputTokens };
        } catch (error) {
          throw asProviderError(error, access);
        }
      }),
  });

const shortestSeconds = 3;

/** A model that is not known is taken for the newest. */
const longestSeconds = (modelId: string) => (/^gemini-omni-(1\.1|flash)/.test(modelId) ? 10 : 15);

async function requestOf({ prompt, image, durationSeconds, resolution }: VideoTask, access: Access) {
  return {
    model: access.modelId,
    input: [await imageContent(image, access), { type: "text", text: prompt }],
    generation_config: { video_config: { task: "image_to_video" } },
    response_format: {
      type: "video",
      ...{ aspect_ratio: resolution.width > resolution.height ? "16:9" : "9:16", resolution: lines(resolution) },
      // a number is refused; by address, so that the bytes go past our memory
      ...{ duration: `${durationSeconds}s`, delivery: "uri" },
    },
    background: true,
  };
}

async function imageContent({ path, sizeBytes, facts }: SeenFile, { providerName: provider }: Access) {
  if (sizeBytes > maxImageBytes) throw new DomainError("media_too_large", { provider });
  const bytes = await Bun.file(path).bytes();
  return { type: "image", data: bytes.toBase64(), mime_type: facts.mimeType };
}

/** The smallest that is no smaller than the short side. */
function lines({ width, height }: Canvas): string {
  const side = Math.min(width, height);
  if (side <= 360) return "360p";
  if (side <= 720) return "720p";
  return side <= 1080 ? "1080p" : "4k";
}
