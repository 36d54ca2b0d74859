import { z } from "zod";
import { transitionKinds } from "../../timeline/track.ts";

/**
 * What a model is asked to answer, before it is brought in line with the facts. Every field is required and may at most
 * be null, no object is open: the strict schemas of every provider take these.
 */

const DescribedScene = z.object({
  description: z.string(),
  transition: z.string().nullable(),
  text_overlay: z.string().nullable(),
  camera_movement: z.string().nullable(),
});

/** One entry for each measured scene, in their order. */
export const FilmDescription = z.object({
  overall_tone: z.string(),
  has_text_overlay: z.boolean(),
  scenes: z.array(DescribedScene),
});
export type FilmDescription = z.output<typeof FilmDescription>;

const DraftedScene = z.object({
  scene_index: z.int(),
  duration_seconds: z.number(),
  image_prompt: z.string(),
  negative_prompt: z.string(),
  video_prompt: z.string(),
  text_overlay: z.string().nullable(),
  transition: z.enum(transitionKinds),
});

export const ScenarioDraft = z.object({ scenes: z.array(DraftedScene).min(1) });
export type ScenarioDraft = z.output<typeof ScenarioDraft>;

export const StyleGuideDraft = z.object({
  style_guide: z.object({
    tone: z.string(),
    color_palette: z.array(z.string()),
    tempo: z.string(),
    camera_style: z.string(),
    brand_voice: z.string(),
    must_include: z.array(z.string()),
    must_avoid: z.array(z.string()),
  }),
  product: z.object({ name: z.string(), description: z.string(), target_audience: z.string().nullable() }).nullable(),
});
export type StyleGuideDraft = z.output<typeof StyleGuideDraft>;

export const AssetDescription = z.object({
  description: z.string().refine((text) => text.trim() !== "", "Must not be empty."),
});
