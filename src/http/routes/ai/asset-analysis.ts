import { type Context, Hono } from "hono";
import { z } from "zod";
import { describeAsset, describeAssets } from "../../../domain/ai/analysis/describe-assets.ts";
import type { ModelChoice } from "../../../domain/ai/models.ts";
import type { Services } from "../../../domain/services.ts";
import { withoutRevision } from "../../../domain/shared/versioned.ts";
import type { AppEnv } from "../../app-env.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { loadAsset, loadProject } from "../../middleware/load-resource.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { modelChoice, modelHeaders } from "../../request/model-choice.ts";
import { callOf } from "../../request/provider-call.ts";
import { Id } from "../../request/schemas.ts";
import { validate } from "../../request/validate.ts";
import { assetView } from "../../response/asset-view.ts";
import { shown } from "../../response/with-etag.ts";

const Batch = z.object({ assetIds: z.array(Id).min(1).max(50) });

const readingOf = (c: Context<AppEnv>, services: Services, choice: ModelChoice) => ({
  model: services.models.vision(choice),
  call: callOf(c, services),
});

export const assetAnalysisRoutes = (services: Services) => {
  const [may, ownParent] = [requireScopes("ai:analyze"), loadProject(services)];
  return new Hono<AppEnv>()
    .post(
      "/analyze-batch",
      may,
      ownParent,
      noIdleTimeout,
      validate("json", Batch),
      modelHeaders("vision"),
      idempotent(services),
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
      loadAsset(services),
      noIdleTimeout,
      modelHeaders("vision"),
      idempotent(services),
      async (c) => {
        const reading = readingOf(c, services, modelChoice("vision", c.req.valid("header")));
        return c.json(assetView(shown(c, await describeAsset(services, reading, c.var.asset))), 200);
      },
    );
};
