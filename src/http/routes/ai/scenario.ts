import { Hono } from "hono";
import { z } from "zod";
import type { Brief } from "../../../domain/ai/models.ts";
import { maxFilmSeconds, maxScenes } from "../../../domain/ai/scenario/normalize.ts";
import { writeScenario } from "../../../domain/ai/scenario/scenario.ts";
import type { Services } from "../../../domain/services.ts";
import { optional } from "../../../domain/shared/schemas.ts";
import { workModes } from "../../../domain/works/works.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { modelChoice, modelHeaders } from "../../request/model-choice.ts";
import { callOf } from "../../request/provider-call.ts";
import { AnyObject, Prompt, readonlyBody, StyleGuide, textUpTo, withDefault } from "../../request/schemas.ts";
import { validate } from "../../request/validate.ts";

const Words = withDefault(textUpTo(20_000), "");

const Intent = z.object({
  mode: z.enum(workModes, `Must be one of ${workModes.join(", ")}.`),
  product_name: Words,
  product_description: Words,
  target_audience: Words,
  language: withDefault(textUpTo(200), ""),
  video_duration: optional(z.number().positive().max(maxFilmSeconds)),
  scene_count: optional(z.int().min(1).max(maxScenes)),
});

const ScenarioRequest = readonlyBody(
  z.object({
    intent: Intent,
    analysis: AnyObject.nullish(),
    systemPrompt: withDefault(Prompt, ""),
    knowledge: withDefault(Prompt, ""),
    styleGuide: StyleGuide.nullish(),
  }),
);

type Asked = Pick<z.output<typeof ScenarioRequest>, "intent" | "analysis" | "styleGuide">;

const briefOf = ({ intent, analysis, styleGuide }: Asked): Brief => ({
  mode: intent.mode,
  productName: intent.product_name,
  productDescription: intent.product_description,
  targetAudience: intent.target_audience,
  language: intent.language,
  ...(intent.video_duration !== undefined && { videoDurationSeconds: intent.video_duration }),
  ...(intent.scene_count !== undefined && { sceneCount: intent.scene_count }),
  ...(styleGuide && { styleGuide }),
  ...(analysis && { analysis }),
});

export const scenarioRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/",
    requireScopes("ai:generate"),
    noIdleTimeout,
    validate("json", ScenarioRequest),
    modelHeaders("llm"),
    idempotent(services),
    async (c) => {
      const model = services.models.llm(modelChoice("llm", c.req.valid("header")));
      const { systemPrompt, knowledge, ...asked } = c.req.valid("json");
      const writing = { model, call: callOf(c, services) };
      const scenes = await writeScenario(writing, { brief: briefOf(asked), systemPrompt, knowledge });
      return c.json({ scenes }, 200);
    },
  );
