import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DestinationStream, pino } from "pino";
import { createApp } from "../../src/app.ts";
import type { User } from "../../src/domain/accounts/users.ts";
import { advanceBatch } from "../../src/domain/batches/advance/advance.ts";
import { deliver } from "../../src/domain/exports/deliveries/deliver.ts";
import { runExportJob } from "../../src/domain/exports/lifecycle/run.ts";
import { deliverWebhook } from "../../src/domain/exports/webhooks/deliver.ts";
import { advanceFilm } from "../../src/domain/films/run/advance.ts";
import { advanceRender } from "../../src/domain/renders/renders.ts";
import { type Ffmpeg, findFfmpeg } from "../../src/engine/ffmpeg/ffmpeg.ts";
import type { TaskPool } from "../../src/engine/sandbox/task-pool.ts";
import { readEnvironment } from "../../src/env.ts";
import { openStorage } from "../../src/process/resources.ts";
import { openTelemetry, version } from "../../src/process/telemetry.ts";
import { argonPasswords, hashQueue } from "../../src/security/argon-passwords.ts";
import type { Services } from "../../src/services.ts";
import { freeBytesAt } from "../../src/storage/files/local-files.ts";
import { cacheBytesIn } from "../../src/storage/files/render-cache.ts";
import { leaseStore } from "../../src/storage/leases/store.ts";
import { batchCounts, filmCounts, queueDepths } from "../../src/storage/queue/depths.ts";
import { jobQueues } from "../../src/storage/queue/job-queue.ts";
import { queueRules } from "../../src/storage/queue/rules.ts";
import type { StoreAccess } from "../../src/storage/s3/request.ts";
import { createServices } from "../../src/wiring.ts";
import { type FreshDatabase, freshDatabase, type OpenedDatabase } from "./database.ts";
import { checkResponses } from "./declared-responses.ts";
import { foundFfmpeg } from "./media/ffmpeg.ts";
import { realBucket, type S3Server, s3Server } from "./s3-server.ts";
import { serviceTaskPool } from "./task-pool.ts";

type Variables = Record<string, string>;
type ResponseOrPromise = Response | Promise<Response>;

export type TestUser = {
  readonly user: User;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** A request with this user's access token. */
  request(path: string, init?: RequestInit): ResponseOrPromise;
  json(method: string, path: string, body?: unknown, headers?: Variables): ResponseOrPromise;
};

/** False with TEST_STORAGE=s3, for tests of what files do on a disk. */
export const storesOnDisk = process.env.TEST_STORAGE !== "s3";

let sharedServer: S3Server | undefined;

/** Settings for a new bucket: on the server that TEST_S3_ENDPOINT names, or on one in this process. */
async function bucketVariables(): Promise<Variables> {
  sharedServer ??= s3Server();
  return settingsFor((await realBucket()) ?? sharedServer.newBucket());
}

export const settingsFor = ({ endpoint, bucket, region, accessKeyId, secretAccessKey }: StoreAccess): Variables => ({
  STORAGE: "s3",
  S3_ENDPOINT: endpoint,
  S3_BUCKET: bucket,
  S3_REGION: region,
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
});

/**
 * The whole service without a port, on a fresh database and data directory. All adapters are real, except those that
 * `replace` returns in place of adapters such as models, which would cost money. `chosenFfmpeg` replaces the found one.
 */
