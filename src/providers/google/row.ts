import type { ProviderRow } from "../client/rows.ts";
import { googleLanguage, googleVision } from "./google.ts";
import { googleImage } from "./image.ts";
import {
  googleImageModels,
  googleSpeechModels,
  googleTextModels,
  googleTranscriptionModels,
  googleVideoModels,
} from "./models.ts";
import { googleOmni } from "./omni.ts";
import { googleSpeech } from "./speech.ts";
import { googleTranscription } from "./transcription.ts";

export const google: ProviderRow = {
  id: "gemini",
  aliases: ["google"],
  providerId: "google",
  name: "Google Gemini",
  modelIdPrefix: "models/",
  api: { setting: "GOOGLE", baseUrl: "https://generativelanguage.googleapis.com/v1beta", takesWholeAddress: true },
  vision: {
    models: googleTextModels,
    create: googleVision,
    description: "Analyzes the video file itself, with its sound. Needs your Gemini API key.",
  },
  llm: {
    models: googleTextModels,
    create: googleLanguage,
    description: "Writes scenarios and style guides. Needs your Gemini API key.",
  },
  image: {
    models: googleImageModels,
    create: googleImage,
    description: "Draws an image in the aspect ratio nearest to the requested one. Needs your Gemini API key.",
  },
  video: {
    models: googleVideoModels,
    create: googleOmni,
    description: "Animates an image, upright or wide, for 3 to 15 seconds. Needs your Gemini API key.",
  },
  speech: {
    models: googleSpeechModels,
    create: googleSpeech,
    description: "Speaks a text with one of 30 voices, and transcribes sounds. Needs your Gemini API key.",
  },
  transcription: { models: googleTranscriptionModels, create: googleTranscription, description: "" },
};
