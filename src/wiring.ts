import { join } from "node:path";
import { type ProviderOptions, providerModels } from "./ai/providers.ts";
import { type Category, categories, type Models, providerNames } from "./domain/ai/models.ts";
import type { RateLimiter } from "./domain/auth/rate-limit.ts";
import type { ExportState } from "./domain/exports/jobs.ts";
import type { RenderCache } from "./domain/exports/renderer.ts";
import { endEvent } from "./domain/exports/view.ts";
import type { ProjectCaches } from "./domain/projects/projects.ts";
import type { Services } from "./domain/services.ts";
import type { Settings } from "./domain/shared/settings.ts";
import { noTelemetry, type Telemetry } from "./domain/telemetry/telemetry.ts";
import type { Environment } from "./env.ts";
import { internalUrls } from "./http/internal-urls.ts";
import { ffmpegVideoAnalyzer } from "./media/analysis/video-analyzer.ts";
import { type CanvasProcesses, canvasProcesses } from "./media/canvas/processes.ts";
import { entryPoints } from "./media/entries/build.ts";
import { segmentDecoder } from "./media/ffmpeg/segment-decoder.ts";
import { ffmpegFrameRenderer } from "./media/frames/renderer.ts";
import { ffmpegInspector } from "./media/inspect/inspect.ts";
import { localGenerator } from "./media/local/generator.ts";
import { halfSizeCopies } from "./media/prepared/half-size.ts";
import { preparedMedia } from "./media/prepared/prepared.ts";
import { ffmpegRenderer } from "./media/render/renderer.ts";
import { ffmpegSoundTools } from "./media/speech/sound-tools.ts";
import { textMeasurer } from "./media/text/measurer.ts";
import { templateDrawer } from "./media/thumbnails/template-drawer.ts";
import { ssrfGuardedFetcher } from "./media/web/fetcher.ts";
import { pageReader } from "./media/web/page-reader.ts";
import { countExport, observedCache, observedUsage, observedWebhooks } from "./observability/observed-ports.ts";
import { readiness } from "./platform/readiness.ts";
import type { Resources } from "./resources.ts";
import { argonPasswords } from "./security/argon-passwords.ts";
import { jwtAccessTokens } from "./security/jwt-access-tokens.ts";
import { secretBox } from "./security/secret-box.ts";
import { hmacSignedLinks } from "./security/signed-links.ts";
import type { Database, DatabaseHandle } from "./storage/database/database.ts";
import { rateLimiter } from "./storage/database/rate-limiter.ts";
import { requestLimiter } from "./storage/database/request-limiter.ts";
import { storageUsageStore } from "./storage/database/storage-usage.ts";
import type { ExportLimits } from "./storage/exports/admission.ts";
import { exportChanges } from "./storage/exports/change-feed.ts";
import { type WebhookOutbox, webhookOutbox } from "./storage/exports/outbox.ts";
import { runStore } from "./storage/exports/runs.ts";
import { exportStates } from "./storage/exports/states.ts";
import { exportStore } from "./storage/exports/store.ts";
import { webhookStore } from "./storage/exports/webhooks.ts";
import { diskRenderCache } from "./storage/files/render-cache.ts";
import type { JobQueues } from "./storage/queue/job-queue.ts";
import { sharedRenderCache } from "./storage/s3/render-cache.ts";
import { apiTokenStore } from "./storage/stores/api-tokens.ts";
import { assetStore } from "./storage/stores/assets.ts";
import { generatedMediaStore } from "./storage/stores/generated-media.ts";
import { idempotencyStore } from "./storage/stores/idempotency.ts";
import { leaseStore } from "./storage/stores/leases.ts";
import { operationStore } from "./storage/stores/operations.ts";
import { projectStore } from "./storage/stores/projects.ts";
import { refreshTokenStore } from "./storage/stores/refresh-tokens.ts";
import { removalStore } from "./storage/stores/removals.ts";
import { sessionStore } from "./storage/stores/sessions.ts";
import { templateStore } from "./storage/stores/templates.ts";
import { usageStore } from "./storage/stores/usage.ts";
import { userStore } from "./storage/stores/users.ts";
import { workMediaStore } from "./storage/stores/work-media.ts";
import { workStore } from "./storage/stores/works.ts";

