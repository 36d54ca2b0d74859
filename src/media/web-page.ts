import { resolve } from "node:path";
import { gate } from "../domain/gate.ts";
import type { PageReader, WebPage } from "../domain/web-pages.ts";
import { ApartError, runApart } from "./run-apart.ts";

// a page of 5 MB that is nothing but tags takes 700 MB beside the 400 MB of address space that Bun takes itself
const limits = { fileBytes: 0, memoryBytes: 2 ** 31 };
const timeoutMilliseconds = 10_000;

/** `cpuSeconds` are what a page may cost. */
export function pageReader({ cpuSeconds = 4 } = {}): PageReader {
  const oneOfFew = gate({ concurrency: 2, queueLength: 20, retryAfterSeconds: 10 });
  return { read: (path, signal) => oneOfFew(() => readApart(resolve(path), cpuSeconds, signal), signal) };
}

async function readApart(path: string, cpuSeconds: number, signal: AbortSignal): Promise<WebPage | undefined> {
  const options = { limits: { ...limits, cpuSeconds }, timeoutMilliseconds, signal };
  try {
    const page = await runApart<WebPage | null>("web-page-parser.ts", [path], options);
    return page ?? undefined;
  } catch (error) {
    if (error instanceof ApartError) return undefined;
    throw error;
  }
}
