import type { LocalGenerator } from "../domain/ai/generation/local-generator.ts";
import type {
  Category,
  ImageModel,
  LanguageModel,
  Models,
  SpeechModel,
  VideoModel,
  VisionModel,
} from "../domain/ai/models.ts";
import type { FileStore } from "../domain/files/file-store.ts";
import type { SoundTools } from "../domain/speech/sound-tools.ts";
import { googleLanguage, googleVision } from "./google/google.ts";
import { googleImage } from "./google/image.ts";
import {
  googleImageModels,
  googleSpeechModels,
  googleTextModels,
  googleTranscriptionModels,
  googleVideoModels,
} from "./google/models.ts";
import { googleOmni } from "./google/omni.ts";
import { googleSpeech } from "./google/speech.ts";
import { googleTranscription } from "./google/transcription.ts";
import { localImage, localLanguage, localVideo, localVision } from "./local/local.ts";
import { openaiImage } from "./openai/image.ts";
import { openaiImageModels, openaiSpeechModels, openaiTextModels, openaiTranscriptionModels } from "./openai/models.ts";
import { openaiLanguage, openaiVision } from "./openai/openai.ts";
import { openaiSpeech } from "./openai/speech.ts";
import { openaiTranscription } from "./openai/transcription.ts";
import { createModels, type ProviderEntry, type Transcribers } from "./registry.ts";

export type ProviderOptions = {
  /** The providers for requests that name none. */
  readonly defaults: Readonly<Record<Category, string>>;
  readonly openaiBaseUrl?: string | undefined;
  readonly googleBaseUrl?: string | undefined;
  readonly localGenerator: LocalGenerator;
  /** Receives generated videos. */
  readonly files: Pick<FileStore, "receive">;
  /** Decodes generated voices. */
  readonly soundTools: SoundTools;
};

export function providerModels(options: ProviderOptions): Models {
  const providers = providersAt(options);
  const table = {
    vision: visionEntries(providers),
    llm: languageEntries(providers),
    image: imageEntries(providers, options),
    video: videoEntries(providers, options),
    speech: speechEntries(providers, options),
  };
  return createModels(table, transcribers(providers), options.defaults);
}

function providersAt({ openaiBaseUrl, googleBaseUrl }: ProviderOptions) {
  return {
    openai: {
      id: "openai",
      aliases: [],
      providerId: "openai",
      name: "OpenAI",
      modelIdPrefix: "",
      needsKey: true,
      baseUrl: withoutTrailingSlash(openaiBaseUrl ?? "https://api.openai.com/v1"),
    },
    google: {
      id: "gemini",
      aliases: ["google"],
      providerId: "google",
      name: "Google Gemini",
      modelIdPrefix: "models/",
      needsKey: true,
      baseUrl: withoutTrailingSlash(googleBaseUrl ?? "https://generativelanguage.googleapis.com/v1beta"),
    },
    local: {
      id: "local",
      aliases: [],
      providerId: "local",
      name: "Local",
      modelIdPrefix: "",
      needsKey: false,
      baseUrl: "",
    },
  };
}

type Providers = ReturnType<typeof providersAt>;

// one table per category with one entry per provider

const visionEntries = ({ openai, google, local }: Providers): readonly ProviderEntry<VisionModel>[] => [
  {
    ...openai,
    models: openaiTextModels,
    create: openaiVision,
    description: "Analyzes frames of the video, chosen from its measured scenes. Needs your OpenAI key.",
  },
  {
    ...google,
    models: googleTextModels,
    create: googleVision,
    description: "Analyzes the video file itself, with its sound. Needs your Gemini API key.",
  },
  {
    ...local,
    models: [{ id: "measurements", name: "Measurements" }],
    create: () => localVision,
    description:
      "Local and rule-based: measures cuts, colors, tempo and movement, and describes the measurements. No model, no key, no network.",
  },
];

const languageEntries = ({ openai, google, local }: Providers): readonly ProviderEntry<LanguageModel>[] => [
  {
    ...openai,
    models: openaiTextModels,
    create: openaiLanguage,
    description: "Writes scenarios and style guides. Needs your OpenAI key.",
  },
  {
    ...google,
    models: googleTextModels,
    create: googleLanguage,
    description: "Writes scenarios and style guides. Needs your Gemini API key.",
  },
  {
    ...local,
    models: [{ id: "rules", name: "Rules" }],
    create: () => localLanguage,
    description:
      "Local and rule-based: writes scenarios from the brief, the style guide and the palette. No model, no key, no network.",
  },
];

const imageEntries = (
  { openai, google, local }: Providers,
  { localGenerator }: ProviderOptions,
): readonly ProviderEntry<ImageModel>[] => [
  {
    ...openai,
    id: "dalle",
    aliases: ["openai"],
    models: openaiImageModels,
    create: openaiImage,
    description: "Draws an image of any size near the requested one. Needs your OpenAI key.",
  },
  {
    ...google,
    models: googleImageModels,
    create: googleImage,
    description: "Draws an image in the aspect ratio nearest to the requested one. Needs your Gemini API key.",
  },
  {
    ...local,
    models: [{ id: "storyboard", name: "Storyboard" }],
    create: () => localImage(localGenerator),
    description:
      "Local and rule-based: typesets a storyboard frame from words and colors, without an image of the subject. No model, no key, no network.",
  },
];

const videoEntries = (
  { google, local }: Providers,
  { files, localGenerator }: ProviderOptions,
): readonly ProviderEntry<VideoModel>[] => [
  {
    ...google,
    models: googleVideoModels,
    create: googleOmni({ files }),
    description: "Animates an image, upright or wide, for 3 to 15 seconds. Needs your Gemini API key.",
  },
  {
    ...local,
    models: [{ id: "camera", name: "Camera move" }],
    create: () => localVideo(localGenerator),
    description: "Local and rule-based: moves a camera over the still image. No model, no key, no network.",
  },
];

const speechEntries = (
  { openai, google }: Providers,
  { soundTools }: ProviderOptions,
): readonly ProviderEntry<SpeechModel>[] => [
  {
    ...google,
    models: googleSpeechModels,
    create: googleSpeech(soundTools),
    description: "Speaks a text with one of 30 voices, and transcribes sounds. Needs your Gemini API key.",
  },
  {
    ...openai,
    models: openaiSpeechModels,
    create: openaiSpeech(soundTools),
    description:
      "Speaks a text and transcribes sounds. OpenAI shuts all these voices down on 6 January 2027, and Whisper, its only model with times of words, on 26 February 2027. Needs your OpenAI key.",
  },
];

const transcribers = ({ openai, google }: Providers): Transcribers => [
  { ...google, models: googleTranscriptionModels, create: googleTranscription, description: "" },
  { ...openai, models: openaiTranscriptionModels, create: openaiTranscription, description: "" },
];

const withoutTrailingSlash = (url: string) => url.replace(/\/+$/, "");
