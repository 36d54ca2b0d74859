import type { PgBoss } from "pg-boss";

type QueueDatabase = ReturnType<PgBoss["getDb"]>;

/**
 * Lets other processes take new jobs first: delays a queue's notifications by `delayOf`, in milliseconds. pg-boss wakes
 * its workers at every notification, even in busy processes.
 */
export function yieldNotifications(db: QueueDatabase, delayOf: (queue: string) => number): void {
  const listen = db.listen?.bind(db);
  if (!listen) return;
  db.listen = (channel, onNotification, onReconnect) => {
    const onDelayed = (queue: string) => {
      const delayMs = delayOf(queue);
      if (delayMs > 0) setTimeout(onNotification, delayMs, queue);
      else onNotification(queue);
    };
    return listen(channel, onDelayed, onReconnect);
  };
}
