import { type Context, Hono } from "hono";
import { z } from "zod";
import { describeAsset, describeAssets } from "../../domain/asset-analysis.ts";
import type { ModelChoice } from "../../domain/models.ts";
import type { Services } from "../../domain/services.ts";
import { withoutRevision } from "../../domain/versioned.ts";
import type { AppEnv } from "../app-env.ts";
import { assetView } from "../asset-view.ts";
import { answeredOnce } from "../middleware/answered-once.ts";
import { needs } from "../middleware/needs.ts";
import { ownAsset, ownProject } from "../middleware/owned.ts";
import { unhurried } from "../middleware/unhurried.ts";
import { modelChoice, modelHeaders } from "../model-choice.ts";
import { callOf } from "../provider-call.ts";
import { Id } from "../schemas.ts";
import { shown } from "../shown.ts";
import { validate } from "../validate.ts";

const Batch = z.object({ assetIds: z.array(Id).min(1).max(50) });

const readingOf = (c: Context<AppEnv>, services: Services, choice: ModelChoice) => ({
  model: services.models.vision(choice),
  call: callOf(c, services),
});

export const assetAnalysisRoutes = (services: Services) => {
  const [may, ownParent] = [needs("ai:analyze"), ownProject(services)];
  return new Hono<AppEnv>()
    .post(
      "/analyze-batch",
      may,
      ownParent,
      unhurried,
      validate("json", Batch),
      modelHeaders("vision"),
      answeredOnce(services),
      async (c) => {
        const reading = readingOf(c, services, modelChoice("vision", c.req.valid("header")));
        const { assetIds } = c.req.valid("json");
        const assets = await describeAssets(services, reading, { projectId: c.var.project.id, assetIds });
        return c.json({ assets: assets.map(withoutRevision).map(assetView) }, 200);
      },
    )
    .post(
      "/:assetId/analyze",
      may,
      ownParent,
      ownAsset(services),
      unhurried,
      modelHeaders("vision"),
      answeredOnce(services),
      async (c) => {
        const reading = readingOf(c, services, modelChoice("vision", c.req.valid("header")));
        return c.json(assetView(shown(c, await describeAsset(services, reading, c.var.asset))), 200);
      },
    );
};
