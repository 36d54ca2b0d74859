import { z } from "zod";
import { workModes } from "../../domain/works/works.ts";
import { formField, Prompt } from "./common.ts";

const Mode = z.enum(workModes);

/** An empty form field counts as absent. */
const EmptyMode = z.literal("").transform(() => "style_transfer" as const);

/** The text fields of the form with the uploaded video. */
export const AnalysisFields = z.object({
  mode: formField(z.union([EmptyMode, Mode])).default("style_transfer"),
  analyzerPrompt: formField(Prompt).default(""),
});
