import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type ProviderOptions, providerModels } from "./ai/providers.ts";
import { endAbandonedScenes } from "./domain/ai/generation/scene-lock.ts";
import { type Category, categories, type Models } from "./domain/ai/models.ts";
import { jwtAccessTokens } from "./domain/auth/access-tokens.ts";
import { argonPasswords } from "./domain/auth/passwords.ts";
import type { RateLimiter } from "./domain/auth/rate-limit.ts";
import { secretBox } from "./domain/exports/webhooks/sealed-secrets.ts";
import { hmacSignedLinks } from "./domain/files/signed-links.ts";
import type { Services } from "./domain/services.ts";
import type { Environment } from "./env.ts";
import { ffmpegFilmReader } from "./media/analysis/reader.ts";
import { type Ffmpeg, findFfmpeg } from "./media/ffmpeg/ffmpeg.ts";
import { ffmpegFrameDrawer } from "./media/frames/frame-drawer.ts";
import { ffmpegInspector } from "./media/inspect/inspect.ts";
import { localStudio } from "./media/local/studio.ts";
import { ffmpegRenderer } from "./media/render/renderer.ts";
import { textMeasurer } from "./media/text/measurer.ts";
import { guardedFetcher } from "./media/web/fetcher.ts";
import { pageReader } from "./media/web/page-reader.ts";
import { type Database, type DatabaseHandle, openDatabase } from "./storage/database/database.ts";
import { type JobQueues, jobQueues } from "./storage/database/job-queue.ts";
import { rateLimiter } from "./storage/database/rate-limiter.ts";
import { exportFeed } from "./storage/exports/change-feed.ts";
import { exportStore } from "./storage/exports/store.ts";
import { webhookStore } from "./storage/exports/webhooks.ts";
import { type DiskFiles, diskFiles } from "./storage/files/disk-files.ts";
import { sweepOrphans } from "./storage/files/orphans.ts";
import { diskRenderCache } from "./storage/files/part-cache.ts";
import { writeOnce } from "./storage/files/write-once.ts";
import { apiTokenStore } from "./storage/stores/api-tokens.ts";
import { assetStore } from "./storage/stores/assets.ts";
import { generatedMediaStore } from "./storage/stores/generated-media.ts";
import { idempotencyStore } from "./storage/stores/idempotency.ts";
import { projectStore } from "./storage/stores/projects.ts";
import { refreshTokenStore } from "./storage/stores/refresh-tokens.ts";
import { templateStore } from "./storage/stores/templates.ts";
import { usageStore } from "./storage/stores/usage.ts";
import { userStore } from "./storage/stores/users.ts";
import { workMediaStore } from "./storage/stores/work-media.ts";
import { workStore } from "./storage/stores/works.ts";

/** What a process holds open while it serves. */
export type Resources = {
  readonly database: DatabaseHandle;
  readonly files: DiskFiles;
  readonly ffmpeg: Ffmpeg;
  readonly jwtSecret: string;
  readonly queues: JobQueues;
};

/** The database comes first: it holds the lock on the data folder. */
export async function openResources(env: Environment): Promise<Resources> {
  await mkdir(env.DATA_DIR, { recursive: true }).catch((cause: NodeJS.ErrnoException) => {
    throw new Error(`The folder of DATA_DIR, ${env.DATA_DIR}, cannot be made: ${cause.code}.`, { cause });
  });
  const ffmpeg = findFfmpeg(env.FFMPEG_PATH);
  // awaited below, after the database: failing meanwhile is not unhandled
  ffmpeg.catch(() => {});
  const database = await openDatabase({ databaseUrl: env.DATABASE_URL, dataDir: env.DATA_DIR });
  try {
    // the lock on the folder proves that whoever worked on these is gone; on a server their leases run out
    if (!env.DATABASE_URL) {
      await idempotencyStore(database.db).releaseAll();
      await endAbandonedScenes({ works: workStore(database.db) }, Date.now());
    }
    const jwtSecret = env.JWT_SECRET ?? (await keptSecret(env.DATA_DIR));
    const queues = jobQueues(database.queueSource, env.DATABASE_URL ? queueRules : embeddedRules);
    return { database, files: await diskFiles(env.DATA_DIR), ffmpeg: await ffmpeg, jwtSecret, queues };
  } catch (error) {
    await database.close();
    throw error;
  }
}

export const queueRules = {
  exports: {
    // films share the machine's ffmpeg processes in turn, so a short one is not held up by a few long ones
    ...{ atOnce: 8, atOncePerGroup: 2, lookEverySeconds: 2 },
    // the longest film on a slow machine; how often one is begun at most is the export's own rule
    ...{ longestSeconds: 23 * 3600, retries: { most: 1000, firstAfterSeconds: 0, longestAfterSeconds: 0 } },
  },
  webhooks: {
    ...{ atOnce: 4, atOncePerGroup: 2, lookEverySeconds: 5, longestSeconds: 60 },
    // enough for more than a day; who delivers stops after one
    retries: { most: 30, firstAfterSeconds: 5, longestAfterSeconds: 4 * 3600 },
  },
};

