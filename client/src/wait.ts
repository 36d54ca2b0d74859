import { EventSourceParserStream } from "eventsource-parser/stream";
import type { ExportJob } from "./api.ts";
import type { Connection } from "./connection.ts";
import { ExportFailedError, readError } from "./errors.ts";
import { delayMs, isTemporary, sleep } from "./retry.ts";

export type WaitOptions = {
  /** Receives each state of the export, the last one too. */
  readonly onProgress?: ((job: ExportJob) => void) | undefined;
  /** Ends the waiting; the export goes on. */
  readonly signal?: AbortSignal | undefined;
};

/** The service sends a comment every 15 seconds, so a stream that is silent for longer is held back by a proxy. */
const silenceMs = 40_000;
const pollEveryMs = 1_500;
/** After so many streams in a row without any event, the export is polled instead. */
const maxFailedStreams = 2;
/** How long the service may be away. */
const maxFailures = 30;

const hasEnded = ({ status }: ExportJob) => status === "done" || status === "error" || status === "cancelled";

/**
 * Waits until the export has ended: follows its events, reconnects where they broke off, and polls where events do not
 * get through. Throws ExportFailedError if it ends without a video.
 */
export async function waitForExport(
  connection: Connection,
  exportId: string,
  options: WaitOptions = {},
): Promise<ExportJob> {
  const ended = await lastState(connection, exportId, options);
  if (ended.status !== "done") throw new ExportFailedError(ended);
  return ended;
}

async function lastState(connection: Connection, exportId: string, options: WaitOptions): Promise<ExportJob> {
  const stream = new ExportEvents(connection, `/api/exports/${encodeURIComponent(exportId)}`, options);
  let failures = 0;
  for (let failedStreams = 0; failedStreams < maxFailedStreams; ) {
    const job = await stream.follow().catch((error: unknown) => {
      options.signal?.throwIfAborted();
      if (!isTemporary(error)) throw error;
      return { error };
    });
    if (job && !("error" in job)) return job;
    const { sawEvents } = stream;
    failedStreams = sawEvents ? 0 : failedStreams + 1;
    failures = sawEvents ? 1 : failures + 1;
    await sleep(delayMs(failures, job?.error), options.signal);
  }
  return poll(connection, `/api/exports/${encodeURIComponent(exportId)}`, options);
}

/** The events of an export, over several connections. */
class ExportEvents {
  /** True if the last connection delivered an event. */
  sawEvents = false;
  #lastEventId: string | undefined;

  constructor(
    readonly connection: Connection,
    readonly path: string,
    readonly options: WaitOptions,
  ) {}

  /** Returns the last state, or undefined if the connection ended before the export did. */
  async follow(): Promise<ExportJob | undefined> {
    this.sawEvents = false;
    const silence = new AbortController();
    const watch = silenceWatch(silence);
    try {
      const response = await this.#connect(silence.signal);
      // the service has no more events than those that were seen
      if (response.status === 204) return await readJob(this.connection, this.path, this.options);
      if (!response.ok || !response.body) throw await readError(response);
      return await this.#read(response.body, watch.heard);
    } finally {
      watch.end();
      // closes the connection
      silence.abort();
    }
  }

  #connect(silence: AbortSignal): Promise<Response> {
    const headers = { accept: "text/event-stream", ...(this.#lastEventId && { "last-event-id": this.#lastEventId }) };
    const { signal } = this.options;
    return this.connection.fetch(`${this.path}/events`, {
      headers,
      signal: signal ? AbortSignal.any([signal, silence]) : silence,
    });
  }

  async #read(body: ReadableStream<Uint8Array>, heard: () => void): Promise<ExportJob | undefined> {
    const reader = body
      .pipeThrough(countingStream(heard))
      .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
      .pipeThrough(new EventSourceParserStream())
      .getReader();
    for (;;) {
      const { done, value: event } = await reader.read();
      if (done) return undefined;
      const job: ExportJob = JSON.parse(event.data);
      this.sawEvents = true;
      this.#lastEventId = event.id ?? this.#lastEventId;
      this.options.onProgress?.(job);
      if (hasEnded(job)) return job;
    }
  }
}

/** Aborts when `heard` was not called for a while. */
function silenceWatch(controller: AbortController) {
  const onSilence = () => controller.abort(new Error("The event stream is silent."));
  let timer = setTimeout(onSilence, silenceMs);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(onSilence, silenceMs);
  };
  return { heard, end: () => clearTimeout(timer) };
}

const countingStream = (heard: () => void) =>
  new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      heard();
      controller.enqueue(chunk);
    },
  });

async function poll(connection: Connection, path: string, options: WaitOptions): Promise<ExportJob> {
  for (let failures = 0; ; ) {
    try {
      const job = await readJob(connection, path, options);
      failures = 0;
      if (hasEnded(job)) return job;
      await sleep(pollEveryMs, options.signal);
    } catch (error) {
      options.signal?.throwIfAborted();
      failures += 1;
      if (failures > maxFailures || !isTemporary(error)) throw error;
      await sleep(delayMs(failures, error), options.signal);
    }
  }
}

async function readJob(connection: Connection, path: string, { signal, onProgress }: WaitOptions): Promise<ExportJob> {
  const response = await connection.fetch(path, { ...(signal && { signal }) });
  if (!response.ok) throw await readError(response);
  const job: ExportJob = await response.json();
  onProgress?.(job);
  return job;
}
