import { join } from "node:path";
import { fileURLToPath } from "node:url";
import packageFile from "../package.json";
import type { RateLimiter } from "./domain/accounts/rate-limit.ts";
import { batchEvent, batchFilmEvent } from "./domain/batches/webhook-events.ts";
import type { ExportState } from "./domain/exports/lifecycle/jobs.ts";
import { endEvent } from "./domain/exports/lifecycle/view.ts";
import { wakingLedger } from "./domain/films/budget-waits.ts";
import { filmEvent } from "./domain/films/webhook-events.ts";
import { lookLibrary } from "./domain/looks/looks.ts";
import type { ProjectCaches } from "./domain/projects/projects.ts";
import { renderEvent } from "./domain/renders/views.ts";
import type { Settings } from "./domain/shared/settings.ts";
import { noTelemetry, type Telemetry } from "./domain/telemetry/telemetry.ts";
import { createEngine } from "./engine/engine.ts";
import type { RenderCache } from "./engine/ports.ts";
import { type TaskPool, taskPool } from "./engine/sandbox/task-pool.ts";
import { withMadeSounds } from "./engine/sounds/made-files.ts";
import type { Environment } from "./env.ts";
import { internalUrls } from "./http/files/internal-urls.ts";
import { readFilmOrder } from "./http/films/schemas.ts";
import {
  countExport,
  observedBatches,
  observedCache,
  observedFilms,
  observedLedger,
  observedWebhooks,
} from "./observability/observed-ports.ts";
import { cpuBudget } from "./platform/limits/cpu-budget.ts";
import { readiness } from "./platform/readiness.ts";
import { createModels, createPrices, createSigner } from "./process/from-settings.ts";
import type { Resources } from "./process/resources.ts";
import { s3Sender } from "./providers/destinations/s3.ts";
import { webhookUploadSender } from "./providers/destinations/webhook-upload.ts";
import { youtubeSender } from "./providers/destinations/youtube.ts";
import { localGenerator } from "./providers/local/drawings/generator.ts";
import { readLooks } from "./readers/looks/read-looks.ts";
import { readSounds } from "./readers/sounds/read-sounds.ts";
import { tableReader } from "./readers/tables/reader.ts";
import { readTemplates } from "./readers/templates/read-templates.ts";
import { ssrfGuardedFetcher } from "./readers/web/fetcher.ts";
import { pageReader } from "./readers/web/page-reader.ts";
import { argonPasswords } from "./security/argon-passwords.ts";
import { jwtAccessTokens } from "./security/jwt-access-tokens.ts";
import { secretBox } from "./security/secret-box.ts";
import { networkMarks } from "./security/secret-hashes.ts";
import { hmacSignedLinks } from "./security/signed-links.ts";
import type { Services } from "./services.ts";
import { apiTokenStore } from "./storage/accounts/api-tokens.ts";
import { providerKeyStore } from "./storage/accounts/provider-keys.ts";
import { refreshTokenStore } from "./storage/accounts/refresh-tokens.ts";
import { sessionStore } from "./storage/accounts/sessions.ts";
import { userStore } from "./storage/accounts/users.ts";
import { assetStore } from "./storage/assets/store.ts";
import { type BatchOutbox, batchOutbox } from "./storage/batches/outbox.ts";
import { baseRequests, batchStore } from "./storage/batches/store.ts";
import { changeFeed } from "./storage/changes/feed.ts";
import { batchStates, exportStates, filmStates } from "./storage/changes/states.ts";
import type { Database, DatabaseHandle } from "./storage/database/database.ts";
import { rateLimiter } from "./storage/database/rate-limiter.ts";
import { requestLimiter } from "./storage/database/request-limiter.ts";
import { storageUsageStore } from "./storage/database/storage-usage.ts";
import { deliveryStore } from "./storage/destinations/deliveries.ts";
import { destinationStore } from "./storage/destinations/store.ts";
import type { ExportLimits } from "./storage/exports/admission.ts";
import { type WebhookOutbox, webhookOutbox } from "./storage/exports/outbox.ts";
import { renderTaskStore } from "./storage/exports/render-tasks.ts";
import { exportStore } from "./storage/exports/store.ts";
import { webhookStore } from "./storage/exports/webhooks.ts";
import { cacheFolders, diskRenderCache } from "./storage/files/render-cache.ts";
import { type FilmOutbox, filmOutbox } from "./storage/films/outbox.ts";
import { filmStore } from "./storage/films/store.ts";
import { generatedMediaStore } from "./storage/generated-media/store.ts";
import { idempotencyStore } from "./storage/idempotency/store.ts";
import { type LedgerOptions, ledgerStore } from "./storage/ledger/store.ts";
import { projectLookStore } from "./storage/looks/store.ts";
import { operationStore } from "./storage/operations/store.ts";
import { projectStore } from "./storage/projects/store.ts";
import type { JobQueues } from "./storage/queue/job-queue.ts";
import { removalStore } from "./storage/removals/store.ts";
import { renderStore } from "./storage/renders/store.ts";
import { reviewStore } from "./storage/reviews/store.ts";
import { sharedRenderCache } from "./storage/s3/render-cache.ts";
import { stockCache } from "./storage/stock/cache.ts";
import { subjectLibrary } from "./storage/subjects/library.ts";
import { templateStore } from "./storage/templates/store.ts";
import { workMediaStore } from "./storage/works/media-store.ts";
import { workStore } from "./storage/works/store.ts";
import { workVersionStore } from "./storage/works/version-store.ts";