/** New films are told of, and there are no others' to look for. */
const embeddedRules = { ...queueRules, exports: { ...queueRules.exports, lookEverySeconds: 10 } };

/** Made once and kept, so that logins outlive a restart. */
const keptSecret = (dataDir: string): Promise<string> =>
  writeOnce(join(dataDir, "jwt-secret"), randomBytes(32).toString("hex"));

type Base = Omit<Resources, "database"> & { readonly database: Pick<DatabaseHandle, "db" | "ping" | "listen"> };

/** Every port of the domain with its adapter: the only place that knows them all. */
export function createServices(env: Environment, base: Base, publicUrl: string): Services {
  const { database, files, ffmpeg, jwtSecret, queues } = base;
  const parts = diskRenderCache(env.DATA_DIR, env.EXPORT_CACHE_BYTES);
  return {
    ...storesOn(database.db, queues),
    exportFeed: exportFeed(database.listen),
    database,
    files,
    passwords: argonPasswords(),
    accessTokens: jwtAccessTokens({ secret: jwtSecret, ttlSeconds: env.ACCESS_TOKEN_TTL }),
    rateLimiter: env.RATE_LIMIT === "on" ? rateLimiter(database.db) : unlimited,
    inspector: ffmpegInspector(ffmpeg),
    fetcher: guardedFetcher({
      files,
      extraPorts: env.FETCH_EXTRA_PORTS,
      allowPrivateNetwork: env.ALLOW_PRIVATE_NETWORK === "true",
    }),
    pages: pageReader(),
    renderer: ffmpegRenderer({ ffmpeg, files, concurrency: env.EXPORT_CONCURRENCY, cache: parts }),
    frameRenderer: ffmpegFrameDrawer({
      ...{ ffmpeg, files, concurrency: env.EXPORT_CONCURRENCY, parts },
      // apart, so that who looks at many frames drives out no parts of films
      pictures: diskRenderCache(join(env.DATA_DIR, "frames"), env.EXPORT_CACHE_BYTES / 20),
    }),
    textMeasurer: textMeasurer({ files }),
    videoAnalyzer: ffmpegFilmReader({ ffmpeg, files }),
    models: modelsOf(env, { studio: localStudio({ ffmpeg, files }), files }),
    signedLinks: hmacSignedLinks(jwtSecret),
    secretBox: secretBox(jwtSecret),
    settings: {
      publicUrl,
      maxUploadBytes: env.MAX_UPLOAD_BYTES,
      refreshTokenTtlSeconds: env.REFRESH_TOKEN_TTL,
      providerTimeoutMs: env.PROVIDER_TIMEOUT_MS,
      exportKeepMs: env.EXPORT_KEEP_HOURS * 3_600_000,
    },
  };
}

/** Throws one line for people when a setting names a default that nobody offers. */
export function modelsOf(env: Environment, parts: Pick<ProviderOptions, "studio" | "files">): Models {
  const defaults = {
    vision: env.DEFAULT_VISION_PROVIDER,
    llm: env.DEFAULT_LLM_PROVIDER,
    image: env.DEFAULT_IMAGE_PROVIDER,
    video: env.DEFAULT_VIDEO_PROVIDER,
  };
  const { OPENAI_BASE_URL: openaiBaseUrl, GOOGLE_BASE_URL: googleBaseUrl } = env;
  const models = providerModels({ defaults, openaiBaseUrl, googleBaseUrl, ...parts });
  for (const category of categories) requireOffered(models, category);
  return models;
}

function requireOffered(models: Models, category: Category): void {
  try {
    models.provider(category, {});
  } catch (cause) {
    const offered = models.rows.filter((row) => row.category === category).map(({ id }) => id);
    const setting = `DEFAULT_${category.toUpperCase()}_PROVIDER`;
    throw new Error(`Bad setting ${setting}: must be one of ${offered.join(", ")}.`, { cause });
  }
}

const unlimited: RateLimiter = { take: async () => {}, check: async () => {} };

const storesOn = (db: Database, queues: JobQueues) => ({
  users: userStore(db),
  refreshTokens: refreshTokenStore(db),
  apiTokens: apiTokenStore(db),
  projects: projectStore(db, queues),
  exports: exportStore(db, queues),
  webhooks: webhookStore(db, queues),
  assets: assetStore(db),
  templates: templateStore(db),
  works: workStore(db),
  workMedia: workMediaStore(db),
  usage: usageStore(db),
  generatedMedia: generatedMediaStore(db),
  idempotencyKeys: idempotencyStore(db),
});

/** Removes what nobody needs any more: dead logins, old answers and media, and files that a crash left without a row. */
export async function runMaintenance({ database, files }: Resources, services: Services): Promise<void> {
  const now = Date.now();
  await services.refreshTokens.removeExpired(now);
  await files.remove(await services.generatedMedia.removeExpired(now));
  await files.remove(await services.idempotencyKeys.removeExpired(now));
  await endAbandonedScenes(services, now - 2 * services.settings.providerTimeoutMs);
  await files.remove(await services.exports.removeExpired(now));
  await sweepOrphans(database.db, files);
}
