import { Hono } from "hono";
import { type Logger, pino } from "pino";
import type { Services } from "./domain/services.ts";
import type { AppEnv, BodyLimits } from "./http/app-env.ts";
import { homeRoutes } from "./http/home/routes.ts";
import { mcpRoutes } from "./http/mcp/route.ts";
import { crossOrigin } from "./http/middleware/cross-origin.ts";
import { identity } from "./http/middleware/identity.ts";
import {
  type DeferredRequests,
  type Dispatch,
  deferRequests,
  noDeferredRequests,
} from "./http/middleware/operations.ts";
import { responseHeaders } from "./http/middleware/response-headers.ts";
import { trackRoute } from "./http/middleware/routes-in-flight.ts";
import { measureRequests } from "./http/monitoring/measure-requests.ts";
import { type MetricsPage, metricsRoutes } from "./http/monitoring/metrics-page.ts";
import { originOfRequests } from "./http/monitoring/trace-requests.ts";
import { bodyLimits, limitBodies } from "./http/request/body-limits.ts";
import { clientAddress } from "./http/request/client-address.ts";
import { errorHandler } from "./http/response/error-response.ts";
import { requestLog } from "./http/response/log.ts";
import { notFoundHandler } from "./http/response/not-found.ts";
import { SegmentRouter } from "./http/router.ts";
import { analysisRoutes } from "./http/routes/ai/analysis.ts";
import { assetAnalysisRoutes } from "./http/routes/ai/asset-analysis.ts";
import { generationRoutes } from "./http/routes/ai/generation.ts";
import { scenarioRoutes } from "./http/routes/ai/scenario.ts";
import { speechRoutes } from "./http/routes/ai/speech.ts";
import { styleGuideRoutes } from "./http/routes/ai/style-guides.ts";
import { transcriptionRoutes } from "./http/routes/ai/transcription.ts";
import { workGenerationRoutes } from "./http/routes/ai/work-generation.ts";
import { workScenarioRoutes } from "./http/routes/ai/work-scenario.ts";
import { workVoiceRoutes } from "./http/routes/ai/work-voice.ts";
import { assetRoutes } from "./http/routes/assets.ts";
import { authRoutes } from "./http/routes/auth.ts";
import { docsRoutes, documentReader, documentRoutes } from "./http/routes/docs.ts";
import { captionRoutes, exportCaptionRoutes } from "./http/routes/exports/captions.ts";
import { exportJobRoutes, exportRoutes } from "./http/routes/exports/exports.ts";
import { frameRoutes, workFrameRoutes } from "./http/routes/exports/frames.ts";
import { exportValidationRoutes } from "./http/routes/exports/validation.ts";
import { exportWebhookRoutes } from "./http/routes/exports/webhooks.ts";
import { healthRoutes } from "./http/routes/health.ts";
import { mediaRoutes } from "./http/routes/media.ts";
import { operationRoutes } from "./http/routes/operations.ts";
import { projectRoutes } from "./http/routes/projects.ts";
import { providerRoutes } from "./http/routes/providers.ts";
import { templateLibraryRoutes } from "./http/routes/templates/library.ts";
import { templateSharingRoutes } from "./http/routes/templates/sharing.ts";
import { templateRoutes } from "./http/routes/templates/templates.ts";
import { tokenRoutes } from "./http/routes/tokens.ts";
import { usageRoutes } from "./http/routes/usage.ts";
import { workMediaRoutes } from "./http/routes/work-media.ts";
import { workRoutes } from "./http/routes/works.ts";

export type AppOptions = {
  readonly log?: Logger;
  readonly corsOrigins?: readonly string[];
  readonly trustedProxies?: readonly string[];
  readonly deferredRequests?: DeferredRequests;
  /** The address that callers use; by default that of a request. */
  readonly publicUrl?: string;
  /** Served at /metrics to those who know the token. */
  readonly metrics?: { readonly page: MetricsPage; readonly token: string };
  /** Tests shorten the periods. */
  readonly bodyLimits?: BodyLimits;
};

const silentLogger = () => pino({ level: "silent" });

/** The whole HTTP surface: the middleware of every request, then the route groups. */
export function createApp(services: Services, options: AppOptions = {}) {
  const { log = silentLogger(), corsOrigins = [], trustedProxies = [] } = options;
  const { deferredRequests = noDeferredRequests, bodyLimits: limits = bodyLimits } = options;
  const addressOf = clientAddress(trustedProxies);
  const dispatch: Dispatch = (request, env) => app.fetch(request, env);
  const app = new Hono<AppEnv>({ router: new SegmentRouter() })
    .onError(errorHandler)
    .use(trackRoute)
    .use(measureRequests(services.telemetry.metrics))
    .use(originOfRequests(services.telemetry.tracing))
    .use(requestLog(log))
    .use(responseHeaders)
    .use(crossOrigin(corsOrigins))
    .use(deferRequests(dispatch, deferredRequests))
    .use(limitBodies(limits, addressOf))
    .use(identity(services))
    .route("/api", healthRoutes(services))
    .route("/api/auth", authRoutes(services, addressOf))
    .route("/api/tokens", tokenRoutes(services))
    .route("/api/projects", projectRoutes(services))
    .route("/api/projects/:projectId/assets", assetRoutes(services))
    .route("/api/projects/:projectId/assets", assetAnalysisRoutes(services))
    .route("/api/projects/:projectId/templates", templateRoutes(services))
    .route("/api/projects/:projectId/templates", templateSharingRoutes(services))
    .route("/api/template-library", templateLibraryRoutes(services))
    .route("/api/projects/:projectId/works", workRoutes(services))
    .route("/api/projects/:projectId/works", workScenarioRoutes(services))
    .route("/api/projects/:projectId/works", workGenerationRoutes(services))
    .route("/api/projects/:projectId/works", workVoiceRoutes(services))
    .route("/api/projects/:projectId/works/:workId/media", workMediaRoutes(services))
    .route("/api/projects/:projectId/works", workFrameRoutes(services))
    .route("/api/export", exportRoutes(services))
    .route("/api/export", frameRoutes(services))
    .route("/api/export", exportValidationRoutes(services))
    .route("/api/exports", exportJobRoutes(services))
    .route("/api/exports", exportCaptionRoutes(services))
    .route("/api/exports", exportWebhookRoutes(services))
    .route("/api/captions", captionRoutes(services))
    .route("/api/analyze", analysisRoutes(services))
    .route("/api/scenario", scenarioRoutes(services))
    .route("/api/generate", generationRoutes(services))
    .route("/api/generate", speechRoutes(services))
    .route("/api/transcribe", transcriptionRoutes(services))
    .route("/api/style-guide", styleGuideRoutes(services))
    .route("/api/providers", providerRoutes(services))
    .route("/api/operations", operationRoutes(services))
    .route("/api/usage", usageRoutes(services))
    .route("/api/media", mediaRoutes(services))
    .route("/docs", docsRoutes());

  if (options.metrics) app.route("/metrics", metricsRoutes(options.metrics.page, options.metrics.token));
  app.route("/", homeRoutes());
  const readDocument = documentReader(app);
  app.route("/", documentRoutes(readDocument));
  app.route("/mcp", mcpRoutes(services, { dispatch, readDocument, publicUrl: options.publicUrl, corsOrigins }));
  app.notFound(notFoundHandler(app));
  return app;
}
