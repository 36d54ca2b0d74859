import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import { analyzeVideo } from "../../../domain/ai/analysis/analyze.ts";
import { matchProduct } from "../../../domain/ai/analysis/match-product.ts";
import { findReferences, maxReferenceAssets } from "../../../domain/ai/generation/references.ts";
import { findImage } from "../../../domain/media-sources/image-sources.ts";
import { namedObject } from "../../../domain/shared/schemas.ts";
import { workModes } from "../../../domain/works/works.ts";
import type { Services } from "../../../services.ts";
import { json } from "../../answers.ts";
import type { AppEnv } from "../../app-env.ts";
import { clientSignal } from "../../client-signal.ts";
import { idempotent } from "../../middleware/idempotency.ts";
import { noIdleTimeout } from "../../middleware/no-idle-timeout.ts";
import { requireScopes } from "../../middleware/require-scopes.ts";
import { operationsOf } from "../../openapi.ts";
import { respondAsync } from "../../operations/respond-async.ts";
import { upload } from "../../request/upload.ts";
import { validate } from "../../request/validate.ts";
import { formField, Id, Prompt } from "../../schemas/common.ts";
import { fileErrors, modelErrors, urlErrors } from "../errors.ts";
import { loadNamedProject } from "../generation/target-work.ts";
import { modelChoice, modelHeaders, withProviderCall } from "../model-choice.ts";
import { modelResponseHeaders } from "../model-headers.ts";
import { AnalysisResult, ProductMatch } from "../views.ts";

const Mode = z.enum(workModes);

/** An empty form field counts as absent. */
const EmptyMode = z.literal("").transform(() => "style_transfer" as const);

/** The text fields of the form with the uploaded video. */
const AnalysisFields = z.object({
  mode: formField(z.union([EmptyMode, Mode])).default("style_transfer"),
  analyzerPrompt: formField(Prompt).default(""),
});

const ProductMatchRequest = namedObject("ProductMatchRequest", {
  // may be a data URL: only the size of a JSON body limits it
  image_url: z
    .string()
    .refine((text) => text.trim() !== "", "Must not be empty.")
    .describe("The picture to check: an internal URL, a public http or https URL, or a data URL."),
  projectId: z.string().describe("The project of the product's pictures."),
  referenceAssetIds: z.array(Id).min(1).max(maxReferenceAssets).describe("Images of the project: the product."),
});

const documented = operationsOf("AI");

type ValidHeaders = { out: { header: Parameters<typeof modelChoice<"vision">>[1] } };

/** Throws for an unusable provider, model or key before a long upload is read. */
const requireVisionModel = ({ models }: Pick<Services, "models">) =>
  createMiddleware<AppEnv, string, ValidHeaders>(async (c, next) => {
    models.vision(modelChoice("vision", c.req.valid("header")));
    await next();
  });

export const analysisRoutes = (services: Services) =>
  new Hono<AppEnv>().route("/", videoRoute(services)).route("/", productRoute(services));

const videoRoute = (services: Services) =>
  new Hono<AppEnv>().post(
    "/",
    documented(requireScopes("ai:analyze"), {
      id: "analyzeVideo",
      summary: "Analyze a reference video",
      about:
        "Measures the cuts, the colors and the tempo of a video and lets a model describe its scenes. Nothing is saved.",
      answers: { 200: json(AnalysisResult, "The analysis.", modelResponseHeaders) },
      errors: [...modelErrors, "source_unreadable"],
    }),
    noIdleTimeout,
    modelHeaders(services, "vision"),
    requireVisionModel(services),
    upload(services, "video", AnalysisFields),
    idempotent(services),
    respondAsync(services),
    async (c) => {
      const model = services.models.vision(modelChoice("vision", c.req.valid("header")));
      const { file: received, fields } = c.req.valid("form");
      const analysis = await withProviderCall(c, services, (call) =>
        analyzeVideo(services, { model, call }, { received, ...fields }),
      );
      return c.json(analysis, 200);
    },
  );

const productRoute = (services: Services) =>
  new Hono<AppEnv>().post(
    "/product-match",
    documented(requireScopes("ai:analyze"), {
      id: "matchProduct",
      summary: "Compare a picture with a product",
      about:
        "Lets a model compare a picture with pictures of the product that it should show, and names what differs. `local` compares colors only. Nothing is saved.",
      answers: { 200: json(ProductMatch, "Whether the product is the same, and what differs.", modelResponseHeaders) },
      errors: [...modelErrors, ...fileErrors, ...urlErrors],
    }),
    noIdleTimeout,
    loadNamedProject(services),
    modelHeaders(services, "vision"),
    validate("json", ProductMatchRequest),
    idempotent(services),
    respondAsync(services),
    async (c) => {
      const model = services.models.vision(modelChoice("vision", c.req.valid("header")));
      const { image_url, referenceAssetIds: ids } = c.req.valid("json");
      const { caller, project } = c.var;
      const path = "referenceAssetIds";
      const references = await findReferences(services, { projectId: project.id, ids, path });
      const { image: picture, dispose } = await findImage(services, caller, image_url, clientSignal(c));
      try {
        const match = await withProviderCall(c, services, (call) =>
          matchProduct(services, { model, call }, { picture, references }),
        );
        return c.json(match, 200);
      } finally {
        await dispose();
      }
    },
  );
