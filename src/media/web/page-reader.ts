import { join, resolve } from "node:path";
import type { PageReader, WebPage } from "../../domain/ai/style-guide/web-pages.ts";
import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import { runSandboxed, SandboxedProcessError } from "../ffmpeg/sandboxed-process.ts";

// a page of 5 MB that is nothing but tags takes 700 MB beside the 400 MB of address space that Bun takes itself
const limits = { fileBytes: 0, memoryBytes: 2 ** 31 };
const timeoutMilliseconds = 10_000;

/** `cpuSeconds` are what a page may cost. */
export function pageReader({ cpuSeconds = 4 } = {}): PageReader {
  const oneOfFew = concurrencyLimit({ concurrency: 2, queueLength: 20, retryAfterSeconds: 10 });
  return { read: (path, signal) => oneOfFew(() => readApart(resolve(path), cpuSeconds, signal), signal) };
}

async function readApart(path: string, cpuSeconds: number, signal: AbortSignal): Promise<WebPage | undefined> {
  const options = { limits: { ...limits, cpuSeconds }, timeoutMilliseconds, signal };
  try {
    const page = await runSandboxed<WebPage | null>(join(import.meta.dir, "page-parser.ts"), [path], options);
    return page ?? undefined;
  } catch (error) {
    if (error instanceof SandboxedProcessError) return undefined;
    throw error;
  }
}
