import { createOpenAI } from "@ai-sdk/openai";
import type { DescribeAssetTask, LanguageModel, VisionModel } from "../../domain/ai/models.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { limitedFetch, maxTextResponseBytes } from "../client/limited-fetch.ts";
import {
  describeAsset,
  describeVideo,
  frameParts,
  imagePart,
  languageModel,
  type ModelTarget,
} from "../client/text-models.ts";

function targetOf(credentials: ModelCredentials): ModelTarget {
  const openai = createOpenAI({
    apiKey: credentials.apiKey,
    baseURL: credentials.baseUrl,
    fetch: limitedFetch({ maxBytes: maxTextResponseBytes }),
  });
  return {
    credentials,
    model: openai.responses(credentials.modelId),
    // OpenAI stores responses by default
    providerOptions: { openai: { store: false } },
  };
}

export const openaiLanguage = (credentials: ModelCredentials): LanguageModel => languageModel(targetOf(credentials));

/** Takes no video files: it gets frames instead. */
export function openaiVision(credentials: ModelCredentials): VisionModel {
  const target = targetOf(credentials);
  return {
    isBilled: true,
    inputFor: () => "frames",
    describeVideo: ({ prompt, frames }, call) => describeVideo(target, { prompt, content: frameParts(frames) }, call),
    describeAsset: (task, call) => describeAsset(target, { prompt: task.prompt, content: contentOf(task) }, call),
  };
}

const contentOf = ({ file, frames }: DescribeAssetTask) =>
  file.facts.kind === "image" ? frames.map(imagePart) : frameParts(frames);
