import type { IncomingMessage } from "node:http";
import { addAbortSignal, pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Fetcher, Message } from "../../domain/files/fetcher.ts";
import type { FileStore, ReceivedFile } from "../../domain/files/file-store.ts";
import { DomainError } from "../../errors.ts";
import { parseRetryAfter } from "../../platform/retry-after.ts";
import { checkUrl, type Guard, readUrl, systemResolver, type Target } from "./address.ts";
import { openTarget } from "./connection.ts";

const downloadMilliseconds = 60_000;
const postMilliseconds = 10_000;
const maxRedirects = 5;

type Options = Omit<Guard, "resolve"> & Partial<Guard> & { readonly files: FileStore };

/** One download: what to read, how much of it, and the request field to name in errors. */
type Download = Parameters<Fetcher["download"]>[1];

export function guardedFetcher({ files, resolve = systemResolver, ...rest }: Options): Fetcher {
  const guard = { ...rest, resolve };
  return {
    check: (url, { path }) => void readUrl(url, path, guard),

    download: (url, { path, maxBytes, signal }) =>
      inTime({ path, signal }, downloadMilliseconds, async (hurry) => {
        const download = { path, maxBytes, signal: hurry };
        return await receive(files, await follow(url, download, guard), download);
      }),

    lookUp: (url, { path }) =>
      inTime({ path }, postMilliseconds, async (hurry) => void (await checkedSoon(url, path, guard, hurry))),

    post: (url, message, asked) =>
      inTime(asked, postMilliseconds, async (hurry) => {
        const target = await checkedSoon(url, asked.path, guard, hurry);
        const response = await reach(target, asked.path, hurry, message);
        response.destroy();
        const retryAfterSeconds = parseRetryAfter(response.headers["retry-after"]);
        // safe because every answer of a server has a status
        return { status: response.statusCode!, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
      }),
  };
}

type Asked = { readonly path: string; readonly signal?: AbortSignal };

/** Ends by the deadline, if `work` heeds its signal. */
async function inTime<T>(
  { path, signal }: Asked,
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(milliseconds);
  try {
    return await work(signal ? AbortSignal.any([signal, deadline]) : deadline);
  } catch (error) {
    signal?.throwIfAborted();
    throw deadline.aborted ? unreachable(path, "it took too long", error) : error;
  }
}

/** A look-up of a name cannot be stopped: it is left behind. */
async function checkedSoon(url: string, path: string, guard: Guard, signal: AbortSignal): Promise<Target> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([checkUrl(url, path, guard), late]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

const unreachable = (path: string, reason: string, cause?: unknown) =>
  new DomainError("url_unreachable", { path, reason }, { cause });

/** Redirects are followed by hand: each may lead somewhere that must not be read. */
async function follow(first: string, { path, signal }: Download, guard: Guard): Promise<IncomingMessage> {
  let address = first;
  for (let hops = 0; hops <= maxRedirects; hops++) {
    const target = await checkUrl(address, path, guard);
    const response = await reach(target, path, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 200 && statusCode < 300) return response;

    response.destroy();
    if (!redirects.has(statusCode)) throw unreachable(path, `its server answered ${statusCode}`);
    if (!headers.location || !URL.canParse(headers.location, target.url)) throw unreachable(path, "it leads nowhere");
    address = new URL(headers.location, target.url).href;
  }
  throw unreachable(path, `it was redirected more than ${maxRedirects} times`);
}

const reach = (target: Target, path: string, signal: AbortSignal, message?: Message) =>
  openTarget(target, signal, message).catch((cause) => {
    throw unreachable(path, "its server could not be reached", cause);
  });

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

async function receive(files: FileStore, response: IncomingMessage, download: Download): Promise<ReceivedFile> {
  const { maxBytes } = download;
  try {
    if (declaredBytes(response) > maxBytes) throw new DomainError("payload_too_large", { maxBytes });
    return await files.receive(Readable.from(bytesOf(response, download), { objectMode: false }), maxBytes);
  } finally {
    response.destroy();
  }
}

const declaredBytes = ({ headers }: IncomingMessage) => Number(headers["content-length"] ?? Number.NaN);

/** The decoded bytes, so that whoever counts them counts what a compressed bomb becomes. */
async function* bytesOf(response: IncomingMessage, { path, signal }: Download): AsyncGenerator<Uint8Array> {
  const body = decode(response, path);
  addAbortSignal(signal, body);
  let sizeBytes = 0;
  try {
    for await (const chunk of body) {
      sizeBytes += chunk.byteLength;
      yield chunk;
    }
  } catch (cause) {
    throw unreachable(path, "its server broke off", cause);
  }
  const isCut = body === response && sizeBytes < declaredBytes(response);
  if (isCut) throw unreachable(path, "its server sent less than it promised");
}

/** Some servers compress although they were asked not to. */
function decode(response: IncomingMessage, path: string): Readable {
  const encoding = response.headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (encoding === "identity") return response;
  const decoder = decoders.get(encoding)?.();
  if (!decoder) throw unreachable(path, "its encoding is not known");
  // what fails on the way fails the decoder too, where it is noticed
  return pipeline(response, decoder, () => {});
}

const decoders: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);
