import { EventEmitter, once } from "node:events";
import { type Column, type SQL, sql } from "drizzle-orm";
import type { ChangeFilter, ExportChanges } from "../../domain/exports/changes.ts";
import type { Listen } from "../database/listener.ts";

const channel = "export_changes";

export type ChangeKind = "status" | "progress";

/** Part of the statement that changes an export: notifies every process when the transaction commits. */
export const notifyChange = (exportId: Column, kind: ChangeKind): SQL =>
  sql`pg_notify(${channel}, ${exportId} || ${` ${kind}`}::text)`;

/** While the connection for notifications is lost, subscribers find changes by polling. */
const pollMs = 5_000;

/** Receives the changes that any process makes, through LISTEN and NOTIFY. */
export function exportChanges(listen: Listen): ExportChanges {
  const notifications = new EventEmitter().setMaxListeners(0);
  const onMessage = (message: string) => {
    // safe because only `notifyChange` sends on this channel
    const [exportId, kind] = message.split(" ") as [string, ChangeKind];
    notifications.emit(eventName(exportId, "all"));
    if (kind === "status") notifications.emit(eventName(exportId, "status"));
  };

  /** Anything may have changed in the meantime. */
  const onResumed = () => {
    // whoever waits for an event also listens for errors
    for (const event of notifications.eventNames()) if (event !== "error") notifications.emit(event);
  };

  let listening: Promise<void> | undefined;
  const startListening = () => {
    listening ??= listen(channel, onMessage, onResumed);
    // the next subscriber tries again
    listening.catch(() => {
      listening = undefined;
    });
    return listening;
  };

  return {
    async *subscribe(exportId, signal, filter) {
      // without notifications, polling still finds changes
      await startListening().catch(() => {});
      while (!signal.aborted) {
        // before the yield, so that no change is missed while the subscriber reads; several changes count as one
        const change = nextChange(notifications, eventName(exportId, filter), signal);
        yield;
        await change;
      }
    },
  };
}

const eventName = (exportId: string, filter: ChangeFilter): string => `${exportId} ${filter}`;

/** Resolves at the next notification, at the next poll, or when `signal` aborts. */
async function nextChange(notifications: EventEmitter, event: string, signal: AbortSignal): Promise<void> {
  const giveUp = AbortSignal.any([signal, AbortSignal.timeout(pollMs)]);
  await once(notifications, event, { signal: giveUp }).catch(() => {});
}