/** Room for some thousand pages of results. */
const maxStockCacheBytes = 20_000_000;

/** `createServices` does not close the database. */
type ServiceResources = Omit<Resources, "database" | "folderId" | "storage"> & {
  readonly database: Pick<DatabaseHandle, "db" | "ping" | "listen">;
  /** By default, new processes with folders on the disk of the files. */
  readonly canvas?: TaskPool;
};

type Observers = {
  readonly telemetry: Telemetry;
  /** Receives every export that ends in this process. */
  readonly onExportEnd: (job: ExportState) => void;
  /** Called when a proxy could not be built. */
  readonly onProxyFailure?: (error: unknown) => void;
};

/** Connects every port of the domain with its adapter. */
export function createServices(
  env: Environment,
  resources: ServiceResources,
  publicUrl: string,
  { telemetry, onExportEnd, onProxyFailure }: Observers = { telemetry: noTelemetry, onExportEnd: () => {} },
): Services {
  const { database, bucket, ffmpeg, jwtSecret, queues, leases } = resources;
  const cpu = cpuBudget(env.EXPORT_CONCURRENCY);
  const { metrics } = telemetry;
  const program = join(import.meta.dir, "sandboxed.ts");
  const { canvas = taskPool({ cpu, makeFolder: resources.files.jobFolder, onEnd: metrics.taskEnded, program }) } =
    resources;
  const urls = internalUrls(publicUrl);
  const { MAX_USER_BYTES: maxUserBytes, MAX_USER_EXPORTS_PER_DAY: maxExportsPerDay } = env;
  const filesAt = { urls, baseUrl: publicUrl };
  const outboxes = {
    exports: webhookOutbox(
      queues,
      (job, render) => (render ? renderEvent(render, job, filesAt) : endEvent(job, urls)),
      (job) => {
        countExport(metrics, job);
        onExportEnd(job);
      },
    ),
    films: filmOutbox(queues, (film, type) => filmEvent({ models, prices }, film, type)),
    batches: batchOutbox(queues, {
      ofBatch: batchEvent,
      ofFilm: (batch, item, type, film) => batchFilmEvent(urls, batch, item, type, film),
    }),
  };
  const maxUserSpend = env.MAX_USER_SPEND_PER_MONTH;
  const stores = {
    users: userStore(database.db, networkMarks(jwtSecret)),
    ...createStores(database.db, queues, outboxes, { maxUserBytes, maxExportsPerDay, maxUserSpend }),
    renders: renderStore(database.db, queues, (render) => renderEvent(render, undefined, filesAt)),
  };
  const changes = changeFeed(database.listen);
  const maxBytes = env.EXPORT_CACHE_BYTES;
  const localCache = diskRenderCache(env.DATA_DIR, maxBytes);
  const segmentCache = bucket ? sharedRenderCache(localCache, { bucket, leases, maxBytes }) : localCache;
  // a separate cache, so that frame requests cannot evict the segments of exports
  const frameCache = diskRenderCache(join(env.DATA_DIR, cacheFolders.frames), env.EXPORT_CACHE_BYTES / 20);
  const proxyCache = diskRenderCache(join(env.DATA_DIR, cacheFolders.proxies), maxBytes / 10);
  const soundLibrary = readSounds(fileURLToPath(new URL("sounds", import.meta.url)));
  const files = withMadeSounds(resources.files, { library: soundLibrary, cache: frameCache, canvas });
  const engine = createEngine({
    ...{ ffmpeg, files, leases, canvas, cpu, telemetry, onProxyFailure },
    caches: {
      segments: segmentCache,
      // frames use segments too, but are not counted
      exports: observedCache(segmentCache, localCache, metrics),
      frames: frameCache,
      // without room they would be built in vain
      ...(maxBytes > 0 && { proxies: proxyCache }),
    },
    concurrency: env.EXPORT_CONCURRENCY,
    version: packageFile.version,
  });
  const fetcher = ssrfGuardedFetcher({
    files,
    extraPorts: env.FETCH_EXTRA_PORTS,
    allowPrivateNetwork: env.ALLOW_PRIVATE_NETWORK === "true",
  });
  const destinationBox = secretBox(jwtSecret, "credentials of destinations");
  const prices = createPrices(env);
  const models = createModels(env, {
    ...{ files, fetcher, soundTools: engine.soundTools, images: engine.videoAnalyzer },
    localGenerator: localGenerator({ ffmpeg, files, canvas, cpu }),
  });
  return {
    ...stores,
    ...engine,
    leases,
    // other processes can help only if they find what is rendered here; the embedded database has none
    exportWorker: { id: crypto.randomUUID(), isAlone: !env.DATABASE_URL, awaited: new Set() },
    runs: bucket && env.DATABASE_URL ? renderTaskStore(database.db, { leases, changes }) : undefined,
    subjects: subjectLibrary(),
    soundLibrary,
    templateDesigns: readTemplates(fileURLToPath(new URL("templates", import.meta.url))),
    looks: lookLibrary(readLooks(fileURLToPath(new URL("looks", import.meta.url))), stores.projectLooks),
    changes,
    exportStates: exportStates(stores.exports, changes),
    filmStates: filmStates(stores, changes),
    batchStates: batchStates(stores, changes),
    ledger: observedLedger(stores.ledger, telemetry),
    films: observedFilms(stores.films, metrics),
    batches: observedBatches(stores.batches, metrics),
    webhooks: observedWebhooks(stores.webhooks, metrics),
    telemetry,
    database,
    processSlots: cpu.usage,
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
    fetcher,
    pages: pageReader({ cpu }),
    stockCache: stockCache(diskRenderCache(join(env.DATA_DIR, "stock"), maxStockCacheBytes), files),
    projectCaches: projectCaches([segmentCache, frameCache, proxyCache]),
    tableReader: tableReader({ files, canvas }),
    prices,
    models,
    internalUrls: urls,
    signedLinks: hmacSignedLinks(jwtSecret),
    signer: createSigner(env, jwtSecret),
    secretBox: secretBox(jwtSecret),
    filmKeyBox: secretBox(jwtSecret, "keys of films"),
    destinationBox,
    senders: {
      s3: s3Sender(fetcher),
      "webhook-upload": webhookUploadSender(fetcher),
      youtube: youtubeSender({ fetcher, destinationBox, baseUrl: env.YOUTUBE_BASE_URL }),
    },
    accountKeyBox: secretBox(jwtSecret, "keys of accounts"),
    readFilmOrder,
    settings: settingsOf(env),
  };
}

