import { edenGC } from "bun:jsc";

/** Bytes between two young-generation collections, which take 1 to 2 ms each. */
const edenIntervalBytes = 8 * 1024 * 1024;

/** Objects that survive a young-generation collection become old: only a full collection, about 10 ms, frees them. */
const edenPerFull = 32;

let bytesSinceCollection = 0;
let collections = 0;

/**
 * Reports bytes of a streamed body, received or sent, and collects their garbage at intervals. JavaScriptCore alone
 * lets garbage grow to the size of the live heap: with the embedded database, 400 MB for an upload of 1 GB.
 */
export function reportStreamedBytes(sizeBytes: number): void {
  bytesSinceCollection += sizeBytes;
  if (bytesSinceCollection < edenIntervalBytes) return;
  bytesSinceCollection = 0;
  collections += 1;
  if (collections % edenPerFull === 0) Bun.gc(true);
  else edenGC();
}

/** Bytes between two full collections of chunks that waited in queues. */
const queuedIntervalBytes = 64 * 1024 * 1024;

let queuedBytes = 0;

/** Reports bytes that waited in stream queues until a young-generation collection made them old. */
export function reportQueuedBytes(sizeBytes: number): void {
  queuedBytes += sizeBytes;
  if (queuedBytes < queuedIntervalBytes) return;
  queuedBytes = 0;
  Bun.gc(true);
}
