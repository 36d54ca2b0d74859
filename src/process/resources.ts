import { randomBytes } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { endAbandonedScenes } from "../domain/ai/generation/scene-lock.ts";
import { noTelemetry, type Telemetry } from "../domain/telemetry/telemetry.ts";
import { type Ffmpeg, findFfmpeg } from "../engine/ffmpeg/ffmpeg.ts";
import type { Environment } from "../env.ts";
import { ffmpegObserved, storeObserved } from "../observability/observed-ports.ts";
import { querySpans } from "../observability/query-spans.ts";
import { requireOpenFiles } from "../platform/files.ts";
import type { LeaseStore } from "../platform/leases.ts";
import { secretFingerprint } from "../security/secret-hashes.ts";
import {
  noteSecretUse,
  otherSecretAdvice,
  otherSecretSentence,
  otherSecretUse,
} from "../storage/accounts/secret-uses.ts";
import { type Database, type DatabaseHandle, openDatabase } from "../storage/database/database.ts";
import { diskFiles, readOrCreate } from "../storage/files/disk-files.ts";
import type { StorageFiles } from "../storage/files/local-files.ts";
import { makePrivate } from "../storage/files/private-data.ts";
import { leaseStore } from "../storage/leases/store.ts";
import { type JobQueues, jobQueues } from "../storage/queue/job-queue.ts";
import { embeddedQueueRules, queueRules } from "../storage/queue/rules.ts";
import type { Bucket } from "../storage/s3/bucket.ts";
import { openObjectStorage } from "../storage/s3/open.ts";
import type { ObserveRequest } from "../storage/s3/request.ts";
import { workStore } from "../storage/works/store.ts";

/** Resources that a process opens at its start. */
export type Resources = {
  readonly database: DatabaseHandle;
  readonly files: StorageFiles;
  /** Equal for all processes that share the data folder. */
  readonly folderId: string;
  /** Undefined if files are stored on the disk. */
  readonly bucket?: Bucket;
  /** The location of stored files, for people. */
  readonly storage: string;
  readonly ffmpeg: Ffmpeg;
  readonly jwtSecret: string;
  readonly queues: JobQueues;
  readonly leases: LeaseStore;
};

/** Opens the database first, because it locks the data folder. Rejects with a one-line message. */
export async function openResources(env: Environment, telemetry: Telemetry = noTelemetry): Promise<Resources> {
  requireOpenFiles();
  const { tracing } = telemetry;
  await mkdir(env.DATA_DIR, { recursive: true }).catch((cause: NodeJS.ErrnoException) => {
    throw new Error(`The folder of DATA_DIR, ${env.DATA_DIR}, cannot be created: ${cause.code}.`, { cause });
  });
  const ffmpeg = findFfmpeg(env.FFMPEG_PATH, (process) => ffmpegObserved(telemetry, process));
  // awaited below, after the database; until then a rejection would count as unhandled
  ffmpeg.catch(() => {});
  const database = await openDatabase({
    databaseUrl: env.DATABASE_URL,
    dataDir: env.DATA_DIR,
    template: env.DATABASE_TEMPLATE,
    poolSize: env.DATABASE_POOL_SIZE,
    ...(tracing !== noTelemetry.tracing && { trace: querySpans(tracing) }),
  });
  try {
    // The lock on the folder proves that no other process is running. With a database server, leases expire instead.
    const leases = leaseStore(database.db);
    if (!env.DATABASE_URL) {
      await leases.releaseAll();
      await endAbandonedScenes({ works: workStore(database.db), leases }, Date.now());
    }
    await removeOldCaches(env.DATA_DIR);
    // after the database, which makes its first files readable by everyone, whatever the umask
    makePrivate(env.DATA_DIR);
    const jwtSecret = await jwtSecretOf(env);
    await warnOfOtherSecret(database.db, jwtSecret);
    const queues = env.DATABASE_URL
      ? jobQueues(database.queueConnection, queueRules, { leases })
      : jobQueues(database.queueConnection, embeddedQueueRules);
    const folderId = await readOrCreate(join(env.DATA_DIR, "folder-id"), crypto.randomUUID());
    return {
      database,
      ...(await openStorage(env, (request) => storeObserved(telemetry, request))),
      folderId,
      ffmpeg: await ffmpeg,
      jwtSecret,
      queues,
      leases,
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Removes entry points and half-size copies that earlier versions built of every upload and that nothing reads. */
const removeOldCaches = (dataDir: string) => rm(join(dataDir, "prepared"), { recursive: true, force: true });

/** Rejects with a one-line message if the files cannot be stored. */
export async function openStorage(
  env: Environment,
  observe?: ObserveRequest,
): Promise<Pick<Resources, "files" | "storage" | "bucket">> {
  const { DATA_DIR: dataDir } = env;
  if (env.STORAGE === "local") return { files: await diskFiles(dataDir), storage: `files in ${resolve(dataDir)}` };
  const { description, ...opened } = await openObjectStorage({
    ...bucketSettings(env),
    dataDir,
    scratchBytes: env.S3_SCRATCH_BYTES,
    observe,
  });
  return { ...opened, storage: description };
}

/** Only for `STORAGE=s3`. */
export const bucketSettings = (env: Environment) => ({
  endpoint: env.S3_ENDPOINT,
  publicUrl: env.S3_PUBLIC_URL,
  region: env.S3_REGION,
  // safe because the environment was validated: they are set with STORAGE=s3
  bucket: env.S3_BUCKET!,
  accessKeyId: env.S3_ACCESS_KEY_ID!,
  secretAccessKey: env.S3_SECRET_ACCESS_KEY!,
  prefix: env.S3_PREFIX ? env.S3_PREFIX.replace(/\/*$/, "/") : "",
});

const secretFile = "jwt-secret";

/** Without the setting, it is created once, so that access tokens stay valid after a restart. */
export const jwtSecretOf = async ({ JWT_SECRET, DATA_DIR }: Environment): Promise<string> =>
  JWT_SECRET ?? (await readOrCreate(join(DATA_DIR, secretFile), randomBytes(32).toString("hex")));

/** Like `jwtSecretOf`, but creates none. */
export async function existingSecretOf({ JWT_SECRET, DATA_DIR }: Environment): Promise<string | undefined> {
  const file = Bun.file(join(DATA_DIR, secretFile));
  return JWT_SECRET ?? ((await file.exists()) ? await file.text() : undefined);
}

/** Logs a warning if other processes have another secret. */
async function warnOfOtherSecret(db: Database, jwtSecret: string): Promise<void> {
  const own = secretFingerprint(jwtSecret);
  const usedAt = await otherSecretUse(db, own);
  if (usedAt) process.stderr.write(`${otherSecretSentence(usedAt)} ${otherSecretAdvice}\n`);
  await noteSecretUse(db, own);
}
