import { z } from "zod";
import { aspectRatios } from "../../domain/shared/schemas.ts";

const integer = ({ min, max }: { readonly min: number; readonly max: number }) =>
  z
    .string()
    .regex(/^\d{1,5}$/, "Must be a whole number.")
    .transform(Number)
    .pipe(z.int().min(min).max(max));

export const Target = z
  .enum(aspectRatios)
  .optional()
  .describe(
    "One of the request's options.targets; by default, the first. If the request has no targets, any aspect ratio is allowed.",
  );

/** `t` is in seconds; `width` in pixels, by default the video's own. */
export const FrameQuery = z.object({
  target: Target,
  t: z
    .string()
    .regex(/^-?(\d+\.?\d*|\.\d+)(e-?\d{1,2})?$/i, "Must be a number of seconds.")
    .transform(Number)
    .describe("Seconds on the timeline; must lie inside the video."),
  canvas: z
    .string()
    .regex(/^\d{2,4}x\d{2,4}$/, "Must be a width and a height, such as 300x250.")
    .transform((text) => text.split("x").map(Number))
    .pipe(z.tuple([z.int().min(16).max(2048), z.int().min(16).max(2048)]))
    .transform(([width, height]) => ({ width, height }))
    .optional()
    .describe("The size for which the frame is laid out, 16 to 2048 pixels a side, such as `300x250` for a banner."),
  width: integer({ min: 16, max: 4096 }).optional().describe("Pixels, 16 to 4096; by default, the video's."),
  maxSide: integer({ min: 16, max: 4096 })
    .optional()
    .describe("Pixels, 16 to 4096: shrinks the frame until its longer side is at most this long."),
});

export const ContactSheetQuery = z.object({
  target: Target,
  columns: integer({ min: 1, max: 10 }).default(4).describe("1 to 10; 4 by default."),
  rows: integer({ min: 1, max: 10 }).default(4).describe("1 to 10; 4 by default."),
});
