import { z } from "zod";
import { maxReferenceAssets } from "../../../domain/ai/generation/references.ts";
import { namedObject } from "../../../domain/shared/schemas.ts";
import { workModes } from "../../../domain/works/works.ts";
import { formField, Id, Prompt } from "../../schemas/common.ts";

const Mode = z.enum(workModes);

/** An empty form field counts as absent. */
const EmptyMode = z.literal("").transform(() => "style_transfer" as const);

/** The text fields of the form with the uploaded video. */
export const AnalysisFields = z.object({
  mode: formField(z.union([EmptyMode, Mode])).default("style_transfer"),
  analyzerPrompt: formField(Prompt).default(""),
});

export const ProductMatchRequest = namedObject("ProductMatchRequest", {
  // may be a data URL: only the size of a JSON body limits it
  image_url: z
    .string()
    .refine((text) => text.trim() !== "", "Must not be empty.")
    .describe("The picture to check: an internal URL, a public http or https URL, or a data URL."),
  projectId: z.string().describe("The project of the product's pictures."),
  referenceAssetIds: z.array(Id).min(1).max(maxReferenceAssets).describe("Images of the project: the product."),
});
