import type { ExportFeed } from "../domain/export-jobs.ts";
import type { Listen } from "./database.ts";
import { exportChannel } from "./export-store.ts";

/** A notification may be lost with its connection: so often it is looked anyway. */
const lookAnywayMs = 2_000;

type Ring = () => void;

/** Hears the changes of every export through the database, whichever process makes them. */
export function exportFeed(listen: Listen): ExportFeed {
  const bells = new Map<string, Set<Ring>>();
  const ring = (exportId: string) => {
    for (const each of bells.get(exportId) ?? []) each();
  };
  let listening: Promise<unknown> | undefined;
  const heard = () => {
    listening ??= listen(exportChannel, ring);
    listening.catch(() => {
      listening = undefined;
    });
    return listening;
  };

  return {
    async *changes(exportId, signal) {
      // without it changes are seen a little later
      await heard().catch(() => {});
      const bell = hang(bells, exportId);
      try {
        while (!signal.aborted) {
          const next = bell.next(signal);
          yield;
          await next;
        }
      } finally {
        bell.take();
      }
    },
  };
}

function hang(bells: Map<string, Set<Ring>>, exportId: string) {
  let rung: PromiseWithResolvers<void> = Promise.withResolvers();
  const ring = () => rung.resolve();
  const own = bells.get(exportId) ?? new Set();
  bells.set(exportId, own.add(ring));
  return {
    /** Resolves at the next ring after this call, or when it is time to look anyway. */
    next(signal: AbortSignal): Promise<void> {
      rung = Promise.withResolvers();
      const timer = setTimeout(ring, lookAnywayMs);
      signal.addEventListener("abort", ring, { once: true });
      return rung.promise.finally(() => {
        clearTimeout(timer);
        signal.removeEventListener("abort", ring);
      });
    },
    take() {
      own.delete(ring);
      if (own.size === 0) bells.delete(exportId);
    },
  };
}