/** `createServices` does not close the database. */
type ServiceResources = Omit<Resources, "database" | "folderId" | "storage"> & {
  readonly database: Pick<DatabaseHandle, "db" | "ping" | "listen">;
  /** Default: processes of its own, with their folders on the disk of the files. */
  readonly canvas?: CanvasProcesses;
};

export type Observers = {
  readonly telemetry: Telemetry;
  /** Receives every export that ends in this process. */
  readonly onExportEnd: (job: ExportState) => void;
  /** Receives what prevented something from being prepared of a stored video. */
  readonly onPreparationFailure?: (kind: string, error: unknown) => void;
};

/** Connects every port of the domain with its adapter. */
export function createServices(
  env: Environment,
  resources: ServiceResources,
  publicUrl: string,
  { telemetry, onExportEnd, onPreparationFailure }: Observers = { telemetry: noTelemetry, onExportEnd: () => {} },
): Services {
  const { database, files, bucket, ffmpeg, jwtSecret, queues } = resources;
  const { canvas = canvasProcesses({ makeFolder: files.jobFolder }) } = resources;
  const urls = internalUrls(publicUrl);
  const { MAX_USER_BYTES: maxUserBytes, MAX_USER_EXPORTS_PER_DAY: maxExportsPerDay } = env;
  const { metrics } = telemetry;
  const outbox = webhookOutbox(
    queues,
    (job) => endEvent(job, urls),
    (job) => {
      countExport(metrics, job);
      onExportEnd(job);
    },
  );
  const stores = createStores(database.db, queues, outbox, { maxUserBytes, maxExportsPerDay });
  const changes = exportChanges(database.listen);
  const maxBytes = env.EXPORT_CACHE_BYTES;
  const localCache = diskRenderCache(env.DATA_DIR, maxBytes);
  const { leases } = stores;
  const segmentCache = bucket ? sharedRenderCache(localCache, { bucket, leases, maxBytes }) : localCache;
  // a separate cache, so that frame requests cannot evict the segments of exports
  const frameCache = diskRenderCache(join(env.DATA_DIR, "frames"), env.EXPORT_CACHE_BYTES / 20);
  const preparedCache = diskRenderCache(join(env.DATA_DIR, "prepared"), maxBytes / 10);
  const copies = halfSizeCopies(ffmpeg);
  const entries = entryPoints({ ffmpeg, canvas });
  const prepared = preparedMedia({
    // without room for them they would be made in vain
    kinds: maxBytes > 0 ? [copies, entries] : [],
    files,
    cache: preparedCache,
    ffmpeg,
    onFailure: onPreparationFailure,
  });
  const soundTools = ffmpegSoundTools({ ffmpeg, files });
  return {
    ...stores,
    // others take part only if they find what is rendered here, and the embedded database has no others
    exportWorker: { id: crypto.randomUUID(), isAlone: !env.DATABASE_URL },
    runs: bucket && env.DATABASE_URL ? runStore(database.db, changes) : undefined,
    exportChanges: changes,
    exportStates: exportStates(stores.exports, changes),
    usage: observedUsage(stores.usage, telemetry),
    webhooks: observedWebhooks(stores.webhooks, metrics),
    telemetry,
    database,
    readiness: readiness({
      database: () => database.ping(),
      storage: { run: () => files.checkWritable(), ...(bucket && bucketCheck) },
      disk: () => files.checkFreeSpace(),
      ffmpeg: () => ffmpeg.check(),
      queue: () => queues.check(),
    }),
    files,
    passwords: argonPasswords(),
    accessTokens: jwtAccessTokens({ secret: jwtSecret, ttlSeconds: env.ACCESS_TOKEN_TTL }),
    rateLimiter: env.RATE_LIMIT === "on" ? rateLimiter(database.db) : withoutLimits(rateLimiter(database.db)),
    requestLimiter: env.RATE_LIMIT === "on" ? requestLimiter(database.db) : { take: () => {} },
    preparation: prepared,
    inspector: ffmpegInspector({ ffmpeg, canvas, makeFolder: files.jobFolder }),
    fetcher: ssrfGuardedFetcher({
      files,
      extraPorts: env.FETCH_EXTRA_PORTS,
      allowPrivateNetwork: env.ALLOW_PRIVATE_NETWORK === "true",
    }),
    pages: pageReader(),
    renderer: ffmpegRenderer({
      ffmpeg,
      canvas,
      files,
      concurrency: env.EXPORT_CONCURRENCY,
      // frames take segments too, which are not counted
      cache: observedCache(segmentCache, localCache, metrics),
      leases,
      telemetry,
      prepared,
      copies,
      entries,
    }),
    frameRenderer: ffmpegFrameRenderer({
      ffmpeg,
      canvas,
      segmentDecoder: segmentDecoder(ffmpeg),
      files,
      concurrency: env.EXPORT_CONCURRENCY,
      segmentCache,
      frameCache,
      prepared,
      copies,
      entries,
    }),
    projectCaches: projectCaches([segmentCache, frameCache, preparedCache]),
    textMeasurer: textMeasurer({ files, canvas }),
    templateDrawer: templateDrawer({ files, canvas, cache: frameCache }),
    videoAnalyzer: ffmpegVideoAnalyzer({ ffmpeg, files, canvas }),
    soundTools,
    models: createModels(env, { localGenerator: localGenerator({ ffmpeg, files, canvas }), files, soundTools }),
    internalUrls: urls,
    signedLinks: hmacSignedLinks(jwtSecret),
    secretBox: secretBox(jwtSecret),
    settings: settingsOf(env),
  };
}

