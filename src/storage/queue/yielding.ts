import type { PgBoss } from "pg-boss";

type QueueDatabase = ReturnType<PgBoss["getDb"]>;

/**
 * Lets other processes take new jobs first: delays the notifications of a queue by what `delayOf` returns for it, in
 * milliseconds. pg-boss wakes its workers at every notification, those of busy processes too.
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
