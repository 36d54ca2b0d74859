import type { ExportFeed, Heard } from "../../domain/exports/jobs.ts";
import type { Listen } from "../database/database.ts";
import { exportChannel, type Told } from "./store.ts";

/** A notification may be lost with its connection: so often it is looked anyway. */
const lookAnywayMs = 2_000;

type Bell = { readonly heard: Heard; ring(): void };

/** Hears the changes of every export through the database, whichever process makes them. */
export function exportFeed(listen: Listen): ExportFeed {
  const bells = new Map<string, Set<Bell>>();
  const ring = (message: string) => {
    // safe because the store sends nothing else
    const [exportId, about] = message.split(" ") as [string, Told];
    for (const bell of bells.get(exportId) ?? []) if (about === "turn" || bell.heard === "everything") bell.ring();
  };
  let listening: Promise<unknown> | undefined;
  const listened = () => {
    listening ??= listen(exportChannel, ring);
    listening.catch(() => {
      listening = undefined;
    });
    return listening;
  };

  return {
    async *changes(exportId, signal, heard) {
      // without it changes are seen a little later
      await listened().catch(() => {});
      const bell = hang(bells, exportId, heard);
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

function hang(bells: Map<string, Set<Bell>>, exportId: string, heard: Heard) {
  let rung: PromiseWithResolvers<void> = Promise.withResolvers();
  const ring = () => rung.resolve();
  const bell = { heard, ring };
  const own = bells.get(exportId) ?? new Set();
  bells.set(exportId, own.add(bell));
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
      own.delete(bell);
      if (own.size === 0) bells.delete(exportId);
    },
  };
}
