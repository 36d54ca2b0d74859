import type { Studio } from "../domain/ai/generation/local-generator.ts";
import type { Category, Models } from "../domain/ai/models.ts";
import type { FileStore } from "../domain/files/file-store.ts";
import type { Access } from "./client/credentials.ts";
import { googleLanguage, googleVision } from "./google/google.ts";
import { googleImage } from "./google/image.ts";
import { googleOmni } from "./google/omni.ts";
import { localImage, localLanguage, localVideo, localVision } from "./local/local.ts";
import { openaiImage } from "./openai/image.ts";
import { openaiLanguage, openaiVision } from "./openai/openai.ts";
import { modelsOf, type Table } from "./registry.ts";

export type ProviderOptions = {
  /** Of callers whose headers name no provider. */
  readonly defaults: Readonly<Record<Category, string>>;
  readonly openaiBaseUrl?: string | undefined;
  readonly googleBaseUrl?: string | undefined;
  /** What the local provider draws with. */
  readonly studio: Studio;
  /** Where videos arrive. */
  readonly files: Pick<FileStore, "receive">;
};

export const providerModels = (options: ProviderOptions): Models => modelsOf(table(options), options.defaults);

/** Every provider, a row for each thing it does. Of a row's models the first is used when a caller names none. */
function table({ openaiBaseUrl, googleBaseUrl, files, studio }: ProviderOptions): Table {
  const openai = {
    id: "openai",
    name: "OpenAI",
    aliases: [],
    needsKey: true,
    baseUrl: withoutSlash(openaiBaseUrl ?? "https://api.openai.com/v1"),
  };
  const google = {
    id: "google",
    name: "Google Gemini",
    aliases: ["gemini"],
    needsKey: true,
    baseUrl: withoutSlash(googleBaseUrl ?? "https://generativelanguage.googleapis.com/v1beta"),
  };
  const local = { id: "local", name: "Local", aliases: [], needsKey: false, baseUrl: "" };
  return {
    vision: [
      {
        ...{ ...openai, models: openaiTexts, make: openaiVision },
        description: "Looks at frames of the film, chosen from its measured scenes. Needs your OpenAI key.",
      },
      {
        ...{ ...google, models: googleTexts, make: ofGoogle(googleVision) },
        description: "Watches and hears the film itself. Needs your Gemini API key.",
      },
      {
        ...{ ...local, models: [{ id: "measurements", name: "Measurements" }], make: () => localVision },
        description:
          "Local and rule-based: measures cuts, colors, tempo and movement and says what was measured. No model, no key, no network.",
      },
    ],
    llm: [
      {
        ...{ ...openai, models: openaiTexts, make: openaiLanguage },
        description: "Writes scenarios and style guides. Needs your OpenAI key.",
      },
      {
        ...{ ...google, models: googleTexts, make: ofGoogle(googleLanguage) },
        description: "Writes scenarios and style guides. Needs your Gemini API key.",
      },
      {
        ...{ ...local, models: [{ id: "rules", name: "Rules" }], make: () => localLanguage },
        description:
          "Local and rule-based: writes scenarios from the brief, the style guide and the palette. No model, no key, no network.",
      },
    ],
    image: [
      {
        ...{ ...openai, aliases: ["dalle"], models: openaiImages, make: openaiImage },
        description: "Draws an image of any size near the one asked for. Needs your OpenAI key.",
      },
      {
        ...{ ...google, models: googleImages, make: ofGoogle(googleImage) },
        description: "Draws an image in the aspect ratio nearest to the one asked for. Needs your Gemini API key.",
      },
      {
        ...{ ...local, models: [{ id: "storyboard", name: "Storyboard" }], make: () => localImage(studio) },
        description:
          "Local and rule-based: sets a storyboard frame in type, words and colors and no picture of the thing. No model, no key, no network.",
      },
    ],
    video: [
      {
        ...{ ...google, models: googleVideos, make: ofGoogle(googleOmni({ files })) },
        description: "Sets an image in motion, upright or wide, for 3 to 15 seconds. Needs your Gemini API key.",
      },
      {
        ...{ ...local, models: [{ id: "camera", name: "Camera move" }], make: () => localVideo(studio) },
        description: "Local and rule-based: moves a camera over the still image. No model, no key, no network.",
      },
    ],
  };
}

/** Google's own names of models begin with `models/`, which its paths have already. */
const ofGoogle =
  <Model>(make: (access: Access) => Model) =>
  (access: Access): Model =>
    make({ ...access, modelId: access.modelId.replace(/^models\//, "") });

const withoutSlash = (url: string) => url.replace(/\/+$/, "");

const openaiTexts = [
  { id: "gpt-6-luna", name: "GPT-6 Luna" },
  { id: "gpt-6-sol", name: "GPT-6 Sol" },
  { id: "gpt-6-astra", name: "GPT-6 Astra" },
  { id: "gpt-6.1-sol", name: "GPT-6.1 Sol" },
  { id: "gpt-6.1-terra", name: "GPT-6.1 Terra" },
] as const;

const googleTexts = [
  { id: "gemini-3.8-flash", name: "Gemini 3.8 Flash" },
  { id: "gemini-4-argon", name: "Gemini 4 Argon" },
  { id: "gemini-4-carbon", name: "Gemini 4 Carbon" },
  { id: "gemini-4-hydrogen", name: "Gemini 4 Hydrogen" },
  { id: "gemini-3.5-flash-lite", name: "Gemini 3.5 Flash-Lite" },
] as const;

const openaiImages = [
  { id: "gpt-image-2.5-flare", name: "GPT Image 2.5 Flare" },
  { id: "gpt-image-2.6-flare", name: "GPT Image 2.6 Flare" },
  { id: "gpt-image-2.6-sunburst", name: "GPT Image 2.6 Sunburst" },
  { id: "gpt-image-2", name: "GPT Image 2" },
] as const;

const googleImages = [
  { id: "gemini-3.1-flash-image", name: "Gemini 3.1 Flash Image" },
  { id: "gemini-nano-banana-2.1", name: "Gemini Nano Banana 2.1" },
  { id: "gemini-3-pro-image", name: "Gemini 3 Pro Image" },
] as const;

const googleVideos = [
  { id: "gemini-omni-1.2-flash", name: "Gemini Omni 1.2 Flash" },
  { id: "gemini-omni-1.1-flash", name: "Gemini Omni 1.1 Flash", description: "At most 10 seconds." },
] as const;
