import { join, resolve } from "node:path";
import type { PageReader, WebPage } from "../../domain/ai/style-guide/web-pages.ts";
import { concurrencyLimit } from "../../platform/concurrency-limit.ts";
import { runSandboxed, SandboxedProcessError } from "../ffmpeg/sandboxed-process.ts";

// 5 MB of nothing but tags take 700 MB; Bun itself reserves 400 MB of address space
const limits = { fileBytes: 0, memoryBytes: 2 ** 31 };
const timeoutMilliseconds = 10_000;

const slots = { concurrency: 3, perOwner: 2, maxQueuedPerOwner: 20, maxQueued: 200, retryAfterSeconds: 10 };

/** Parses pages in sandboxed processes. `cpuSeconds` is the limit of one page. */
export function pageReader({ cpuSeconds = 4 } = {}): PageReader {
  const limit = concurrencyLimit(slots);
  return { read: (path, options) => limit(() => parseSandboxed(resolve(path), cpuSeconds, options.signal), options) };
}

/** Undefined if the file is not a page, or exceeds a limit. */
async function parseSandboxed(path: string, cpuSeconds: number, signal: AbortSignal): Promise<WebPage | undefined> {
  const options = { limits: { ...limits, cpuSeconds }, timeoutMilliseconds, signal };
  try {
    const page = await runSandboxed<WebPage | null>(join(import.meta.dir, "page-parser.ts"), [path], options);
    return page ?? undefined;
  } catch (error) {
    if (error instanceof SandboxedProcessError) return undefined;
    throw error;
  }
}
