import { hasEnded } from "../../domain/batches/batch.ts";
import { type BatchState, followBatch } from "../../domain/batches/states.ts";
import { batchView } from "../../domain/batches/view.ts";
import type { Services } from "../../services.ts";
import type { EventSource } from "../response/event-stream.ts";

/** Sends a snapshot, then the whole batch when films change, when it waits, and when it ends. */
export const batchEvents = (services: Services, load: () => Promise<BatchState>): EventSource<BatchState> => ({
  load,
  hasEnded,
  follow: (current, signal) => followBatch(services, current, signal),
  events: (batch, seen) => {
    const data = batchView(batch, batch.counts, batch.spend);
    const isResting = hasEnded(batch) || batch.status === "waiting";
    const hasChanged = seen?.status !== batch.status || seen.waitingFor !== batch.waitingFor;
    const rest = isResting && hasChanged ? [{ event: batch.status, data }] : [];
    if (!seen) return [{ event: "snapshot", data }, ...rest];
    return rest.length > 0 ? rest : [{ event: "item", data }];
  },
});