export async function testService(
  variables: Variables = {},
  logTo?: DestinationStream,
  replace: (services: Services) => Partial<Services> = () => ({}),
  chosenFfmpeg?: Ffmpeg,
  openDatabase: () => Promise<OpenedDatabase | FreshDatabase> = freshDatabase,
) {
  const dataDir = await mkdtemp(join(tmpdir(), `reelwright-test-${process.pid}-`));
  const env = readEnvironment({
    RATE_LIMIT: "off",
    LOG_LEVEL: process.env.LOG_LEVEL ?? "silent",
    ...(!storesOnDisk && (await bucketVariables())),
    ...variables,
    DATA_DIR: dataDir,
  });
  const telemetry = await openTelemetry(env);
  const { metrics, prometheus } = telemetry;
  // one of its own, which counts
  const ownFfmpeg = prometheus && findFfmpeg(process.env.FFMPEG_PATH, metrics.ffmpegEnded);
  const [database, { files, bucket }, ffmpeg] = await Promise.all([
    openDatabase(),
    openStorage(env, metrics.storeRequested),
    chosenFfmpeg ?? ownFfmpeg ?? foundFfmpeg(),
  ]);
  const queues = jobQueues(database.queueConnection, withFastRetries(queueRules));
  const resources = {
    database,
    files,
    ...(bucket && { bucket }),
    ffmpeg,
    queues,
    leases: leaseStore(database.db),
    canvas: ownerlessTaskPool(),
    jwtSecret: "a secret of 32 bytes that only tests know",
  };
  const wired = createServices(env, resources, "http://localhost", { telemetry, onExportEnd: () => {} });
  const cheap = { ...wired, passwords: argonPasswords(hashQueue(), { memoryCost: 64, timeCost: 1 }) };
  const services = { ...cheap, ...replace(cheap) };
  queues.registerHandler("exports", (exportId, signal) => runExportJob(services, exportId, signal));
  queues.registerHandler("batchExports", (exportId, signal) => runExportJob(services, exportId, signal));
  queues.registerHandler("batches", (batchId, signal) => advanceBatch(services, batchId, signal));
  queues.registerHandler("films", (filmId, signal) => advanceFilm(services, filmId, signal));
  queues.registerHandler("renders", (renderId, signal) => advanceRender(services, renderId, signal));
  queues.registerHandler("deliveries", (job, signal) => deliver(services, job, signal));
  queues.registerHandler("webhooks", (delivery, signal) => deliverWebhook(services, delivery, signal));
  const { CORS_ORIGINS: corsOrigins, TRUSTED_PROXIES: trustedProxies } = env;
  const log = pino({ level: env.LOG_LEVEL }, logTo);
  const { METRICS_TOKEN: token } = env;
  const page = prometheus && token ? { page: prometheus, token } : undefined;
  const compatibleApis = env.COMPATIBLE_APIS;
  const app = createApp(services, { log, corsOrigins, trustedProxies, metrics: page, compatibleApis });
  await checkResponses(app);
  prometheus?.connect({
    build: { version, ffmpeg: ffmpeg.version },
    readiness: services.readiness,
    queueDepths: queueDepths(database.db),
    filmCounts: filmCounts(database.db),
    batchCounts: batchCounts(database.db),
    freeDiskBytes: () => freeBytesAt(dataDir),
    waitingRemovals: () => services.removals.countWaiting(),
    processSlots: services.processSlots,
    connections: database.connections,
    cacheBytes: () => cacheBytesIn(dataDir),
  });

  const request = (path: string, init?: RequestInit) => app.request(path, init);
  const register = (name = "Ann") => registerOn(request, name);
  const close = async () => {
    await queues.stop();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  const { db } = database;
  const seeding = "seeding" in database ? database.seeding : db;
  return { app, services, files, db, seeding, dataDir, request, register, close };
}

/**
 * One owner for all users of all tests: a process that draws starts for each owner, and most tests register their own.
 * That users share none is what test/engine/sandbox tells.
 */
function ownerlessTaskPool(): TaskPool {
  const pool = serviceTaskPool();
  return {
    ...pool,
    run: (kind, input, options) => pool.run(kind, input, { ...options, owner: "tests" }),
    runAdded: (task, input, options) => pool.runAdded(task, input, { ...options, owner: "tests" }),
  };
}

/** Retries webhooks and deliveries without delay. */
const withFastRetries = ({ webhooks, deliveries, ...rules }: typeof queueRules) => ({
  ...rules,
  deliveries: { ...deliveries, pollingSeconds: 0.5, retries: { limit: 5, delaySeconds: 0, maxDelaySeconds: 0 } },
  webhooks: { ...webhooks, pollingSeconds: 0.5, retries: { limit: 5, delaySeconds: 0, maxDelaySeconds: 0 } },
});

export type OwnService = Awaited<ReturnType<typeof testService>>;

/** A service that others may use, too. */
export type TestService = Omit<OwnService, "close">;

let shared: Promise<TestService> | undefined;

/**
 * One service with the default settings for all files of a process: users differ. It lives as long as the process; the
 * next run removes its folder.
 */
export const sharedService = (): Promise<TestService> => {
  shared ??= testService();
  return shared;
};

export const password = "correct horse battery staple";

export async function registerOn(
  request: (path: string, init?: RequestInit) => ResponseOrPromise,
  name: string,
): Promise<TestUser> {
  const email = `${name.toLowerCase().replaceAll(/\W/g, "")}.${crypto.randomUUID()}@example.com`;
  const response = await request("/api/auth/register", jsonInit("POST", { email, password, name }));
  if (response.status !== 201) throw new Error(await response.text());
  const { user, accessToken, refreshToken } = await response.json();

  const asUser = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${accessToken}`);
    return request(path, { ...init, headers });
  };
  const json = (method: string, path: string, body?: unknown, headers: Variables = {}) =>
    asUser(path, jsonInit(method, body, headers));
  return { user, accessToken, refreshToken, request: asUser, json };
}

/** The init of a request with a JSON body, or without a body if it is undefined. */
export const jsonInit = (method: string, body?: unknown, headers: Variables = {}): RequestInit =>
  body === undefined
    ? { method, headers }
    : { method, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
