import { Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { type Logger, pino } from "pino";
import { readStudio } from "../studio/build.ts";
import { providerKeyRoutes } from "./http/accounts/provider-key-routes.ts";
import { authRoutes } from "./http/accounts/routes.ts";
import { tokenRoutes } from "./http/accounts/token-routes.ts";
import { assetAnalysisRoutes } from "./http/ai/analysis/asset-routes.ts";
import { analysisRoutes } from "./http/ai/analysis/routes.ts";
import { generationRoutes } from "./http/ai/generation/routes.ts";
import { workGenerationRoutes } from "./http/ai/generation/work-routes.ts";
import { musicRoutes } from "./http/ai/music/routes.ts";
import { providerRoutes } from "./http/ai/provider-routes.ts";
import { scenarioRoutes } from "./http/ai/scenario/routes.ts";
import { workScenarioRoutes } from "./http/ai/scenario/work-routes.ts";
import { speechRoutes } from "./http/ai/speech/routes.ts";
import { workVoiceRoutes } from "./http/ai/speech/work-routes.ts";
import { styleGuideRoutes } from "./http/ai/style-guide/routes.ts";
import { transcriptionRoutes } from "./http/ai/transcription/routes.ts";
import type { AppEnv, BodyLimits } from "./http/app-env.ts";
import { assetRoutes } from "./http/assets/routes.ts";
import { batchRoutes } from "./http/batches/routes.ts";
import { type CallRoute, routeCalls } from "./http/call-route.ts";
import { creatomateRoutes } from "./http/compatible/creatomate.ts";
import { shotstackRoutes } from "./http/compatible/shotstack.ts";
import { deliveryRoutes, destinationRoutes } from "./http/destinations/routes.ts";
import { docsRoutes, documentReader, documentRoutes } from "./http/docs/routes.ts";
import { captionRoutes, exportCaptionRoutes } from "./http/exports/caption-routes.ts";
import { frameRoutes, workFrameRoutes } from "./http/exports/frame-routes.ts";
import { previewRoutes, workPreviewRoutes } from "./http/exports/preview-routes.ts";
import { exportJobRoutes, exportRoutes } from "./http/exports/routes.ts";
import { exportValidationRoutes } from "./http/exports/validation-routes.ts";
import { exportWebhookRoutes } from "./http/exports/webhook-routes.ts";
import { mediaRoutes } from "./http/files/routes.ts";
import { filmRoutes } from "./http/films/routes.ts";
import { checkRoutes, exportCheckRoutes } from "./http/gate/routes.ts";
import { type MetricsPage, metricsRoutes } from "./http/health/metrics-page.ts";
import { healthRoutes } from "./http/health/routes.ts";
import { homeRoutes } from "./http/home/routes.ts";
import { budgetRoutes, priceRoutes, spendRoutes } from "./http/ledger/routes.ts";
import { projectLookRoutes } from "./http/looks/project-routes.ts";
import { lookRoutes } from "./http/looks/routes.ts";
import { mcpRoutes } from "./http/mcp/route.ts";
import { crossOrigin } from "./http/middleware/cross-origin.ts";
import { identity } from "./http/middleware/identity.ts";
import { measureRequests } from "./http/middleware/measure-requests.ts";
import { responseHeaders } from "./http/middleware/response-headers.ts";
import { trackRoute } from "./http/middleware/routes-in-flight.ts";
import { originOfRequests } from "./http/middleware/trace-requests.ts";
import { motionRoutes } from "./http/motion/routes.ts";
import {
  type DeferredRequests,
  deferRequests,
  noDeferredRequests,
  requestSignals,
} from "./http/operations/respond-async.ts";
import { operationRoutes } from "./http/operations/routes.ts";
import { projectRoutes } from "./http/projects/routes.ts";
import { provenanceRoutes } from "./http/provenance/routes.ts";
import { bodyLimits, limitBodies } from "./http/request/body-limits.ts";
import { clientAddress } from "./http/request/client-address.ts";
import { pageCookie } from "./http/request/page-cookie.ts";
import { errorHandler } from "./http/response/error-response.ts";
import { eventStreamSlots } from "./http/response/event-stream.ts";
import { requestLog } from "./http/response/log.ts";
import { notFoundHandler } from "./http/response/not-found.ts";
import { reviewLinkRoutes } from "./http/reviews/link-routes.ts";
import { reviewRoutes } from "./http/reviews/routes.ts";
import { bedRoutes, effectRoutes } from "./http/sounds/routes.ts";
import { stockAssetRoutes, stockRoutes } from "./http/stock/routes.ts";
import { studioRoutes } from "./http/studio/routes.ts";
import { templateLibraryRoutes } from "./http/templates/library-routes.ts";
import { templateRoutes } from "./http/templates/routes.ts";
import { templateSharingRoutes } from "./http/templates/sharing-routes.ts";
import { timelineRoutes } from "./http/timelines/routes.ts";
import { usageRoutes } from "./http/usage/routes.ts";
import { workMediaRoutes } from "./http/works/media-routes.ts";
import { workRoutes } from "./http/works/routes.ts";
import { once } from "./platform/async.ts";
import type { Services } from "./services.ts";

type AppOptions = {
  readonly log?: Logger;
  readonly corsOrigins?: readonly string[];
  readonly trustedProxies?: readonly string[];
  readonly deferredRequests?: DeferredRequests;
  /** The base URL for callers; by default, the request's. */
  readonly publicUrl?: string;
  /** The origin of stored files for browsers, if this service does not send them itself. */
  readonly filesUrl?: string | undefined;
  /** Other services whose clients are served at their paths. */
  readonly compatibleApis?: readonly ("shotstack" | "creatomate")[];
  /** Served at /metrics to callers with the token. */
  readonly metrics?: { readonly page: MetricsPage; readonly token: string };
  /** Tests shorten the periods. */
  readonly bodyLimits?: BodyLimits;
};

const silentLogger = () => pino({ level: "silent" });

/** The whole HTTP surface: middleware of every request, then the route groups. */
export function createApp(services: Services, options: AppOptions = {}) {
  const { log = silentLogger(), corsOrigins = [], trustedProxies = [] } = options;
  const { deferredRequests = noDeferredRequests, bodyLimits: limits = bodyLimits } = options;
  const addressOf = clientAddress(trustedProxies);
  const takeStreamSlot = eventStreamSlots();
  const cookie = pageCookie(options.publicUrl);
  const callsOfApp = once((): CallRoute => routeCalls(app, ofConnection));
  const callRoute: CallRoute = (c, call) => callsOfApp()(c, call);
  const ofConnection = [responseHeaders, crossOrigin(corsOrigins), deferRequests(callRoute, deferredRequests)];
  // Hono's other routers build their matcher at the first request, and fall back to this one
  const app = new Hono<AppEnv>({ router: new TrieRouter() })
    .onError(errorHandler)
    .use(trackRoute)
    .use(measureRequests(services.telemetry.metrics))
    .use(originOfRequests(services.telemetry.tracing))
    .use(requestLog(log))
    .use(...ofConnection)
    .use(requestSignals(deferredRequests))
    .use(limitBodies(limits, addressOf))
    .use(identity(services, cookie))
    .route("/api", healthRoutes(services))
    .route("/api/auth", authRoutes(services, addressOf, cookie))
    .route("/api/auth/provider-keys", providerKeyRoutes(services))
    .route("/api/tokens", tokenRoutes(services))
    .route("/api/projects", projectRoutes(services))
    .route("/api/projects/:projectId/assets", assetRoutes(services))
    .route("/api/projects/:projectId/assets", assetAnalysisRoutes(services))
    .route("/api/projects/:projectId/assets", stockAssetRoutes(services))
    .route("/api/projects/:projectId/templates", templateRoutes(services))
    .route("/api/projects/:projectId/templates", templateSharingRoutes(services))
    .route("/api/template-library", templateLibraryRoutes(services))
    .route("/api/projects/:projectId/works", workRoutes(services))
    .route("/api/projects/:projectId/works", workScenarioRoutes(services))
    .route("/api/projects/:projectId/works", workGenerationRoutes(services))
    .route("/api/projects/:projectId/works", workVoiceRoutes(services))
    .route("/api/projects/:projectId/works/:workId/media", workMediaRoutes(services))
    .route("/api/projects/:projectId/works", workFrameRoutes(services))
    .route("/api/projects/:projectId/works", workPreviewRoutes(services))
    .route("/api/projects/:projectId/works", reviewRoutes(services))
    .route("/api/projects/:projectId/looks", projectLookRoutes(services))
    .route("/api/projects/:projectId/destinations", destinationRoutes(services))
    .route("/api/projects/:projectId/films", filmRoutes(services, takeStreamSlot))
    .route("/api/projects/:projectId/batches", batchRoutes(services, takeStreamSlot))
    .route("/api/export", exportRoutes(services))
    .route("/api/export", frameRoutes(services))
    .route("/api/export", previewRoutes(services))
    .route("/api/export", exportValidationRoutes(services))
    .route("/api/export", checkRoutes(services))
    .route("/api/exports", exportJobRoutes(services, takeStreamSlot))
    .route("/api/exports", exportCaptionRoutes(services))
    .route("/api/exports", exportWebhookRoutes(services))
    .route("/api/exports", deliveryRoutes(services))
    .route("/api/exports", provenanceRoutes(services))
    .route("/api/exports", exportCheckRoutes(services))
    .route("/api/exports", timelineRoutes(services))
    .route("/api/motion", motionRoutes(services))
    .route("/api/looks", lookRoutes(services))
    .route("/api/beds", bedRoutes(services))
    .route("/api/effects", effectRoutes(services))
    .route("/api/captions", captionRoutes(services))
    .route("/api/analyze", analysisRoutes(services))
    .route("/api/scenario", scenarioRoutes(services))
    .route("/api/generate", generationRoutes(services))
    .route("/api/generate", speechRoutes(services))
    .route("/api/generate", musicRoutes(services))
    .route("/api/transcribe", transcriptionRoutes(services))
    .route("/api/style-guide", styleGuideRoutes(services))
    .route("/api/providers", providerRoutes(services))
    .route("/api/stock", stockRoutes(services))
    .route("/api/reviews", reviewLinkRoutes(services, addressOf))
    .route("/api/operations", operationRoutes(services))
    .route("/api/usage", usageRoutes(services))
    .route("/api/prices", priceRoutes(services))
    .route("/api/spend", spendRoutes(services))
    .route("/api/projects", budgetRoutes(services))
    .route("/api/media", mediaRoutes(services))
    .route("/docs", docsRoutes());

  if (options.metrics) app.route("/metrics", metricsRoutes(options.metrics.page, options.metrics.token));
  const compatible = { callRoute, publicUrl: options.publicUrl };
  for (const name of options.compatibleApis ?? []) {
    if (name === "shotstack") app.route("/edit/v1", shotstackRoutes(services, compatible));
    else
      for (const version of [1, 2] as const) app.route(`/v${version}`, creatomateRoutes(services, compatible, version));
  }
  app.route("/", homeRoutes());
  app.route("/studio", studioRoutes(readStudio, options.filesUrl));
  const readDocument = documentReader(app);
  app.route("/", documentRoutes(readDocument));
  app.route("/mcp", mcpRoutes(services, { callRoute, readDocument, publicUrl: options.publicUrl, corsOrigins }));
  app.notFound(notFoundHandler(app));
  return app;
}
