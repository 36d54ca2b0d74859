import type { ProviderRow } from "../client/rows.ts";
import { openaiImage } from "./image.ts";
import { openaiImageModels, openaiSpeechModels, openaiTextModels, openaiTranscriptionModels } from "./models.ts";
import { openaiLanguage, openaiVision } from "./openai.ts";
import { openaiSpeech } from "./speech.ts";
import { openaiTranscription } from "./transcription.ts";

const endingTextModels = ["gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-4.1-mini"];
const text = {
  models: openaiTextModels,
  retired: Object.fromEntries(endingTextModels.map((id) => [id, "2027-01-14"])),
  successors: Object.fromEntries(endingTextModels.map((id) => [id, "gpt-6-luna"])),
};

export const openai: ProviderRow = {
  id: "openai",
  aliases: [],
  providerId: "openai",
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
    retired: {
      "gpt-image-1-mini": "2026-12-01",
      "gpt-image-1.5": "2026-12-01",
      "chatgpt-image-latest": "2026-12-01",
    },
    successors: {
      "gpt-image-1-mini": "gpt-image-2.6-flare",
      "gpt-image-1.5": "gpt-image-2.6-flare",
      "chatgpt-image-latest": "gpt-image-2.6-flare",
    },
    create: openaiImage,
    description: "Draws an image of any size near the requested one. Needs your OpenAI key.",
  },
  speech: {
    models: openaiSpeechModels,
    create: openaiSpeech,
    description:
      "Speaks a text and transcribes sounds. OpenAI shuts all these voices down on 6 January 2027, and Whisper, its only model with times of words, on 26 February 2027. Needs your OpenAI key.",
  },
  transcription: { models: openaiTranscriptionModels, create: openaiTranscription, description: "" },
};
