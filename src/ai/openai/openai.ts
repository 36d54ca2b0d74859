import { createOpenAI } from "@ai-sdk/openai";
import type { AssetTask, LanguageModel, VisionModel } from "../../domain/ai/models.ts";
import type { Access } from "../client/credentials.ts";
import { cappedFetch, textAnswerBytes } from "../client/limited-fetch.ts";
import {
  type Addressee,
  describedAsset,
  describedFilm,
  languageModel,
  shownFrames,
  shownPicture,
} from "../client/text-models.ts";

const addressee = (access: Access): Addressee => ({
  access,
  model: createOpenAI({
    ...{ apiKey: access.apiKey, baseURL: access.baseUrl },
    fetch: cappedFetch({ maxBytes: textAnswerBytes }),
  }).responses(access.modelId),
  // what callers ask about is not to be kept there
  providerOptions: { openai: { store: false } },
});

export const openaiLanguage = (access: Access): LanguageModel => languageModel(addressee(access));

/** Takes no films: it is shown pictures of them. */
export function openaiVision(access: Access): VisionModel {
  const model = addressee(access);
  return {
    isBilled: true,
    sees: () => "frames",
    describeFilm: ({ prompt, frames }, call) => describedFilm(model, { prompt, content: shownFrames(frames) }, call),
    describeAsset: (task, call) => describedAsset(model, { prompt: task.prompt, content: shown(task) }, call),
  };
}

const shown = ({ file, frames }: AssetTask) =>
  file.facts.kind === "image" ? frames.map(shownPicture) : shownFrames(frames);