/** A networked store is checked rarely, with a short deadline. */
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

/** Limits nothing, but still removes rows of an earlier start with limits. */
const withoutLimits = ({ removeExpired }: RateLimiter): RateLimiter => ({
  take: async () => {},
  waits: async () => [],
  giveBack: async () => {},
  takeAll: async () => {},
  removeExpired,
});

type Outboxes = { readonly exports: WebhookOutbox; readonly films: FilmOutbox; readonly batches: BatchOutbox };

function createStores(
  db: Database,
  queues: JobQueues,
  { exports, films, batches }: Outboxes,
  limits: ExportLimits & LedgerOptions,
) {
  const filmsOfDatabase = filmStore(db, queues, films, limits);
  return {
    removals: removalStore(db, queues),
    refreshTokens: refreshTokenStore(db),
    sessions: sessionStore(db),
    apiTokens: apiTokenStore(db),
    providerKeys: providerKeyStore(db),
    projects: projectStore(db, limits),
    exports: exportStore(db, queues, exports, limits),
    webhooks: webhookStore(db, queues),
    reviews: reviewStore(db),
    destinations: destinationStore(db, limits),
    deliveries: deliveryStore(db, queues),
    assets: assetStore(db),
    templates: templateStore(db, limits),
    projectLooks: projectLookStore(db, limits),
    works: workStore(db, limits),
    workMedia: workMediaStore(db, limits),
    workVersions: workVersionStore(db),
    ledger: wakingLedger(ledgerStore(db, limits), filmsOfDatabase),
    films: filmsOfDatabase,
    batches: batchStore(db, queues, batches, limits),
    batchBases: baseRequests(db),
    storageUsage: storageUsageStore(db),
    generatedMedia: generatedMediaStore(db),
    idempotencyKeys: idempotencyStore(db),
    operations: operationStore(db),
  };
}
