import type { LeasePorts } from "../../src/platform/leases.ts";

/** Leases of the processes that share this, for tests in which nothing else needs a database. None expires. */
export function leasesInMemory(): LeasePorts["leases"] {
  const holders = new Map<string, string>();
  return {
    async acquire({ names, holderId }) {
      if (names.some((name) => holders.has(name))) return false;
      for (const name of names) holders.set(name, holderId);
      return true;
    },
    renew: async (held) => held.filter(({ names, holderId }) => names.some((name) => holders.get(name) !== holderId)),
    async release({ names, holderId }) {
      for (const name of names) if (holders.get(name) === holderId) holders.delete(name);
    },
  };
}
