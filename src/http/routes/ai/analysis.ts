import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { analyzeVideo } from "../../../domain/ai/analysis/analyze.ts";
import type { Services } from "../../../domain/services.ts";
import { json } from "../../answers.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { respondAsync } from "../../middleware/operations.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { operationsOf } from "../../openapi.ts";
import { modelChoice, modelHeaders, providerCallFor } from "../../request/model-choice.ts";
import { upload } from "../../request/upload.ts";
import { AnalysisFields } from "../../schemas/analysis.ts";
import { AnalysisResult } from "../../schemas/responses/ai.ts";
import { modelErrors } from "./errors.ts";

const documented = operationsOf("AI");

type ValidHeaders = { out: { header: Parameters<typeof modelChoice<"vision">>[1] } };

/** Throws for an unusable provider, model or key before a long upload is read. */
const requireVisionModel = ({ models }: Pick<Services, "models">) =>
  createMiddleware<AppEnv, string, ValidHeaders>(async (c, next) => {
    models.vision(modelChoice("vision", c.req.valid("header")));
    await next();
  });

export const analysisRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/",
    documented(requireScopes("ai:analyze"), {
      id: "analyzeVideo",
      summary: "Analyze a reference video",
      about:
        "Measures the cuts, the colors and the tempo of a video and lets a model describe its scenes. Nothing is saved.",
      answers: { 200: json(AnalysisResult, "The analysis.") },
      errors: [...modelErrors, "source_unreadable"],
    }),
    noIdleTimeout,
    modelHeaders("vision"),
    requireVisionModel(services),
    upload(services, "video", AnalysisFields),
    idempotent(services),
    respondAsync(services),
    async (c) => {
      const model = services.models.vision(modelChoice("vision", c.req.valid("header")));
      const { file: received, fields } = c.req.valid("form");
      const context = { model, call: providerCallFor(c, services) };
      return c.json(await analyzeVideo(services, context, { received, ...fields }), 200);
    },
  );
