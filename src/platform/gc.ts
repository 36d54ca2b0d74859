import { edenGC } from "bun:jsc";

/** What may pass between two quick collections, each a millisecond or two. */
const quickBytes = 8 * 1024 * 1024;

/** What was in use during a quick collection counts as old; only a full one, some ten milliseconds, frees it. */
const quickPerFull = 32;

let passedBytes = 0;
let collections = 0;

/**
 * Collects what large bodies leave behind as they pass, in whichever direction. The engine itself waits for as much
 * garbage as it holds live: with a database inside, that is 400 MB for one upload of 1 GB.
 */
export function reportStreamedBytes(sizeBytes: number): void {
  passedBytes += sizeBytes;
  if (passedBytes < quickBytes) return;
  passedBytes = 0;
  collections += 1;
  if (collections % quickPerFull === 0) Bun.gc(true);
  else edenGC();
}
