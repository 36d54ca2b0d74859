import { z } from "zod";
import { soundKinds } from "../../../domain/ai/models.ts";
import { LanguageTag, named, namedObject, optional, SceneIndex } from "../../../domain/shared/schemas.ts";
import { formField, Prompt, Resolution, StyleGuide, textUpTo, withDefault } from "../../schemas/common.ts";

const workIds = {
  projectId: optional(z.string()).describe(
    "Together with workId and sceneIndex: names the scene that gets the result.",
  ),
  workId: optional(z.string()),
};

const areAllOrNone = (values: readonly unknown[]) => new Set(values.map((value) => value === undefined)).size === 1;

/** Parsed before the other fields: a caller without access to the work gets 404 and no validation errors. */
export const GenerationTarget = z
  .looseObject({ ...workIds, sceneIndex: optional(z.unknown()) })
  .refine(({ projectId, workId, sceneIndex }) => areAllOrNone([projectId, workId, sceneIndex]), {
    path: ["sceneIndex"],
    message: "Name projectId, workId and sceneIndex together, or none of them.",
  });

const isNotBlank = (text: string) => text.trim() !== "";

const shot = {
  ...workIds,
  sceneIndex: optional(SceneIndex),
  prompt: Prompt.refine(isNotBlank, "Must not be empty."),
  negative_prompt: optional(Prompt).describe("What the image must not show."),
  styleGuide: optional(StyleGuide).describe("By default, the style guide of the named work's project."),
  resolution: optional(Resolution).describe(
    "Pixels, even; by default, the resolution of the named work, else 1080×1920.",
  ),
};

export const ImageRequest = namedObject("ImageGenerationRequest", {
  ...shot,
  image_instruction: optional(Prompt).describe("By default, the named work's own."),
});

export const VideoRequest = namedObject("VideoGenerationRequest", {
  ...shot,
  // may be a data URL: only the size of a JSON body limits it
  image_url: z
    .string()
    .refine(isNotBlank, "Must not be empty.")
    .describe("An internal URL, a public http or https URL, or a data URL of an image."),
  duration: optional(z.number().positive().max(600)).describe(
    "Seconds; 5 by default. The model makes the nearest duration that it can.",
  ),
  video_instruction: optional(Prompt).describe("By default, the named work's own."),
});

/** The fields that image and video requests share. */
export type ShotRequest = z.output<z.ZodObject<typeof shot>>;

const manner = {
  voice: optional(z.string().max(100)).describe(
    "One of the voices that `GET /api/providers` lists for the model; by default the first of them.",
  ),
  speed: withDefault(z.number().min(0.5).max(2), 1),
  language: optional(LanguageTag).describe(
    "The language of the text, such as en or pt-BR; by default the model decides.",
  ),
  instructions: withDefault(textUpTo(2000), "").describe("How to speak, such as `warm and unhurried`."),
  wordTimes: withDefault(z.boolean(), false).describe(
    "True: the provider transcribes the voice too, in a second call, which measures the times of the words. Otherwise they are estimated from their lengths and the pauses in the sound.",
  ),
};

/** The text of a voice of more than ten minutes. */
const maxSpeechCharacters = 10_000;

export const SpeechRequest = namedObject("SpeechGenerationRequest", {
  ...workIds,
  sceneIndex: optional(SceneIndex),
  text: textUpTo(maxSpeechCharacters)
    .refine(isNotBlank, "Must not be empty.")
    .describe("What is said. Markup such as `<laugh>` is left out."),
  ...manner,
});

export const WorkVoiceRequest = namedObject("WorkVoiceRequest", {
  sceneIndex: optional(SceneIndex).describe("Only this scene; by default every scene that has a text."),
  ...manner,
  fitScenes: withDefault(z.boolean(), false).describe(
    "True: each scene becomes as long as its voice and a short pause. Clips of the editor's track follow, if the track shows the scenes unchanged.",
  ),
  force: withDefault(z.boolean(), false).describe(
    "Speaks scenes again that already have a voice, recordings included.",
  ),
});

export const MusicRequest = namedObject("MusicGenerationRequest", {
  projectId: optional(z.string().max(200)).describe("The project that keeps the sound as an asset."),
  prompt: textUpTo(4_000).refine(isNotBlank, "Must not be empty.").describe("The sound to make."),
  seconds: z.number().min(3).max(300).describe("Seconds; the model makes the nearest duration that it can."),
  kind: withDefault(z.enum(soundKinds), "music"),
});

const soundSource = {
  projectId: optional(z.string().max(200)).describe("With assetId: the asset whose sound is transcribed."),
  assetId: optional(z.string().max(200)),
  audioUrl: optional(z.string().min(1).max(8192)).describe(
    "An internal URL of a sound or a video: an asset, a work's media, or a generated file.",
  ),
};

export const TranscriptionRequest = named(
  "TranscriptionRequest",
  z
    .object({ ...soundSource, language: optional(LanguageTag).describe("The spoken language, if known, such as en.") })
    .refine(
      ({ assetId, projectId, audioUrl }) =>
        (audioUrl === undefined) === (assetId !== undefined && projectId !== undefined),
      { path: ["audioUrl"], message: "Send either audioUrl, or projectId and assetId." },
    ),
);

export type TranscriptionRequest = z.output<typeof TranscriptionRequest>;

export const TranscriptionFields = z.object({
  language: formField(LanguageTag.or(z.literal("")))
    .optional()
    .describe("The spoken language, if known, such as `en`."),
});

/** The fields that describe the manner of speaking. */
export type MannerRequest = z.output<z.ZodObject<typeof manner>>;
