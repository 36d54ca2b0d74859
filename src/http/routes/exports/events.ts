import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { followExport } from "../../../domain/exports/changes.ts";
import { type ExportState, hasEnded } from "../../../domain/exports/jobs.ts";
import { exportView } from "../../../domain/exports/view.ts";
import type { Services } from "../../../domain/services.ts";
import type { AppEnv } from "../../app-env.ts";

const heartbeatMs = 15_000;

/** Those that `streamSSE` sets, for HEAD. */
const streamHeaders = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache",
  Connection: "keep-alive",
  "Transfer-Encoding": "chunked",
};

/** Server-sent events. Each contains the whole state, so that a client that reconnects misses nothing. */
export function sendExportEvents(c: Context<AppEnv>, services: Services, current: ExportState): Response {
  const isSeen = c.req.header("last-event-id") === `${current.revision}`;
  // 204 tells an EventSource not to reconnect
  if (hasEnded(current) && isSeen) return c.body(null, 204);
  // without this, a HEAD request would wait for the end of the stream
  if (c.req.method === "HEAD") return c.body(null, 200, streamHeaders);

  const eventOf = (job: ExportState) => ({
    id: `${job.revision}`,
    event: hasEnded(job) ? job.status : "progress",
    data: JSON.stringify(exportView(job, services.internalUrls)),
  });

  return streamSSE(c, async (stream) => {
    const disconnected = new AbortController();
    stream.onAbort(() => disconnected.abort());
    const heartbeat = setInterval(() => void stream.write(": alive\n\n"), heartbeatMs);
    try {
      let last = current;
      for await (const job of followExport(services, current, disconnected.signal)) {
        last = job;
        if (!isSeen || job.revision !== current.revision) await stream.writeSSE(eventOf(job));
      }
      // removed while it was running
      if (!hasEnded(last) && !disconnected.signal.aborted) {
        await stream.writeSSE(eventOf({ ...last, status: "cancelled" }));
      }
    } finally {
      clearInterval(heartbeat);
    }
  });
}
