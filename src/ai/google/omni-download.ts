import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import type { FileStore, ReceivedFile } from "../../domain/files/file-store.ts";
import { DomainError } from "../../errors.ts";
import type { Access } from "../client/credentials.ts";
import { asProviderError, unusable } from "../client/errors.ts";
import { decoded, sendJson } from "../client/json-client.ts";
import { BrokenWire, cappedFetch } from "../client/limited-fetch.ts";
import type { Pauses } from "./omni-job.ts";
import type { MadeVideo } from "./omni-response.ts";

const maxVideoBytes = 500_000_000;
const maxDownloads = 3;
/** Without a single byte. */
const silenceMs = 60_000;

type Options = {
  readonly access: Access;
  readonly files: Pick<FileStore, "receive">;
  readonly pauses: Pauses;
  readonly signal: AbortSignal;
};

/** The video on the disk. Getting it costs nothing, so a download that breaks is repeated. */
export async function receivedVideo(video: MadeVideo, options: Options): Promise<ReceivedFile> {
  if ("uri" in video) return download(downloadUrl(video.uri, options.access), options);
  const bytes = decoded(video.data);
  if (!bytes) throw unusable(options.access, "what it made is no video");
  return options.files.receive(Readable.from(checked([bytes], options.access)), maxVideoBytes);
}

/** Only there is the key known, and nobody sends us into a network of ours. */
function downloadUrl(uri: string, access: Access): URL {
  const url = URL.parse(uri);
  if (url?.origin !== new URL(access.baseUrl).origin) throw unusable(access, "its video lies somewhere else");
  if (/\/files\/[^/:]+$/.test(url.pathname)) url.pathname += ":download";
  url.searchParams.set("alt", "media");
  return url;
}

async function download(url: URL, options: Options): Promise<ReceivedFile> {
  const { access, pauses, signal } = options;
  for (let number = 0, broken = 0; ; number++) {
    try {
      return await downloadOnce(url, options);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof NotYetThere)) {
        const failure = asProviderError(error, access);
        broken += 1;
        if (failure.code !== "provider_error" || broken === maxDownloads) throw failure;
      }
    }
    await pause(pauses(number), undefined, { signal });
  }
}

async function downloadOnce(url: URL, options: Options): Promise<ReceivedFile> {
  const { access, files, signal } = options;
  const silence = silenceAlarm();
  try {
    const response = await cappedFetch({ maxBytes: maxVideoBytes })(url, {
      headers: keyHeader(access),
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok || !response.body) throw await unserved(response, url, options);
    const bytes = listenedTo(response.body, silence.heard);
    return await files.receive(Readable.from(checked(bytes, access)), maxVideoBytes);
  } finally {
    silence.end();
  }
}

const keyHeader = ({ apiKey }: Access) => ({ "x-goog-api-key": apiKey });

class NotYetThere extends Error {
  override readonly name = "NotYetThere";
}

/** A job may be complete before its file can be read. */
async function unserved(response: Response, { pathname }: URL, { access, signal }: Options): Promise<Error> {
  await response.body?.cancel();
  const [, file] = /\/files\/([^/:]+)/.exec(pathname) ?? [];
  const isOurs = response.status >= 400 && response.status < 500;
  const url = `${access.baseUrl}/files/${file}`;
  const ask = { access, url, method: "GET", headers: keyHeader(access), maxBytes: 1_000_000, answer: File } as const;
  const state = isOurs && file ? await sendJson(ask, signal).catch(() => undefined) : undefined;
  if (state?.state === "PROCESSING") return new NotYetThere("The file is not ready.");
  return new DomainError("provider_error", { reason: `${access.providerName} did not hand over the video it made` });
}

const File = z.object({ state: z.string().optional() });

async function* listenedTo(body: ReadableStream<Uint8Array>, heard: () => void) {
  for await (const chunk of body) {
    heard();
    yield chunk;
  }
}

/** The bytes as they come, once the first of them show an MP4. */
async function* checked(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, access: Access) {
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
  if (!isMp4) throw unusable(access, "what it made is no video");
}

/** Aborts when nothing was heard for too long. */
function silenceAlarm() {
  const alarm = new AbortController();
  const timer = setTimeout(() => alarm.abort(new BrokenWire("The download fell silent.")), silenceMs);
  return { signal: alarm.signal, heard: () => void timer.refresh(), end: () => clearTimeout(timer) };
}
