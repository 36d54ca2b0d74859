import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openObjectStorage } from "../../../src/storage/s3/open.ts";
import type { StoreAccess } from "../../../src/storage/s3/request.ts";
import { s3Server } from "../../support/s3-server.ts";

const server = s3Server();
const dataDir = await mkdtemp(join(tmpdir(), "reelwright-s3-"));
afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const messageOf = (access: StoreAccess) =>
  openObjectStorage({ ...access, prefix: "", dataDir, scratchBytes: 1000 }).then(
    ({ description }) => description,
    (error: Error) => error.message,
  );

test("the start describes the bucket and leaves nothing in it", async () => {
  const access = server.newBucket();
  expect(await messageOf(access)).toBe(`objects in the bucket ${access.bucket} at ${access.endpoint}`);
  expect(server.objectsOf(access).size).toBe(0);
});

test("a missing bucket, wrong credentials and an absent store stop the start with one line", async () => {
  const access = server.newBucket();
  const { endpoint } = access;

  expect(await messageOf({ ...access, bucket: "missing" })).toBe(
    `The object store at ${endpoint} has no bucket missing: check S3_BUCKET.`,
  );
  expect(await messageOf({ ...access, secretAccessKey: "wrong" })).toContain("(403 SignatureDoesNotMatch)");
  expect(await messageOf({ ...access, accessKeyId: "wrong" })).toContain("(403 InvalidAccessKeyId)");
  expect(await messageOf({ ...access, endpoint: "http://127.0.0.1:1" })).toBe(
    "The object store at http://127.0.0.1:1 does not respond: check S3_ENDPOINT.",
  );
});

test("a key that may read but not write stops the start", async () => {
  const denied = "<Error><Code>AccessDenied</Code></Error>";
  server.failWith(({ method }) => (method === "PUT" ? new Response(denied, { status: 403 }) : undefined));

  expect(await messageOf(server.newBucket())).toContain("(403 AccessDenied)");
  server.failWith(undefined);
});
