import { z } from "zod";
import { transitionKinds } from "../../timeline/track.ts";
import { parseColor } from "./colors.ts";

/** Shapes that hold both for what a body says and for what an editor saved long ago. */

/** Editors send null for what is not set: inside a nested object that is the same as leaving it out. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullable()
    .transform((value) => value ?? undefined)
    .optional();

/** Stored as it was written. */
export const CssColor = z
  .string()
  .max(200)
  .refine((text) => parseColor(text) !== undefined, "Must be a CSS color, such as #ff8800, rgb(255 136 0) or orange.");

/** A place, or a distance from one. */
export const Pixels = z.number().min(-16_384).max(16_384);
/** How long a side of something on the picture is, in pixels. */
export const Length = z.number().positive().max(16_384);
export const FontSize = z.number().min(1).max(1000);
export const Degrees = z.number().min(-36_000).max(36_000);
export const Opacity = z.number().min(0).max(1);
export const Volume = z.number().min(0).max(4);
export const Transition = z.enum(transitionKinds, { error: `Must be one of: ${transitionKinds.join(", ")}.` });
export const SceneIndex = z.int().min(0).max(499);

/** Of a picture: video is coded in pairs of pixels. */
export const longestSide = 4096;
export const Side = z.int().min(16).max(longestSide).multipleOf(2);
export const FramesPerSecond = z.number().min(1).max(120);
