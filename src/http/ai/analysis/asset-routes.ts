import { Hono } from "hono";
import { z } from "zod";
import { describeAsset, describeAssets } from "../../../domain/ai/analysis/describe-assets.ts";
import { namedObject } from "../../../domain/shared/schemas.ts";
import { withoutRevision } from "../../../domain/shared/versioned.ts";
import type { Services } from "../../../services.ts";
import { json } from "../../answers.ts";
import type { AppEnv } from "../../app-env.ts";
import { Asset, assetView, DescribedAssets } from "../../assets/views.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { loadAsset, loadProject } from "../../middleware/load-resource.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { operationsOf } from "../../openapi.ts";
import { respondAsync } from "../../operations/respond-async.ts";
import { validate } from "../../request/validate.ts";
import { withEtag } from "../../response/etag.ts";
import { Id } from "../../schemas/common.ts";
import { fileErrors, modelErrors } from "../errors.ts";
import { modelChoice, modelHeaders, withProviderCall } from "../model-choice.ts";
import { modelResponseHeaders } from "../model-headers.ts";

const AssetBatch = namedObject("AssetBatch", { assetIds: z.array(Id).min(1).max(50) });

export const assetAnalysisRoutes = (services: Services) => {
  const canAnalyze = requireScopes("ai:analyze");
  const documented = operationsOf("AI", loadProject(services));
  return new Hono<AppEnv>()
    .post(
      "/analyze-batch",
      documented(canAnalyze, {
        id: "describeAssets",
        summary: "Describe several assets",
        about:
          "Lets a model describe up to 50 assets and saves the descriptions and where their subjects are. If one fails, the request fails; descriptions saved before it stay.",
        answers: { 200: json(DescribedAssets, "The assets with their descriptions.", modelResponseHeaders) },
        errors: [...modelErrors, ...fileErrors],
      }),
      noIdleTimeout,
      validate("json", AssetBatch),
      modelHeaders(services, "vision"),
      idempotent(services),
      respondAsync(services),
      async (c) => {
        const model = services.models.vision(modelChoice("vision", c.req.valid("header")));
        const wanted = { projectId: c.var.project.id, ...c.req.valid("json") };
        const assets = await withProviderCall(c, services, (call) => describeAssets(services, { model, call }, wanted));
        return c.json({ assets: assets.map(withoutRevision).map(assetView) }, 200);
      },
    )
    .post(
      "/:assetId/analyze",
      documented(canAnalyze, {
        id: "describeAsset",
        summary: "Describe an asset",
        about:
          "Lets a model describe an image or a video in one or two sentences and saves them as the asset's description. It also saves where the subject is, for clips with the focus `auto`.",
        answers: { 200: json(Asset, "The asset with its description.", ["ETag", ...modelResponseHeaders]) },
        errors: [...modelErrors, "asset_wrong_type", "source_unreadable"],
      }),
      loadAsset(services),
      noIdleTimeout,
      modelHeaders(services, "vision"),
      idempotent(services),
      respondAsync(services),
      async (c) => {
        const model = services.models.vision(modelChoice("vision", c.req.valid("header")));
        const { asset } = c.var;
        const described = await withProviderCall(c, services, (call) =>
          describeAsset(services, { model, call }, asset),
        );
        return c.json(assetView(withEtag(c, described)), 200);
      },
    );
};
