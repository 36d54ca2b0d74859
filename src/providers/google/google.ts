import type { DescribeAssetTask, LanguageModel, VisionModel } from "../../domain/ai/models.ts";
import type { ProviderCall, Purpose } from "../../domain/ai/provider-calls.ts";
import type { MediaFacts } from "../../engine/timeline/source.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { maxTextResponseBytes } from "../client/limited-fetch.ts";
import {
  type Content,
  describeAsset,
  describeVideo,
  frameParts,
  imagePart,
  languageModel,
  type ModelTarget,
  matchProduct,
} from "../client/text-models.ts";
import { loadGoogle } from "./auth.ts";
import { deleteVideo, uploadVideo } from "./files.ts";

const targetOf = (credentials: ModelCredentials): ModelTarget => ({
  credentials,
  model: async () => (await loadGoogle(credentials, maxTextResponseBytes))(encodeURIComponent(credentials.modelId)),
});

export const googleLanguage = (credentials: ModelCredentials): LanguageModel => languageModel(targetOf(credentials));

/** Accepts video files of the supported types; for other types it gets frames. */
export function googleVision(credentials: ModelCredentials): VisionModel {
  const target = targetOf(credentials);
  return {
    isBilled: true,
    inputFor: ({ mimeType }) => (videoTypes[mimeType] ? "video" : "frames"),

    describeVideo: ({ prompt, video: file, frames }, call) =>
      withContent({ credentials, call, purpose: "analyze" }, { file, frames }, (content) =>
        describeVideo(target, { prompt, content }, call),
      ),

    describeAsset: ({ prompt, file, frames }, call) =>
      withContent({ credentials, call, purpose: "describe" }, { file, frames }, (content) =>
        describeAsset(target, { prompt, content }, call),
      ),

    matchProduct: (task, call) => matchProduct(target, task, call),
  };
}

/** The supported video types, by MIME type, with Google's own names. */
const videoTypes: Readonly<Record<string, string>> = {
  "video/mp4": "video/mp4",
  "video/quicktime": "video/mov",
  "video/webm": "video/webm",
  "video/3gpp": "video/3gpp",
};

/** Larger videos are uploaded first. A request may be larger, but its body would be in memory several times. */
const maxInlineBytes = 15 * 2 ** 20;

type Upload = { readonly purpose: Purpose; readonly credentials: ModelCredentials; readonly call: ProviderCall };

/** Runs `describe` with the content of a file. A large video is uploaded before and deleted afterwards. */
async function withContent<Result>(
  { credentials, call, purpose }: Upload,
  { file, frames }: Pick<DescribeAssetTask, "file" | "frames">,
  describe: (content: Content) => Promise<Result>,
): Promise<Result> {
  const mediaType = videoTypes[file.facts.mimeType];
  if (file.facts.kind === "image") return describe(frames.map(imagePart));
  if (!mediaType) return describe(frameParts(frames));

  const video = { type: "file" as const, mediaType, providerOptions: samplingOptions(file.facts) };
  if (file.sizeBytes <= maxInlineBytes) return describe([{ ...video, data: await Bun.file(file.path).bytes() }]);

  const free = { inputTokens: 0, outputTokens: 0 };
  const target = { provider: credentials.providerId, model: credentials.modelId, purpose, bound: free };
  const upload = { credentials, video: file, mimeType: mediaType };
  const uploaded = await call.track(target, async (signal) => ({ result: await uploadVideo(upload, signal) }));
  try {
    return await describe([{ ...video, data: { google: uploaded.uri } }]);
  } finally {
    await deleteVideo(credentials, uploaded);
  }
}

/** Google samples one frame per second by default, too few for quick cuts: short videos get up to five. */
function samplingOptions({ durationSeconds = 60 }: MediaFacts) {
  const fps = Math.min(Math.max(Math.floor(120 / durationSeconds), 1), 5);
  return { google: { videoMetadata: { fps } } };
}
