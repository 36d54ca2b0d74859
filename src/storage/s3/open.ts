import type { StorageFiles } from "../files/local-files.ts";
import { type Bucket, openBucket } from "./bucket.ts";
import { StoreRefusal } from "./errors.ts";
import { s3Files } from "./files.ts";
import type { ObserveRequest, StoreAccess } from "./request.ts";

type ObjectStorageSettings = Omit<StoreAccess, "endpoint" | "region"> & {
  /** By default, Amazon's own endpoint in the region. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** The store's public URL. */
  readonly publicUrl?: string | undefined;
  /** The prefix of all keys; empty or ending in a slash. */
  readonly prefix: string;
  readonly dataDir: string;
  readonly scratchBytes: number;
  readonly observe?: ObserveRequest | undefined;
};

type ObjectStorage = { readonly files: StorageFiles; readonly bucket: Bucket; readonly description: string };

/** Fills in Amazon's own endpoint and region where settings are missing. */
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

/** No request waits yet, and a machine that starts many processes is slow. */
const startTime = { attemptMs: 15_000, totalMs: 20_000 };

/** Sends every kind of request that the service uses. */
async function useOnce(bucket: Bucket): Promise<void> {
  const key = `start-check-${crypto.randomUUID()}`;
  const sha256 = new Bun.CryptoHasher("sha256").update("check").digest("hex");
  // with a body, so that a refusal has a code, unlike for HEAD
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
