import { Readable } from "node:stream";
import { z } from "zod";
import type { FileStore, ReceivedFile } from "../../engine/ports.ts";
import { DomainError } from "../../errors.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { badResponse, toProviderError } from "../client/errors.ts";
import { decodeBase64, sendJson } from "../client/json-client.ts";
import { limitedFetch, NetworkError } from "../client/limited-fetch.ts";
import { type Backoff, type RetryPolicy, withRetry } from "../client/retry.ts";
import { keyHeader } from "./auth.ts";
import type { OutputVideo } from "./omni-response.ts";

const maxVideoBytes = 500_000_000;
const maxDownloads = 3;
/** Aborts a download that receives no byte for this long. */
const idleTimeoutMs = 60_000;

type DownloadOptions = {
  readonly credentials: ModelCredentials;
  readonly files: Pick<FileStore, "receive">;
  readonly backoff: Backoff;
  readonly signal: AbortSignal;
};

/** Receives the video of a job as a file. A broken download is repeated, because a download costs nothing. */
export async function receiveVideo(video: OutputVideo, options: DownloadOptions): Promise<ReceivedFile> {
  if ("uri" in video) return download(downloadUrl(video.uri, options.credentials), options);
  const bytes = decodeBase64(video.data);
  if (!bytes) throw notAVideo(options.credentials);
  return options.files.receive(Readable.from(requireMp4([bytes], options.credentials)), maxVideoBytes);
}

/** Only URLs on the provider's own origin: the request carries the key, and must not reach a private network. */
function downloadUrl(uri: string, credentials: ModelCredentials): URL {
  const url = URL.parse(uri);
  if (url?.origin !== new URL(credentials.baseUrl).origin) {
    throw badResponse(credentials, "its video URL is on another host");
  }
  if (/\/files\/[^/:]+$/.test(url.pathname)) url.pathname += ":download";
  url.searchParams.set("alt", "media");
  return url;
}

/** Waits while the file is not ready, and repeats a failed download twice. */
function download(url: URL, options: DownloadOptions): Promise<ReceivedFile> {
  const { credentials, backoff, signal } = options;
  let failures = 0;
  const policy: RetryPolicy = (error, attempt) => {
    const delayMs = backoff(attempt - 1);
    if (error instanceof FileNotReadyError) return delayMs;
    failures += 1;
    const isRetryable = toProviderError(error, credentials).code === "provider_error";
    return isRetryable && failures < maxDownloads ? delayMs : undefined;
  };
  return withRetry(() => downloadOnce(url, options), signal, policy);
}

async function downloadOnce(url: URL, options: DownloadOptions): Promise<ReceivedFile> {
  const { credentials, files, signal } = options;
  const idle = idleTimeout();
  try {
    const response = await limitedFetch({ maxBytes: maxVideoBytes })(url, {
      headers: keyHeader(credentials),
      signal: AbortSignal.any([signal, idle.signal]),
    });
    if (!response.ok || !response.body) throw await downloadError(response, url, options);
    const bytes = withProgress(response.body, idle.restart);
    return await files.receive(Readable.from(requireMp4(bytes, credentials)), maxVideoBytes);
  } finally {
    idle.clear();
  }
}

class FileNotReadyError extends Error {
  override readonly name = "FileNotReadyError";
}

const FileStatus = z.object({ state: z.string().optional() });

/** A job may be complete before its file can be read: then the file's state is PROCESSING. */
async function downloadError(
  response: Response,
  { pathname }: URL,
  { credentials, signal }: DownloadOptions,
): Promise<Error> {
  await response.body?.cancel();
  const [, file] = /\/files\/([^/:]+)/.exec(pathname) ?? [];
  const isClientError = response.status >= 400 && response.status < 500;
  const state = isClientError && file ? await fileState(file, credentials, signal) : undefined;
  if (state === "PROCESSING") return new FileNotReadyError("The file is not ready.");
  return new DomainError("provider_error", {
    reason: `${credentials.providerName} did not serve the generated video`,
    // the video is charged for
    unanswered: true,
    isGone: response.status === 404,
  });
}

/** The state of the file; undefined if it cannot be read. */
async function fileState(
  file: string,
  credentials: ModelCredentials,
  signal: AbortSignal,
): Promise<string | undefined> {
  const url = `${credentials.baseUrl}/files/${file}`;
  const headers = keyHeader(credentials);
  const request = {
    credentials,
    url,
    method: "GET",
    headers,
    maxBytes: 1_000_000,
    responseSchema: FileStatus,
  } as const;
  const status = await sendJson(request, signal).catch(() => undefined);
  return status?.state;
}

async function* withProgress(body: ReadableStream<Uint8Array>, onChunk: () => void) {
  for await (const chunk of body) {
    onChunk();
    yield chunk;
  }
}

/** Passes the bytes on if they begin like an MP4 file. Throws provider_bad_response otherwise. */
async function* requireMp4(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, credentials: ModelCredentials) {
  let start: Uint8Array = new Uint8Array();
  let isMp4 = false;
  for await (const chunk of chunks) {
    if (isMp4) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.byteLength < 8) continue;
    isMp4 = String.fromCharCode(...start.subarray(4, 8)) === "ftyp";
    if (!isMp4) break;
    yield start;
  }
  if (!isMp4) throw notAVideo(credentials);
}

const notAVideo = (credentials: ModelCredentials) => badResponse(credentials, "it is not a video");

function idleTimeout() {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new NetworkError("The download is idle.")), idleTimeoutMs);
  return {
    signal: controller.signal,
    restart: () => void timer.refresh(),
    clear: () => clearTimeout(timer),
  };
}
