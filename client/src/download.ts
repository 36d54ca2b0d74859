import type { Connection } from "./connection.ts";
import { readError } from "./errors.ts";
import { chunksOf } from "./form.ts";
import { delayMs, isTemporary, sleep } from "./retry.ts";
import { blobSink, fileSink, type Sink, streamSink } from "./sinks.ts";

export type DownloadProgress = { readonly receivedBytes: number; readonly totalBytes: number | undefined };

export type DownloadOptions = {
  /** A path (Node, Bun, Deno) or a stream; without it the video is returned as a Blob. */
  readonly to?: string | WritableStream<Uint8Array> | undefined;
  /** The aspect ratio of the video to download; by default, the first. */
  readonly target?: string | undefined;
  /** Downloads the edit for other programs instead of the video. */
  readonly timeline?: "otio" | "fcpxml" | "edl" | "zip" | undefined;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The download fails after this number of consecutive connections without a new byte. */
  readonly attempts?: number | undefined;
};

/**
 * Downloads the video of a finished export, or its edit. A broken connection is resumed where it ended, and the length
 * is checked. A file gets its name only when it is complete.
 */
export async function downloadExport(
  connection: Connection,
  exportId: string,
  options: DownloadOptions = {},
): Promise<Blob | undefined> {
  const query = options.target === undefined ? "" : `?target=${encodeURIComponent(options.target)}`;
  const name = options.timeline === undefined ? "file" : `timeline.${options.timeline}`;
  const path = `/api/exports/${encodeURIComponent(exportId)}/${name}${query}`;
  const sink = await sinkFor(options);
  try {
    await new Download(connection, path, sink, options).run();
    return await sink.finish();
  } catch (error) {
    await sink.discard(error);
    throw error;
  }
}

function sinkFor({ to, timeline }: DownloadOptions): Sink | Promise<Sink> {
  if (to === undefined) return blobSink(timeline === undefined ? "video/mp4" : "application/octet-stream");
  return typeof to === "string" ? fileSink(to) : streamSink(to);
}

class IncompleteError extends Error {
  override readonly name = "IncompleteError";
}

class Download {
  #receivedBytes = 0;
  #totalBytes: number | undefined;
  #etag: string | undefined;

  constructor(
    readonly connection: Connection,
    readonly path: string,
    readonly sink: Sink,
    readonly options: DownloadOptions,
  ) {}

  async run(): Promise<void> {
    const { attempts = 5, signal } = this.options;
    for (let failures = 0; ; ) {
      const receivedBefore = this.#receivedBytes;
      try {
        await this.#receive();
        return;
      } catch (error) {
        signal?.throwIfAborted();
        failures = this.#receivedBytes > receivedBefore ? 1 : failures + 1;
        if (failures >= attempts || !isTemporary(error)) throw error;
        await sleep(delayMs(failures, error), signal);
      }
    }
  }

  async #receive(): Promise<void> {
    const { signal } = this.options;
    const response = await this.connection.fetch(this.path, {
      headers: this.#rangeHeaders(),
      ...(signal && { signal }),
    });
    if (!response.ok) throw await readError(response);
    if (response.status !== 206) await this.#begin(response);
    if (response.body) for await (const chunk of chunksOf(response.body)) await this.#store(chunk);
    if (this.#totalBytes !== undefined && this.#receivedBytes !== this.#totalBytes) {
      throw new IncompleteError(`The download has ${this.#receivedBytes} of ${this.#totalBytes} bytes.`);
    }
  }

  /** Without If-Range, the rest could come from another file. */
  #rangeHeaders(): Record<string, string> {
    if (this.#receivedBytes === 0 || this.#etag === undefined) return {};
    return { range: `bytes=${this.#receivedBytes}-`, "if-range": this.#etag };
  }

  async #begin({ headers }: Response): Promise<void> {
    if (this.#receivedBytes > 0) await this.sink.restart();
    this.#receivedBytes = 0;
    this.#etag = headers.get("etag") ?? undefined;
    // the length of a compressed body differs
    const length = headers.get("content-encoding") === null ? headers.get("content-length") : null;
    this.#totalBytes = length === null ? undefined : Number(length);
  }

  async #store(chunk: Uint8Array): Promise<void> {
    await this.sink.write(chunk);
    this.#receivedBytes += chunk.length;
    this.options.onProgress?.({ receivedBytes: this.#receivedBytes, totalBytes: this.#totalBytes });
  }
}
