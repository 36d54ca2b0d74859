import { z } from "zod";
import { named, optional, SceneIndex } from "../../domain/shared/schemas.ts";
import { Prompt, Resolution, StyleGuide } from "./common.ts";

const workIds = {
  projectId: optional(z.string()).describe("With workId and sceneIndex: the scene that gets the result."),
  workId: optional(z.string()),
};

const areAllOrNone = (values: readonly unknown[]) => new Set(values.map((value) => value === undefined)).size === 1;

/**
 * The scene that the result is stored in, if the body names one. Parsed before the other fields, so that a caller
 * without access to the work gets 404 and no validation errors.
 */
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
  negative_prompt: optional(Prompt).describe("What must not be seen."),
  styleGuide: optional(StyleGuide).describe("By default that of the named work's project."),
  resolution: optional(Resolution).describe("Pixels, even; by default that of the named work, else 1080×1920."),
};

export const ImageRequest = named(
  "ImageGenerationRequest",
  z.object({ ...shot, image_instruction: optional(Prompt).describe("By default that of the named work.") }),
);

export const VideoRequest = named(
  "VideoGenerationRequest",
  z.object({
    ...shot,
    // may be a data URL: only the size of a JSON body limits it
    image_url: z
      .string()
      .refine(isNotBlank, "Must not be empty.")
      .describe("An internal URL, a public http or https URL, or a data URL of an image."),
    duration: optional(z.number().positive().max(600)).describe(
      "Seconds; 5 by default. The model makes the nearest that it can.",
    ),
    video_instruction: optional(Prompt).describe("By default that of the named work."),
  }),
);

/** The fields that image and video requests have in common. */
export type ShotRequest = z.output<z.ZodObject<typeof shot>>;
