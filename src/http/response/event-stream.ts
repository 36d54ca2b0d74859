import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { isDomainError } from "../../errors.ts";
import { linkSignal } from "../../platform/async.ts";
import { type SlotLimit, slotLimit } from "../../platform/limits/slot-limit.ts";
import type { Answers } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";

const heartbeatMs = 15_000;

/** A revoked credential receives events for at most this time. */
const checkedForMs = 3_000;

/** A limit for all open streams of this process. */
export const eventStreamSlots = (): SlotLimit => slotLimit({ perOwner: 50, total: 2_000, retryAfterSeconds: 10 });

export const eventAnswers: Answers = {
  200: { description: "The events.", content: { "text/event-stream": { schema: { type: "string" } } } },
  204: { description: "The stream has ended, and Last-Event-ID names its last event: do not reconnect." },
};

const textHeaders = { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" };
/** The headers that `streamSSE` sets, for HEAD. */
const streamHeaders = {
  ...textHeaders,
  Connection: "keep-alive",
  "Transfer-Encoding": "chunked",
};

type Followed = { readonly revision: number; readonly status: string };

type ServerEvent = { readonly event: string; readonly data: object };

/** The states that a stream of events follows. */
export type EventSource<State extends Followed> = {
  /** The current state. Throws not_found. */
  load(): Promise<State>;
  hasEnded(state: State): boolean;
  /** Yields the current state and each later one. */
  follow(current: State, signal: AbortSignal): AsyncIterable<State>;
  /** The events of a state; `seen` is the state that the client already knows. */
  events(state: State, seen: State | undefined): readonly ServerEvent[];
};

type StreamLimits = { readonly takeSlot: SlotLimit; readonly recheckMs: number };

/**
 * Sends server-sent events; a client that reconnects misses nothing. The stream ends with its source, soon after the
 * credential is revoked, or when the process begins to stop. Throws rate_limited and busy if too many are open.
 */
export async function sendEvents<State extends Followed>(
  c: Context<AppEnv>,
  source: EventSource<State>,
  { takeSlot, recheckMs }: StreamLimits,
): Promise<Response> {
  // before the query, so that a flood of streams is refused without one; HEAD opens none
  const freeSlot = c.req.method === "HEAD" ? () => {} : takeSlot(c.var.caller.user.id);
  const current = await source.load().catch((error) => {
    freeSlot();
    throw error;
  });
  c.var.leaveUserSlot();
  const response = eventsFrom(c, source, current, { freeSlot, recheckMs });
  if (!response.body || source.hasEnded(current)) freeSlot();
  return response;
}

type OpenStream = { freeSlot(): void; readonly recheckMs: number };

function eventsFrom<State extends Followed>(
  c: Context<AppEnv>,
  source: EventSource<State>,
  current: State,
  { freeSlot, recheckMs }: OpenStream,
): Response {
  const isSeen = c.req.header("last-event-id") === `${current.revision}`;
  // 204 tells an EventSource not to reconnect
  if (source.hasEnded(current) && isSeen) return c.body(null, 204);
  // without this, a HEAD request would wait for the end of the stream
  if (c.req.method === "HEAD") return c.body(null, 200, streamHeaders);
  // no stream for a final state: it would cost as much as one that lasts
  if (source.hasEnded(current)) return c.body(textOf(current, source.events(current, undefined)), 200, textHeaders);

  const isAuthorized = credentialCheck(c.var.reauthenticate);
  return streamSSE(c, async (stream) => {
    const disconnected = new AbortController();
    const draining = linkSignal(c.var.drainSignal);
    const signal = AbortSignal.any([disconnected.signal, draining.signal]);
    stream.onAbort(() => {
      freeSlot();
      disconnected.abort();
    });
    const heartbeat = setInterval(() => void stream.write(": alive\n\n"), heartbeatMs);
    const endIfRevoked = async () => {
      if (!(await isAuthorized())) disconnected.abort();
    };
    // spread, so that not all streams of a process query the database at once
    const spreadMs = recheckMs * (0.5 + Math.random() / 2);
    // the stream continues while the database does not respond
    const recheck = setInterval(() => void endIfRevoked().catch(() => {}), spreadMs);
    let seen = isSeen ? current : undefined;
    try {
      for await (const state of statesOf(source, current, signal)) {
        const events = source.events(state, seen);
        const isKnown = isSeen && state.revision === current.revision && state.status === current.status;
        seen = state;
        if (isKnown) continue;
        if (!(await isAuthorized())) return;
        await stream.write(textOf(state, events));
      }
    } catch (error) {
      // Hono would print the error with its message to the console
      c.var.logError(error);
    } finally {
      draining.release();
      clearInterval(heartbeat);
      clearInterval(recheck);
      freeSlot();
    }
  });
}

/** Marks a state as seen only by its last event. */
const textOf = ({ revision }: Followed, events: readonly ServerEvent[]): string =>
  events
    .map(({ event, data }, at) => {
      const id = at === events.length - 1 ? `${revision}` : `${revision}.${at}`;
      return `event: ${event}\ndata: ${JSON.stringify(data)}\nid: ${id}\n\n`;
    })
    .join("");

async function* statesOf<State extends Followed>(
  { follow, hasEnded }: EventSource<State>,
  current: State,
  signal: AbortSignal,
): AsyncGenerator<State> {
  let last = current;
  for await (const state of follow(current, signal)) {
    last = state;
    yield state;
  }
  // removed before its end
  if (!hasEnded(last) && !signal.aborted) yield { ...last, status: "cancelled" };
}

/**
 * Returns a function that is false once the request's credential is revoked; most calls cause no query. A call during
 * a query waits for its result.
 */
export function credentialCheck(reauthenticate: () => Promise<unknown>): () => Promise<boolean> {
  let checkedAt = Date.now();
  let result = Promise.resolve(true);
  const check = async () => {
    try {
      await reauthenticate();
      return true;
    } catch (error) {
      if (isDomainError(error) && error.code === "invalid_token") return false;
      // the next call asks again
      checkedAt = 0;
      throw error;
    }
  };
  return () => {
    if (Date.now() - checkedAt >= checkedForMs) {
      checkedAt = Date.now();
      result = check();
    }
    return result;
  };
}
