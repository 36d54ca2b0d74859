import { readEnvironment } from "../../src/env.ts";
import { StoreRefusal } from "../../src/storage/s3/errors.ts";
import { requestSender } from "../../src/storage/s3/request.ts";

/** Creates the bucket of S3_BUCKET if it does not exist: for a store that starts empty. */
const { S3_ENDPOINT, S3_REGION = "us-east-1", ...env } = readEnvironment();
const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
if (!S3_ENDPOINT || !bucket || !accessKeyId || !secretAccessKey)
  throw new Error("STORAGE=s3 and S3_ENDPOINT are needed");
const send = requestSender({ endpoint: S3_ENDPOINT, region: S3_REGION, bucket, accessKeyId, secretAccessKey });

const bucketExists = (error: unknown) => error instanceof StoreRefusal && error.code === "BucketAlreadyOwnedByYou";
await send({ method: "PUT", key: "", totalMs: 60_000 }).catch((error) => {
  if (!bucketExists(error)) throw error;
});
process.stdout.write(`The bucket ${bucket} exists.\n`);
