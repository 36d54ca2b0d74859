import type { Environment } from "../../env.ts";
import { upperFirst } from "../../platform/field-sentences.ts";
import { bucketSettings } from "../../process/resources.ts";
import { type Bucket, openBucket } from "../../storage/s3/bucket.ts";
import { StoreRefusal } from "../../storage/s3/errors.ts";
import { accessOf } from "../../storage/s3/open.ts";
import { type Check, clockFinding, type Finding, failure, ok, warning } from "./check.ts";

/** Sends every kind of request of the service once to the bucket. */
export const objectStorageCheck: Check = {
  name: "storage",
  settings: [
    "STORAGE",
    "S3_ENDPOINT",
    "S3_PUBLIC_URL",
    "S3_BUCKET",
    "S3_PREFIX",
    "S3_REGION",
    "S3_ACCESS_KEY_ID",
    "S3_SECRET_ACCESS_KEY",
  ],
  async run(environment) {
    if (environment.STORAGE === "local") return [ok("Files are kept on the disk.")];
    const access = accessOf(bucketSettings(environment));
    const bucket = openBucket(access, { prefix: access.prefix, publicEndpoint: access.publicUrl });
    const location = `the bucket ${access.bucket} at ${access.endpoint}`;
    return await probeBucket(bucket, location, environment);
  },
};

type Step = { readonly verb: string; readonly permission: string; run(): Promise<unknown> };

async function probeBucket(
  bucket: Bucket,
  location: string,
  { S3_PUBLIC_URL }: Environment,
): Promise<readonly Finding[]> {
  const key = `check-${crypto.randomUUID()}`;
  const sha256 = new Bun.CryptoHasher("sha256").update("check").digest("hex");
  const findings: Finding[] = [];
  const steps: readonly Step[] = [
    {
      verb: "listing",
      permission: "s3:ListBucket",
      run: async () => {
        for await (const _ of bucket.list(key)) break;
      },
    },
    { verb: "writing", permission: "s3:PutObject", run: () => bucket.put(key, new Blob(["check"]), { sha256 }) },
    {
      verb: "reading",
      permission: "s3:GetObject",
      run: async () => findings.push(...(await readProbe(bucket, key))),
    },
    {
      verb: "public reading",
      permission: "s3:GetObject",
      run: async () => findings.push(...(S3_PUBLIC_URL ? await readPublicly(bucket, key) : [])),
    },
    { verb: "deleting", permission: "s3:DeleteObject", run: () => bucket.remove(key) },
  ];
  for (const step of steps) {
    const refused = await step.run().then(
      () => undefined,
      (error) => refusal(error, step, location),
    );
    if (refused) return [refused, ...findings];
  }
  return [ok(`Objects in ${location} are listed, written, read and deleted.`), ...findings];
}

async function readProbe(bucket: Bucket, key: string): Promise<readonly Finding[]> {
  const sentAt = Date.now();
  const response = await bucket.get(key);
  const date = Date.parse(response.headers.get("date") ?? "");
  const isWhole = (await response.text()) === "check";
  if (!isWhole) return [failure("An object is not read back as it was written.", "Check the store.")];
  // the header has whole seconds
  return Number.isNaN(date) ? [] : [clockFinding("the object store", date + 500 - (sentAt + Date.now()) / 2)];
}

/** Reads a URL as browsers get it. This machine may not reach the browsers' address. */
async function readPublicly(bucket: Bucket, key: string): Promise<readonly Finding[]> {
  const url = await bucket.presign(key, {}, 60);
  const response = await fetch(url, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
  const status = response ? `answers ${response.status}` : "does not answer";
  if (response?.ok) return [ok("Signed URLs work at S3_PUBLIC_URL.")];
  return [
    warning(`S3_PUBLIC_URL ${status} from this machine.`, "Check that browsers reach the bucket at that address."),
  ];
}

/** Advice for the error codes of S3. */
const fixes: Readonly<Record<string, string>> = {
  NoSuchBucket: "Create the bucket, or correct S3_BUCKET.",
  InvalidAccessKeyId: "Correct S3_ACCESS_KEY_ID.",
  SignatureDoesNotMatch: "Correct S3_SECRET_ACCESS_KEY.",
  RequestTimeTooSkewed: "The clock of this machine is wrong: synchronize it with NTP.",
  AuthorizationHeaderMalformed: "Correct S3_REGION.",
  PermanentRedirect: "Correct S3_REGION and S3_ENDPOINT: the bucket is elsewhere.",
  TemporaryRedirect: "Correct S3_REGION and S3_ENDPOINT: the bucket is elsewhere.",
  InvalidRegion: "Correct S3_REGION.",
};

function refusal(error: unknown, { verb, permission }: Step, location: string): Finding {
  const cause = error instanceof Error ? error.cause : undefined;
  const refused = error instanceof StoreRefusal ? error : cause instanceof StoreRefusal ? cause : undefined;
  if (!refused) return failure(`There is no answer from ${location}.`, "Start the store, or correct S3_ENDPOINT.");
  const { status, code } = refused;
  const fix = fixes[code] ?? (status === 403 ? `Allow the key ${permission}.` : "Check the store and the S3 settings.");
  return failure(`${upperFirst(verb)} in ${location} is refused (${`${status} ${code}`.trim()}).`, fix);
}
