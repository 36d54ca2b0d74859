import { EventEmitter, once } from "node:events";
import { type Column, type SQL, sql } from "drizzle-orm";
import type { RenderTaskStore } from "../../domain/exports/lifecycle/jobs.ts";
import type { ChangeFilter, Changes } from "../../domain/shared/changes.ts";
import { onceSuccessful } from "../../platform/async.ts";
import type { Listen } from "../database/listener.ts";

/** Also for films: earlier versions, which may run at the same time, use this name. */
const channel = "export_changes";
const runsOffered = "runs";

export type ChangeKind = "status" | "progress";

/** A part of the statement that changes an export or a film: notifies every process at the commit. */
export const notifyChange = (id: Column, kind: ChangeKind): SQL =>
  sql`pg_notify(${channel}, ${id} || ${` ${kind}`}::text)`;

/** Sent when an attempt offers runs to other processes. */
export const notifyRunsOffered: SQL = sql`select pg_notify(${channel}, ${runsOffered}::text)`;

/** A part of the statement that changes runs of an export. */
export const notifyRunsChanged = (exportId: string): SQL =>
  sql`pg_notify(${channel}, ${`${exportId} ${runsOffered}`}::text)`;

/** Changes of shared runs. Changes of processes that died without notifying are found by polling. */
export type RunChanges = Pick<RenderTaskStore, "untilOffered"> & {
  subscribeRuns(exportId: string, signal: AbortSignal): AsyncIterable<void>;
};

/** Without a connection for notifications, subscribers find changes by polling. */
const pollMs = 5_000;

/** Receives the changes that any process makes, through LISTEN and NOTIFY. */
export function changeFeed(listen: Listen): Changes & RunChanges {
  const notifications = new EventEmitter().setMaxListeners(0);
  const onMessage = (message: string) => {
    if (message === runsOffered || message.endsWith(` ${runsOffered}`)) return void notifications.emit(message);
    // safe because only `notifyChange` sends other messages on this channel
    const [id, kind] = message.split(" ") as [string, ChangeKind];
    notifications.emit(eventName(id, "all"));
    if (kind === "status") notifications.emit(eventName(id, "status"));
  };

  /** Called when changes may have been missed. */
  const onMissed = () => {
    // errors have listeners only while somebody waits for an event
    for (const event of notifications.eventNames()) if (event !== "error") notifications.emit(event);
  };

  const startListening = onceSuccessful(() => listen(channel, onMessage, onMissed));

  async function* changes(event: string, signal: AbortSignal, polls: (isListening: boolean) => boolean) {
    while (!signal.aborted) {
      const isListening = await startListening().then(
        () => true,
        () => false,
      );
      // before the yield, so that no change is missed while the subscriber reads; several changes count as one
      const change = nextChange(
        notifications,
        event,
        polls(isListening) ? AbortSignal.any([signal, AbortSignal.timeout(pollMs)]) : signal,
      );
      yield;
      await change;
    }
  }

  return {
    async untilOffered(signal) {
      await startListening().catch(() => {});
      await nextChange(notifications, runsOffered, AbortSignal.any([signal, AbortSignal.timeout(pollMs)]));
    },

    subscribe: (id, signal, filter) => changes(eventName(id, filter), signal, (isListening) => !isListening),
    subscribeRuns: (exportId, signal) => changes(`${exportId} ${runsOffered}`, signal, () => true),
  };
}

const eventName = (id: string, filter: ChangeFilter): string => `${id} ${filter}`;

/** Resolves at the next notification, or when `signal` aborts. */
async function nextChange(notifications: EventEmitter, event: string, signal: AbortSignal): Promise<void> {
  await once(notifications, event, { signal }).catch(() => {});
}