/** A store in the network is asked seldom, and has little time to answer. */
const bucketCheck = { timeoutMs: 2_000, keepMs: 10_000 };

const projectCaches = (caches: readonly RenderCache[]): ProjectCaches => ({
  list: async () => [...new Set((await Promise.all(caches.map((cache) => cache.listProjects()))).flat())],
  remove: async (projectId) => void (await Promise.all(caches.map((cache) => cache.removeProject(projectId)))),
});

const settingsOf = (env: Environment): Settings => ({
  maxUploadBytes: env.MAX_UPLOAD_BYTES,
  maxUserBytes: env.MAX_USER_BYTES,
  refreshTokenTtlSeconds: env.REFRESH_TOKEN_TTL,
  providerTimeoutMs: env.PROVIDER_TIMEOUT_MS,
  exportRetentionMs: env.EXPORT_KEEP_HOURS * 3_600_000,
  credentialRecheckMs: 60_000,
});

/** Throws a one-line message if a setting names a provider that does not exist. */
export function createModels(
  env: Environment,
  adapters: Pick<ProviderOptions, "localGenerator" | "files" | "soundTools">,
): Models {
  const defaults = {
    vision: env.DEFAULT_VISION_PROVIDER,
    llm: env.DEFAULT_LLM_PROVIDER,
    image: env.DEFAULT_IMAGE_PROVIDER,
    video: env.DEFAULT_VIDEO_PROVIDER,
    speech: env.DEFAULT_SPEECH_PROVIDER,
  };
  const { OPENAI_BASE_URL: openaiBaseUrl, GOOGLE_BASE_URL: googleBaseUrl } = env;
  const models = providerModels({ defaults, openaiBaseUrl, googleBaseUrl, ...adapters });
  for (const category of categories) requireKnownProvider(models, category);
  return models;
}

function requireKnownProvider(models: Models, category: Category): void {
  try {
    models.select(category, {});
  } catch (cause) {
    const known = models.providers.filter((provider) => provider.category === category).map(providerNames);
    const setting = `DEFAULT_${category.toUpperCase()}_PROVIDER`;
    throw new Error(`Bad setting ${setting}: must be one of ${known.join(", ")}.`, { cause });
  }
}

/** Limits nothing and still removes the rows of a start with limits. */
const withoutLimits = ({ removeExpired }: RateLimiter): RateLimiter => ({
  take: async () => {},
  waits: async () => [],
  giveBack: async () => {},
  takeAll: async () => {},
  removeExpired,
});

function createStores(db: Database, queues: JobQueues, outbox: WebhookOutbox, limits: ExportLimits) {
  return {
    users: userStore(db),
    removals: removalStore(db, queues),
    refreshTokens: refreshTokenStore(db),
    sessions: sessionStore(db),
    apiTokens: apiTokenStore(db),
    projects: projectStore(db),
    exports: exportStore(db, queues, outbox, limits),
    webhooks: webhookStore(db, queues),
    assets: assetStore(db),
    templates: templateStore(db),
    works: workStore(db),
    workMedia: workMediaStore(db),
    usage: usageStore(db),
    storageUsage: storageUsageStore(db),
    generatedMedia: generatedMediaStore(db),
    idempotencyKeys: idempotencyStore(db),
    operations: operationStore(db),
    leases: leaseStore(db),
  };
}
