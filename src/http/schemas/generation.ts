import { z } from "zod";
import { optional, SceneIndex } from "../../domain/shared/schemas.ts";
import { Prompt, Resolution, StyleGuide } from "./common.ts";

const workIds = { projectId: optional(z.string()), workId: optional(z.string()) };

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
  negative_prompt: optional(Prompt),
  styleGuide: optional(StyleGuide),
  resolution: optional(Resolution),
};

export const ImageRequest = z.object({ ...shot, image_instruction: optional(Prompt) });

export const VideoRequest = z.object({
  ...shot,
  // may be a data URL: only the size of a JSON body limits it
  image_url: z.string().refine(isNotBlank, "Must not be empty."),
  duration: optional(z.number().positive().max(600)),
  video_instruction: optional(Prompt),
});

/** The fields that image and video requests have in common. */
export type ShotRequest = z.output<z.ZodObject<typeof shot>>;
