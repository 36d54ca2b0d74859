import { Hono } from "hono";
import { z } from "zod";
import type { Brief } from "../../../domain/ai/models.ts";
import { maxScenes, maxVideoSeconds } from "../../../domain/ai/scenario/normalize.ts";
import { writeScenario } from "../../../domain/ai/scenario/scenario.ts";
import { named, namedObject, optional } from "../../../domain/shared/schemas.ts";
import { workModes } from "../../../domain/works/works.ts";
import { withoutUndefined } from "../../../platform/values.ts";
import type { Services } from "../../../services.ts";
import { json } from "../../answers.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { operationsOf } from "../../openapi.ts";
import { respondAsync } from "../../operations/respond-async.ts";
import { validate } from "../../request/validate.ts";
import { Prompt, StyleGuide, textUpTo, withDefault } from "../../schemas/common.ts";
import { AnyObject, readonlyBody } from "../../schemas/objects.ts";
import { modelErrors } from "../errors.ts";
import { modelChoice, modelHeaders, withProviderCall } from "../model-choice.ts";
import { modelResponseHeaders } from "../model-headers.ts";
import { Scenario } from "../views.ts";

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

const ScenarioRequest = named(
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

type ScenarioRequest = z.output<typeof ScenarioRequest>;

const documented = operationsOf("AI");

export const scenarioRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/",
    documented(requireScopes("ai:generate"), {
      id: "writeScenario",
      summary: "Write a scenario",
      about:
        "Writes the scenes of a video from a brief. Nothing is saved; the durations add up to `video_duration`, if given.",
      answers: { 200: json(Scenario, "The scenes.", modelResponseHeaders) },
      errors: modelErrors,
    }),
    noIdleTimeout,
    validate("json", ScenarioRequest),
    modelHeaders(services, "llm"),
    idempotent(services),
    respondAsync(services),
    async (c) => {
      const model = services.models.llm(modelChoice("llm", c.req.valid("header")));
      const { systemPrompt, knowledge, ...briefFields } = c.req.valid("json");
      const scenes = await withProviderCall(c, services, (call) =>
        writeScenario({ model, call }, { brief: briefOf(briefFields), systemPrompt, knowledge }),
      );
      return c.json({ scenes }, 200);
    },
  );

type BriefFields = Pick<ScenarioRequest, "intent" | "analysis" | "styleGuide">;

const briefOf = ({ intent, analysis, styleGuide }: BriefFields): Brief => ({
  mode: intent.mode,
  productName: intent.product_name,
  productDescription: intent.product_description,
  targetAudience: intent.target_audience,
  language: intent.language,
  ...withoutUndefined({ videoDurationSeconds: intent.video_duration, sceneCount: intent.scene_count }),
  ...withoutUndefined({ styleGuide: styleGuide ?? undefined, analysis: analysis ?? undefined }),
});
