import { z } from "zod";
import { plainTransitionKinds } from "../../engine/timeline/track.ts";

/**
 * The output that models must return, before it is normalized. Every field is required, though it may be nullable, and
 * no object is open: the strict schema modes of all providers accept nothing else.
 */

const DescribedScene = z.object({
  description: z.string(),
  transition: z.string().nullable(),
  text_overlay: z.string().nullable(),
  camera_movement: z.string().nullable(),
});

/** One entry of `scenes` for each measured scene, in order. */
export const VideoDescription = z.object({
  overall_tone: z.string(),
  has_text_overlay: z.boolean(),
  scenes: z.array(DescribedScene),
});
export type VideoDescription = z.output<typeof VideoDescription>;

const ScenarioOutputScene = z.object({
  scene_index: z.int(),
  duration_seconds: z.number(),
  image_prompt: z.string(),
  negative_prompt: z.string(),
  video_prompt: z.string(),
  text_overlay: z.string().nullable(),
  // a scenario without this field is still complete
  voice_text: z.preprocess((text) => text ?? null, z.string().nullable()),
  transition: z.enum(plainTransitionKinds),
});

export type ScenarioOutputScene = z.output<typeof ScenarioOutputScene>;

export const ScenarioOutput = z.object({ scenes: z.array(ScenarioOutputScene).min(1) });
export type ScenarioOutput = z.output<typeof ScenarioOutput>;

export const StyleGuideOutput = z.object({
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
export type StyleGuideOutput = z.output<typeof StyleGuideOutput>;

/** The name of a text in a prompt, and of its translation in the answer. */
export const textName = (at: number): string => `text_${at + 1}`;

/** Has one field for each text: a strict schema leaves none out. */
export const TranslationOutput = (count: number) =>
  z.object(Object.fromEntries(Array.from({ length: count }, (_, at) => [textName(at), z.string()])));

/** Google's convention: top, left, bottom and right, from 0 to 1000. */
const OutputBox = z.object({ at_seconds: z.number(), box_2d: z.array(z.number()) });

export const AssetDescription = z.object({
  description: z.string().refine((text) => text.trim() !== "", "Must not be empty."),
  // a description without boxes, or with malformed ones, is still valid
  subject_boxes: z.preprocess(
    (boxes) => (Array.isArray(boxes) ? boxes.filter((box) => OutputBox.safeParse(box).success) : []),
    z.array(OutputBox),
  ),
});
export type AssetDescription = z.output<typeof AssetDescription>;

export const ProductMatch = z.object({ matches: z.boolean(), differences: z.array(z.string()) });
export type ProductMatch = z.output<typeof ProductMatch>;
