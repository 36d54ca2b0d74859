import { EventEmitter, once } from "node:events";
import { RetryAfterError } from "../../src/platform/async.ts";
import type { LeaseStore } from "../../src/platform/leases.ts";
import type { Services } from "../../src/services.ts";

/** Leases that tell of their ends, for job handlers that a test calls beside the queue. */
export function watchedLeases() {
  const ends = new EventEmitter().setMaxListeners(0);
  const watched = ({ leases }: Pick<Services, "leases">): LeaseStore => ({
    ...leases,
    async release(lease) {
      await leases.release(lease);
      for (const name of lease.names) ends.emit(name);
    },
  });
  /** Runs the handler that takes the lease of this name, again where another one has not ended. */
  async function whenFree(name: string, handle: () => Promise<void>): Promise<void> {
    for (;;) {
      // before the handler looks, so that no end is missed
      const ended = once(ends, name);
      try {
        return await handle();
      } catch (error) {
        if (!(error instanceof RetryAfterError && error.seconds === 1)) throw error;
        await ended;
      }
    }
  }
  return { watched, whenFree };
}
