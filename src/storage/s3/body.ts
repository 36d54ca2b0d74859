import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { isDomainError } from "../../errors.ts";
import { reportStreamedBytes } from "../../platform/cpu.ts";
import { mapDiskFull } from "../../platform/files.ts";
import type { Bucket } from "./bucket.ts";
import { unavailable } from "./errors.ts";
import type { ByteRange } from "./request.ts";

/** A transfer that stalls for this long is broken. */
const stallMs = 10_000;

/** How often a transfer is resumed without receiving a byte. */
const maxFailures = 3;

type BodyOptions = { readonly range: ByteRange; readonly signal: AbortSignal; readonly first: Response };

/** The body of `first`, the response for `range`, in chunks. After an interruption, the rest is requested again. */
async function* bodyOf(bucket: Bucket, key: string, { range, signal, first }: BodyOptions): AsyncGenerator<Uint8Array> {
  let position = range.start;
  let failures = 0;
  for (let response = first; ; ) {
    try {
      for await (const chunk of chunksOf(response)) {
        position += chunk.byteLength;
        failures = 0;
        reportStreamedBytes(chunk.byteLength);
        yield chunk;
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      failures += 1;
      if (failures === maxFailures) throw unavailable(error);
    }
    if (position >= range.end) return;
    response = await bucket.get(key, { range: { ...range, start: position }, signal });
  }
}

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body!.getReader(); // safe because responses to GET have a body
  try {
    for (;;) {
      const { done, value } = await withStallTimeout(reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    // ends an incomplete request
    await reader.cancel().catch(() => {});
  }
}

async function withStallTimeout<T>(read: Promise<T>): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("The transfer stalled.")), stallMs);
  try {
    return await Promise.race([read, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Streams a range of a non-empty object; holds one chunk at a time. Rejects before the first byte. */
export async function streamObject(bucket: Bucket, key: string, range: ByteRange): Promise<ReadableStream<Uint8Array>> {
  const aborted = new AbortController();
  const { signal } = aborted;
  const first = await bucket.get(key, { range, signal });
  const chunks = bodyOf(bucket, key, { range, signal, first });
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        aborted.abort();
        await chunks.return(undefined).catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}

/** How often an object with a wrong hash is downloaded. */
const maxDownloads = 2;

/** The bytes must have the hash `sha256`, or else their stored hash. A failure leaves no file. */
export async function downloadObject(bucket: Bucket, key: string, path: string, sha256?: string): Promise<Date> {
  for (let attempt = 1; ; attempt += 1) {
    const first = await bucket.get(key);
    const expected = sha256 ?? first.headers.get("x-amz-meta-sha256");
    const received = await writeBody(bucket, key, path, first);
    if (expected === null || received === expected) return new Date(first.headers.get("last-modified") ?? 0);
    await rm(path, { force: true });
    if (attempt === maxDownloads) throw unavailable(new Error("The object's bytes have another hash."));
  }
}

async function writeBody(bucket: Bucket, key: string, path: string, first: Response): Promise<string> {
  const range = { start: 0, end: Number(first.headers.get("content-length") ?? Number.POSITIVE_INFINITY) };
  const { signal } = new AbortController();
  const hash = createHash("sha256");
  const file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of bodyOf(bucket, key, { range, signal, first })) {
      // the disk writes while this thread hashes
      const written = mapDiskFull(file.writeFile(chunk));
      hash.update(chunk);
      await written;
    }
  } catch (error) {
    await rm(path, { force: true });
    throw isDomainError(error) ? error : unavailable(error);
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}
