import { resolve } from "node:path";
import { gate } from "../domain/gate.ts";
import type { PageReader, WebPage } from "../domain/web-pages.ts";
import { ApartError, runApart } from "./run-apart.ts";

// a page of 5 MB that is nothing but tags takes 700 MB beside the 400 MB of address space that Bun takes itself
const limits = { cpuSeconds: 4, fileBytes: 0, memoryBytes: 2 ** 31 };
const timeoutMilliseconds = 10_000;

export function pageReader(): PageReader {
  const oneOfFew = gate({ concurrency: 2, queueLength: 20, retryAfterSeconds: 10 });
  return { read: (path, signal) => oneOfFew(() => readApart(resolve(path), signal), signal) };
}

async function readApart(path: string, signal: AbortSignal): Promise<WebPage | undefined> {
  try {
    const page = await runApart<WebPage | null>("web-page-parser.ts", [path], { limits, timeoutMilliseconds, signal });
    return page ?? undefined;
  } catch (error) {
    if (error instanceof ApartError) return undefined;
    throw error;
  }
}
