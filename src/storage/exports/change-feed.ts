import { EventEmitter, once } from "node:events";
import { type Column, type SQL, sql } from "drizzle-orm";
import type { ChangeFilter, ExportChanges } from "../../domain/exports/changes.ts";
import type { RunStore } from "../../domain/exports/shared-runs.ts";
import type { Listen } from "../database/listener.ts";

const channel = "export_changes";

export type ChangeKind = "status" | "progress";

/** Part of the statement that changes an export: notifies every process when the transaction commits. */
export const notifyChange = (exportId: Column, kind: ChangeKind): SQL =>
  sql`pg_notify(${channel}, ${exportId} || ${` ${kind}`}::text)`;

/** Sent when an attempt offers runs to other processes. */
export const notifyRunsOffered: SQL = sql`select pg_notify(${channel}, ${"runs"}::text)`;

/** Without a connection for notifications, subscribers find changes by polling. */
const pollMs = 5_000;

/** Receives the changes that any process makes, through LISTEN and NOTIFY. */
export function exportChanges(listen: Listen): ExportChanges & Pick<RunStore, "untilOffered"> {
  const notifications = new EventEmitter().setMaxListeners(0);
  const onMessage = (message: string) => {
    if (message === "runs") return void notifications.emit(runsOffered);
    // safe because only `notifyChange` sends other messages on this channel
    const [exportId, kind] = message.split(" ") as [string, ChangeKind];
    notifications.emit(eventName(exportId, "all"));
    if (kind === "status") notifications.emit(eventName(exportId, "status"));
  };

  /** Anything may have changed in the meantime. */
  const onMissed = () => {
    // whoever waits for an event also listens for errors
    for (const event of notifications.eventNames()) if (event !== "error") notifications.emit(event);
  };

  let listening: Promise<void> | undefined;
  const startListening = () => {
    listening ??= listen(channel, onMessage, onMissed);
    // the next subscriber tries again
    listening.catch(() => {
      listening = undefined;
    });
    return listening;
  };

  return {
    async untilOffered(signal) {
      await startListening().catch(() => {});
      await nextChange(notifications, runsOffered, AbortSignal.any([signal, AbortSignal.timeout(pollMs)]));
    },

    async *subscribe(exportId, signal, filter) {
      while (!signal.aborted) {
        const isListening = await startListening().then(
          () => true,
          () => false,
        );
        // before the yield, so that no change is missed while the subscriber reads; several changes count as one
        const change = nextChange(
          notifications,
          eventName(exportId, filter),
          isListening ? signal : AbortSignal.any([signal, AbortSignal.timeout(pollMs)]),
        );
        yield;
        await change;
      }
    },
  };
}

const runsOffered = "runs";

const eventName = (exportId: string, filter: ChangeFilter): string => `${exportId} ${filter}`;

/** Resolves at the next notification, or when `signal` aborts. */
async function nextChange(notifications: EventEmitter, event: string, signal: AbortSignal): Promise<void> {
  await once(notifications, event, { signal }).catch(() => {});
}
