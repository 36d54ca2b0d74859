import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { followExport } from "../../../domain/exports/changes.ts";
import { type ExportState, hasEnded } from "../../../domain/exports/jobs.ts";
import { exportView } from "../../../domain/exports/view.ts";
import type { Services } from "../../../domain/services.ts";
import { isDomainError } from "../../../errors.ts";
import { linkSignal } from "../../../platform/linked-signal.ts";
import { type PlaceLimit, placeLimit } from "../../../platform/place-limit.ts";
import type { AppEnv } from "../../app-env.ts";
import { requireOwnState } from "./access.ts";

const heartbeatMs = 15_000;

/** A revoked credential gets events for no longer than this. */
const checkedForMs = 3_000;

/** For the streams that are open at once in this process. */
export const eventStreamPlaces = (): PlaceLimit => placeLimit({ perOwner: 50, total: 2_000, retryAfterSeconds: 10 });

/** Those that `streamSSE` sets, for HEAD. */
const streamHeaders = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache",
  Connection: "keep-alive",
  "Transfer-Encoding": "chunked",
};

/**
 * Server-sent events. Each contains the whole state, so that a client that reconnects misses nothing. The stream ends
 * with the export, soon after the credential was revoked, or when the process begins to stop. Throws rate_limited and busy if too many are
 * open.
 */
export async function sendExportEvents(
  c: Context<AppEnv>,
  services: Services,
  takePlace: PlaceLimit,
): Promise<Response> {
  // before the query: a flood of streams is refused without it; HEAD opens none
  const freePlace = c.req.method === "HEAD" ? () => {} : takePlace(c.var.caller.user.id);
  const current = await requireOwnState(services.exports, c).catch((error) => {
    freePlace();
    throw error;
  });
  c.var.leaveTurn();
  const response = eventsFrom(c, services, current, freePlace);
  if (!response.body) freePlace();
  return response;
}

function eventsFrom(c: Context<AppEnv>, services: Services, current: ExportState, freePlace: () => void): Response {
  const isSeen = c.req.header("last-event-id") === `${current.revision}`;
  // 204 tells an EventSource not to reconnect
  if (hasEnded(current) && isSeen) return c.body(null, 204);
  // without this, a HEAD request would wait for the end of the stream
  if (c.req.method === "HEAD") return c.body(null, 200, streamHeaders);

  const isAuthorized = credentialCheck(c);
  return streamSSE(c, async (stream) => {
    const disconnected = new AbortController();
    const draining = linkSignal(c.var.drainSignal);
    const signal = AbortSignal.any([disconnected.signal, draining.signal]);
    stream.onAbort(() => {
      freePlace();
      disconnected.abort();
    });
    const heartbeat = setInterval(() => void stream.write(": alive\n\n"), heartbeatMs);
    const endIfRevoked = async () => {
      if (!(await isAuthorized())) disconnected.abort();
    };
    // spread, so that the streams of a process do not all ask the database at once
    const recheckMs = services.settings.credentialRecheckMs * (0.5 + Math.random() / 2);
    // while the database does not respond, the stream goes on
    const recheck = setInterval(() => void endIfRevoked().catch(() => {}), recheckMs);
    try {
      for await (const state of statesToSend(services, current, isSeen, signal)) {
        if (!(await isAuthorized())) return;
        await stream.writeSSE(eventOf(state, services));
      }
    } catch (error) {
      // Hono would print it to the console, with its message
      c.var.logError(error);
    } finally {
      draining.release();
      clearInterval(heartbeat);
      clearInterval(recheck);
      freePlace();
    }
  });
}

const eventOf = (state: ExportState, { internalUrls }: Services) => ({
  id: `${state.revision}`,
  event: hasEnded(state) ? state.status : "progress",
  data: JSON.stringify(exportView(state, internalUrls)),
});

async function* statesToSend(
  services: Services,
  current: ExportState,
  isSeen: boolean,
  signal: AbortSignal,
): AsyncGenerator<ExportState> {
  let last = current;
  for await (const state of followExport(services, current, signal)) {
    last = state;
    if (!isSeen || state.revision !== current.revision) yield state;
  }
  // removed while it was running
  if (!hasEnded(last) && !signal.aborted) yield { ...last, status: "cancelled" };
}

/** Returns a function that is false once the request's credential was revoked; most of its calls cause no query. */
function credentialCheck({ var: { reauthenticate } }: Context<AppEnv>): () => Promise<boolean> {
  let checkedAt = Date.now();
  return async () => {
    if (Date.now() - checkedAt < checkedForMs) return true;
    checkedAt = Date.now();
    try {
      await reauthenticate();
      return true;
    } catch (error) {
      if (isDomainError(error) && error.code === "invalid_token") return false;
      throw error;
    }
  };
}
