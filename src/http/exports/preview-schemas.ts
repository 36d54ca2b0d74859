import { z } from "zod";
import { previewQualities } from "../../domain/exports/previewer.ts";
import { Target } from "./frame-schemas.ts";

export const PreviewQuery = z.object({
  quality: z
    .enum(previewQualities)
    .optional()
    .describe("`draft` has half the width and height; by default `draft` if the request has it, else `standard`."),
  target: Target,
});
