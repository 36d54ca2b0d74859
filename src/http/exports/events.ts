import type { Context } from "hono";
import { followExport } from "../../domain/exports/changes.ts";
import { type ExportState, hasEnded } from "../../domain/exports/jobs.ts";
import { exportView } from "../../domain/exports/view.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import type { EventSource } from "../response/event-stream.ts";
import { requireOwnState } from "./access.ts";

/** Each event has the whole export. */
export const exportEvents = (c: Context<AppEnv>, services: Services): EventSource<ExportState> => ({
  load: () => requireOwnState(services.exports, c),
  hasEnded,
  follow: (current, signal) => followExport(services, current, signal),
  events: (state) => [
    { event: hasEnded(state) ? state.status : "progress", data: exportView(state, services.internalUrls) },
  ],
});
