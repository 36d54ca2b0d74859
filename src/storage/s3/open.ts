import type { StorageFiles } from "../files/local-files.ts";
import { type Bucket, openBucket } from "./bucket.ts";
import { StoreRefusal } from "./errors.ts";
import { s3Files } from "./files.ts";
import type { ObserveRequest, StoreAccess } from "./request.ts";

type ObjectStorageSettings = Omit<StoreAccess, "endpoint" | "region"> & {
  /** Amazon's own in the region by default. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** The store's address for everyone. */
  readonly publicUrl?: string | undefined;
  /** Begins the keys of all objects; empty or ending in a slash. */
  readonly prefix: string;
  readonly dataDir: string;
  readonly scratchBytes: number;
  readonly observe?: ObserveRequest | undefined;
};

type ObjectStorage = { readonly files: StorageFiles; readonly bucket: Bucket; readonly description: string };

/** With Amazon's own endpoint and region where the settings have none. */
export function accessOf<Settings extends Pick<ObjectStorageSettings, "endpoint" | "region">>(settings: Settings) {
  const { region = "us-east-1" } = settings;
  const { endpoint = `https://s3.${region}.amazonaws.com` } = settings;
  return { ...settings, region, endpoint };
}

/** Rejects with a one-line message if the bucket cannot be listed, written and read. */
export async function openObjectStorage(settings: ObjectStorageSettings): Promise<ObjectStorage> {
  const { publicUrl, prefix, dataDir, scratchBytes, observe } = settings;
  const access = accessOf(settings);
  const bucket = openBucket(access, { prefix, publicEndpoint: publicUrl, observe });
  await useOnce(openBucket(access, { prefix, observe, time: startTime })).catch((error) => {
    throw new Error(startMessage(error, access), { cause: error });
  });
  const files = await s3Files({ bucket, dataDir, scratchBytes, hasPublicUrls: publicUrl !== undefined });
  return { files, bucket, description: `objects in the bucket ${access.bucket} at ${access.endpoint}` };
}

/** Nobody waits for a request yet, and a machine that starts many processes is slow. */
const startTime = { attemptMs: 15_000, totalMs: 20_000 };

/** Every kind of request that the service sends. */
async function useOnce(bucket: Bucket): Promise<void> {
  const key = `start-check-${crypto.randomUUID()}`;
  const sha256 = new Bun.CryptoHasher("sha256").update("check").digest("hex");
  // with a body, so that a refusal has a code, which that of HEAD has not
  for await (const _ of bucket.list(key)) break;
  await bucket.put(key, new Blob(["check"]), { sha256 });
  await (await bucket.get(key)).text();
  await bucket.remove(key);
}

function startMessage(error: unknown, { bucket, endpoint }: StoreAccess): string {
  const refusal = error instanceof Error && error.cause instanceof StoreRefusal ? error.cause : undefined;
  if (!refusal) return `The object store at ${endpoint} does not respond: check S3_ENDPOINT.`;
  const { status, code } = refusal;
  if (code === "NoSuchBucket") return `The object store at ${endpoint} has no bucket ${bucket}: check S3_BUCKET.`;
  const reason = `The object store at ${endpoint} refuses access to the bucket ${bucket} (${status} ${code})`;
  return `${reason}: check S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_REGION and the permissions of the key.`;
}
