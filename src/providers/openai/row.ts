import type { LanguageModel, VisionModel } from "../../domain/ai/models.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { limitedFetch, maxTextResponseBytes } from "../client/limited-fetch.ts";
import type { ProviderRow } from "../client/rows.ts";
import { frameVision, languageModel, type ModelTarget } from "../client/text-models.ts";
import { openaiImage } from "./image.ts";
import { openaiImageModels, openaiSpeechModels, openaiTextModels, openaiTranscriptionModels } from "./models.ts";
import { openaiSpeech } from "./speech.ts";
import { openaiTranscription } from "./transcription.ts";

const targetOf = (credentials: ModelCredentials): ModelTarget => ({
  credentials,
  async model() {
    const { createOpenAI } = await import("@ai-sdk/openai");
    const openai = createOpenAI({
      apiKey: credentials.apiKey,
      baseURL: credentials.baseUrl,
      fetch: limitedFetch({ maxBytes: maxTextResponseBytes }),
    });
    return openai.responses(credentials.modelId);
  },
  // OpenAI stores responses by default
  providerOptions: { openai: { store: false } },
});

export const openaiLanguage = (credentials: ModelCredentials): LanguageModel => languageModel(targetOf(credentials));

export const openaiVision = (credentials: ModelCredentials): VisionModel => frameVision(targetOf(credentials));

/** The day on which models end, and OpenAI's successor: https://developers.openai.com/api/docs/deprecations */
const endings = (...list: readonly (readonly [day: string, successor: string, ...ids: readonly string[]])[]) => ({
  retired: Object.fromEntries(list.flatMap(([day, , ...ids]) => ids.map((id) => [id, day]))),
  successors: Object.fromEntries(list.flatMap(([, successor, ...ids]) => ids.map((id) => [id, successor]))),
});

const textEndings = endings(
  ["2026-12-11", "gpt-6.1-sol", "gpt-5", "gpt-5-2025-08-07", "gpt-5-pro", "o3", "o3-2025-04-16", "o3-pro"],
  ["2026-12-11", "gpt-6.1-terra", "gpt-5-mini", "gpt-5-mini-2025-08-07"],
  ["2026-12-11", "gpt-6-luna", "gpt-5-nano", "gpt-5-nano-2025-08-07"],
  ["2027-01-14", "gpt-6-luna", "gpt-4o", "gpt-4o-2024-08-06", "gpt-4o-2024-11-20"],
  ["2027-01-14", "gpt-6-luna", "gpt-4o-mini", "gpt-4o-mini-2024-07-18"],
  ["2027-01-14", "gpt-6-luna", "gpt-4.1", "gpt-4.1-2025-04-14", "gpt-4.1-mini", "gpt-4.1-mini-2025-04-14"],
);
const text = {
  ...{ models: openaiTextModels, ...textEndings },
  retired: { ...textEndings.retired, "gpt-5.1": "2027-04-01" },
};

export const openai: ProviderRow = {
  id: "openai",
  name: "OpenAI",
  api: { setting: "OPENAI", baseUrl: "https://api.openai.com/v1", takesWholeAddress: true },
  vision: {
    ...text,
    create: openaiVision,
    description: "Analyzes frames of the video, chosen from its measured scenes. Needs your OpenAI key.",
  },
  llm: { ...text, create: openaiLanguage, description: "Writes scenarios and style guides. Needs your OpenAI key." },
  image: {
    id: "dalle",
    aliases: ["openai"],
    models: openaiImageModels,
    ...endings([
      ...(["2026-12-01", "gpt-image-2.6-flare"] as const),
      ...["gpt-image-1-mini", "gpt-image-1.5", "gpt-image-1.5-2025-12-16", "chatgpt-image-latest"],
    ]),
    create: openaiImage,
    description: "Draws an image of any size near the requested one. Needs your OpenAI key.",
  },
  speech: {
    models: openaiSpeechModels,
    create: openaiSpeech,
    description:
      "Speaks a text and transcribes sounds. OpenAI shuts all these voices down on 6 January 2027, and Whisper, its only model with times of words, on 26 February 2027. Needs your OpenAI key.",
  },
  transcription: {
    models: openaiTranscriptionModels,
    ...endings(["2027-02-26", "gpt-transcribe", "gpt-4o-transcribe", "gpt-4o-mini-transcribe"]),
    create: openaiTranscription,
    description: "",
  },
};
