import { EventSourceParserStream } from "eventsource-parser/stream";
import type { ExportJob } from "./api.ts";
import type { Connection } from "./connection.ts";
import { ExportFailedError, readError } from "./errors.ts";
import { delayMs, isTemporary, sleep } from "./retry.ts";

export type WaitOptions<State = ExportJob> = {
  /** Receives each state, including the last. */
  readonly onProgress?: ((state: State) => void) | undefined;
  /** Ends the waiting, but not the export or film. */
  readonly signal?: AbortSignal | undefined;
};

/** The service sends a comment every 15 seconds, so a proxy holds back a stream that is silent for longer. */
const silenceMs = 40_000;
const pollEveryMs = 1_500;
/** After this number of consecutive streams without an event, the export is polled instead. */
const maxFailedStreams = 2;
/** The number of failed requests in a row that are tolerated. */
const maxFailures = 30;

/** A resource at a path, with its events below it. */
type Followed<State> = {
  readonly path: string;
  hasEnded(state: State): boolean;
  /** The state after an event. */
  merge(known: State | undefined, data: State): State;
};

const hasEnded = ({ status }: ExportJob) => status === "done" || status === "error" || status === "cancelled";

/**
 * Waits until the export has ended: follows its events, reconnects after interruptions, and polls if events do not
 * arrive. Throws ExportFailedError if it ends without a video.
 */
export async function waitForExport(
  connection: Connection,
  exportId: string,
  options: WaitOptions = {},
): Promise<ExportJob> {
  const path = `/api/exports/${encodeURIComponent(exportId)}`;
  const ended = await lastState<ExportJob>(connection, { path, hasEnded, merge: (_, job) => job }, options);
  if (ended.status !== "done") throw new ExportFailedError(ended);
  return ended;
}

/** Follows events, and polls if they do not arrive. */
export async function lastState<State>(
  connection: Connection,
  followed: Followed<State>,
  options: WaitOptions<State>,
): Promise<State> {
  const stream = new StateEvents(connection, followed, options);
  let failures = 0;
  for (let failedStreams = 0; failedStreams < maxFailedStreams; ) {
    const read = await stream
      .follow()
      .then((state) => ({ state, error: undefined }))
      .catch((error: unknown) => {
        options.signal?.throwIfAborted();
        if (!isTemporary(error)) throw error;
        return { state: undefined, error };
      });
    if (read.state) return read.state;
    const { sawEvents } = stream;
    failedStreams = sawEvents ? 0 : failedStreams + 1;
    failures = sawEvents ? 1 : failures + 1;
    await sleep(delayMs(failures, read.error), options.signal);
  }
  return poll(connection, followed, options);
}

/** The events of a state, over several connections. */
class StateEvents<State> {
  /** True if the last connection delivered an event. */
  sawEvents = false;
  #lastEventId: string | undefined;
  #known: State | undefined;

  constructor(
    readonly connection: Connection,
    readonly followed: Followed<State>,
    readonly options: WaitOptions<State>,
  ) {}

  /** Returns the last state, or undefined if the connection ended before that. */
  async follow(): Promise<State | undefined> {
    this.sawEvents = false;
    const silence = new AbortController();
    const watch = silenceWatch(silence);
    try {
      const response = await this.#connect(silence.signal);
      // the service has no further events
      if (response.status === 204) return await readState(this.connection, this.followed.path, this.options);
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
    return this.connection.fetch(`${this.followed.path}/events`, {
      headers,
      signal: signal ? AbortSignal.any([signal, silence]) : silence,
    });
  }

  async #read(body: ReadableStream<Uint8Array>, heard: () => void): Promise<State | undefined> {
    const reader = body
      .pipeThrough(countingStream(heard))
      .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
      .pipeThrough(new EventSourceParserStream())
      .getReader();
    for (;;) {
      const { done, value: event } = await reader.read();
      if (done) return undefined;
      const state = this.followed.merge(this.#known, JSON.parse(event.data));
      this.#known = state;
      this.sawEvents = true;
      this.#lastEventId = event.id ?? this.#lastEventId;
      this.options.onProgress?.(state);
      if (this.followed.hasEnded(state)) return state;
    }
  }
}

/** Aborts if `heard` was not called for a while. */
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

async function poll<State>(
  connection: Connection,
  { path, hasEnded }: Followed<State>,
  options: WaitOptions<State>,
): Promise<State> {
  for (let failures = 0; ; ) {
    try {
      const state = await readState(connection, path, options);
      failures = 0;
      if (hasEnded(state)) return state;
      await sleep(pollEveryMs, options.signal);
    } catch (error) {
      options.signal?.throwIfAborted();
      failures += 1;
      if (failures > maxFailures || !isTemporary(error)) throw error;
      await sleep(delayMs(failures, error), options.signal);
    }
  }
}

async function readState<State>(
  connection: Connection,
  path: string,
  { signal, onProgress }: WaitOptions<State>,
): Promise<State> {
  const response = await connection.fetch(path, { ...(signal && { signal }) });
  if (!response.ok) throw await readError(response);
  const state: State = await response.json();
  onProgress?.(state);
  return state;
}
