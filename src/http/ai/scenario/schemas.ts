import { z } from "zod";
import { maxScenes, maxVideoSeconds } from "../../../domain/ai/scenario/normalize.ts";
import { named, namedObject, optional } from "../../../domain/shared/schemas.ts";
import { workModes } from "../../../domain/works/works.ts";
import { Prompt, StyleGuide, textUpTo, withDefault } from "../../schemas/common.ts";
import { AnyObject, readonlyBody } from "../../schemas/objects.ts";

const Text = withDefault(textUpTo(20_000), "");

const Intent = namedObject("ScenarioIntent", {
  mode: z.enum(workModes),
  product_name: Text,
  product_description: Text,
  target_audience: Text,
  language: withDefault(textUpTo(200), ""),
  video_duration: optional(z.number().positive().max(maxVideoSeconds)).describe("Seconds of the whole video."),
  scene_count: optional(z.int().min(1).max(maxScenes)),
});

export const ScenarioRequest = named(
  "ScenarioRequest",
  readonlyBody(
    z.object({
      intent: Intent,
      analysis: AnyObject.nullish().describe("The analysis of a reference video."),
      systemPrompt: withDefault(Prompt, ""),
      knowledge: withDefault(Prompt, ""),
      styleGuide: StyleGuide.nullish(),
    }),
  ),
);

export type ScenarioRequest = z.output<typeof ScenarioRequest>;
