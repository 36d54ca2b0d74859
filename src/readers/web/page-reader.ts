import { join, resolve } from "node:path";
import type { PageReader, WebPage } from "../../domain/ai/style-guide/web-pages.ts";
import { runSandboxed, SandboxedProcessError, type SandboxOptions } from "../../engine/sandbox/one-shot-process.ts";
import { concurrencyLimit } from "../../platform/limits/concurrency-limit.ts";
import { type CpuBudget, cpuBudget } from "../../platform/limits/cpu-budget.ts";

// 5 MB of only tags take 700 MB; Bun itself reserves 400 MB of address space
const limits = { fileBytes: 0, memoryBytes: 2 ** 31 };

const requests = { concurrency: 3, perOwner: 2, maxQueuedPerOwner: 20, maxQueued: 200, retryAfterSeconds: 10 };

/** Parses pages in sandboxed processes. The limits are those of one page. */
export function pageReader({
  cpu = cpuBudget() as Pick<CpuBudget, "uploads">,
  cpuSeconds = 4,
  timeoutMilliseconds = 30_000,
} = {}): PageReader {
  const limit = concurrencyLimit(requests);
  const pageLimits = { limits: { ...limits, cpuSeconds }, timeoutMilliseconds };
  return {
    read: (path, options) =>
      limit(
        () => cpu.uploads(() => parseSandboxed(resolve(path), { ...pageLimits, signal: options.signal }), options),
        options,
      ),
  };
}

const program = join(import.meta.dir, "page-parser.ts");

/** Undefined if the file is not a page, or exceeds a limit. */
async function parseSandboxed(path: string, options: Omit<SandboxOptions, "reads">): Promise<WebPage | undefined> {
  try {
    const page = await runSandboxed<WebPage | null>(program, [path], { ...options, reads: [path] });
    return page ?? undefined;
  } catch (error) {
    if (error instanceof SandboxedProcessError) return undefined;
    throw error;
  }
}
