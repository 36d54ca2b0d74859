/** A lock by name that one holder has among all processes of the service. */
export type Lease = { readonly name: string; readonly holderId: string };

/** A lease expires unless it is renewed, so that a process that dies does not hold it for ever. */
export type LeaseStore = {
  /** One of several concurrent attempts succeeds. Returns false while another holder's lease has not expired. */
  acquire(lease: Lease, leaseMs: number): Promise<boolean>;
  /** Does nothing once another holder has the lease. */
  renew(lease: Lease, leaseMs: number): Promise<void>;
  release(lease: Lease): Promise<void>;
  /** Ends every lease. Only for a database that no other process uses. */
  releaseAll(): Promise<void>;
  removeExpired(): Promise<void>;
};

export type LeasePorts = { readonly leases: Pick<LeaseStore, "acquire" | "renew" | "release"> };

export type HeldLease = { release(): Promise<void> };

const leaseMs = 10_000;
const renewEveryMs = 3_000;

/**
 * Takes a lease and renews it until `release`; undefined if another holder has it. Throws unavailable. `release` never
 * throws: a lease that it cannot end expires.
 */
export async function takeLease({ leases }: LeasePorts, name: string): Promise<HeldLease | undefined> {
  const lease: Lease = { name, holderId: crypto.randomUUID() };
  if (!(await leases.acquire(lease, leaseMs))) return undefined;
  const heartbeat = setInterval(() => void leases.renew(lease, leaseMs).catch(() => {}), renewEveryMs);
  return {
    release() {
      clearInterval(heartbeat);
      return leases.release(lease).catch(() => {});
    },
  };
}
