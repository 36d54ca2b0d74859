/** Locks by name that one holder has among all processes of the service. */
export type Lease = {
  /** Each once, and in the same order for all holders. */
  readonly names: readonly string[];
  readonly holderId: string;
};

/** A lease expires unless it is renewed, so that a process that dies does not hold it for ever. */
export type LeaseStore = {
  /**
   * Takes all names or none. One of several concurrent attempts succeeds. Returns false while another holder's lease of
   * one of the names has not expired.
   */
  acquire(lease: Lease, leaseMs: number): Promise<boolean>;
  /** Does nothing for names that another holder has by now. */
  renew(leases: readonly Lease[], leaseMs: number): Promise<void>;
  release(lease: Lease): Promise<void>;
  /** Ends every lease. Only for a database that no other process uses. */
  releaseAll(): Promise<void>;
  /** Removes a batch, but none with this beginning. Returns the number of its rows. */
  removeExpired(keptPrefix: string): Promise<number>;
  /** Removes those of the names that are still expired. */
  dropExpired(names: readonly string[]): Promise<void>;
  /** The names with this beginning whose holders have not released them in time. */
  listExpired(prefix: string): Promise<readonly string[]>;
};

export type LeasePorts = { readonly leases: Pick<LeaseStore, "acquire" | "renew" | "release"> };

export type HeldLease = {
  release(): Promise<void>;
  /** Lets it expire, without a query: for a database that does not respond. */
  abandon(): void;
};

/** For what may also be done twice, at a cost: others go on soon after the holder was killed. */
const shortLeaseMs = 10_000;

/** Longer than a database is away while it restarts: a holder that lives does not lose what must not be done twice. */
export const outageProofLeaseMs = 20_000;

const renewEveryMs = 3_000;

/**
 * Takes a lease of some names and renews it until `release`; undefined if another holder has one of them. Throws
 * unavailable. `release` never throws: a lease that it cannot end expires.
 */
export async function takeLease(
  { leases }: LeasePorts,
  names: readonly string[],
  leaseMs = shortLeaseMs,
): Promise<HeldLease | undefined> {
  const lease: Lease = { names: [...new Set(names)].sort(), holderId: crypto.randomUUID() };
  if (!(await leases.acquire(lease, leaseMs))) return undefined;
  const abandon = keepRenewing(leases, lease, leaseMs);
  return {
    release() {
      abandon();
      return leases.release(lease).catch(() => {});
    },
    abandon,
  };
}

type Renewer = { readonly held: Set<Lease>; timer?: ReturnType<typeof setInterval> };

/** By store and duration: all leases of a process are renewed with one statement. */
const renewers = new WeakMap<LeasePorts["leases"], Map<number, Renewer>>();

/** Renews a lease until the returned function is called. */
function keepRenewing(leases: LeasePorts["leases"], lease: Lease, leaseMs: number): () => void {
  const ofStore = renewers.get(leases) ?? new Map<number, Renewer>();
  const renewer: Renewer = ofStore.get(leaseMs) ?? { held: new Set() };
  renewers.set(leases, ofStore.set(leaseMs, renewer));
  const { held } = renewer;
  held.add(lease);
  renewer.timer ??= setInterval(() => void leases.renew([...held], leaseMs).catch(() => {}), renewEveryMs);
  return () => {
    held.delete(lease);
    if (held.size > 0) return;
    clearInterval(renewer.timer);
    delete renewer.timer;
  };
}
