/** Named locks that one holder has among all processes of the service. */
export type Lease = {
  /** Without duplicates, in the same order for all holders. */
  readonly names: readonly string[];
  readonly holderId: string;
};

export type RenewedLease = Lease & { readonly leaseMs: number };

/** A lease expires unless it is renewed, so that a dead process does not hold it for ever. */
export type LeaseStore = {
  /** Takes all names or none. False while another holder's lease of one of the names has not expired. */
  acquire(lease: Lease, leaseMs: number): Promise<boolean>;
  /** Renews each lease for its own time. Returns the lost ones, and changes nothing about them. */
  renew(leases: readonly RenewedLease[]): Promise<readonly RenewedLease[]>;
  release(lease: Lease): Promise<void>;
  /** Ends every lease. Only for a database that no other process uses. */
  releaseAll(): Promise<void>;
  /** Removes a batch of expired leases, except names with this prefix. Returns the number of removed rows. */
  removeExpired(keptPrefix: string): Promise<number>;
  /** Removes those of the names that are still expired. */
  dropExpired(names: readonly string[]): Promise<void>;
  /** The expired names with this prefix. */
  listExpired(prefix: string): Promise<readonly string[]>;
};

export type LeasePorts = { readonly leases: Pick<LeaseStore, "acquire" | "renew" | "release"> };

export type HeldLease = {
  release(): Promise<void>;
  /** Lets the lease expire without a query, for a database that does not respond. */
  abandon(): void;
};

/** For work that may be done twice at a cost: others resume soon after the holder was killed. */
const shortLeaseMs = 10_000;

/** Longer than a database restart: a living holder keeps the lease of work that must not be done twice. */
export const outageProofLeaseMs = 20_000;

const renewEveryMs = 3_000;

type LeaseOptions = {
  readonly leaseMs?: number;
  /** Called if another process ended the lease. */
  readonly onLost?: () => void;
  /** Called after each renewal, when the database responds. */
  readonly onRenewed?: () => void;
};

/** The lease is renewed until `release`, which never throws. Undefined if a name is taken. Throws unavailable. */
export async function takeLease(
  { leases }: LeasePorts,
  names: readonly string[],
  { leaseMs = shortLeaseMs, onLost = () => {}, onRenewed = () => {} }: LeaseOptions = {},
): Promise<HeldLease | undefined> {
  const lease: RenewedLease = { names: [...new Set(names)].sort(), holderId: crypto.randomUUID(), leaseMs };
  if (!(await leases.acquire(lease, leaseMs))) return undefined;
  const abandon = keepRenewing(leases, lease, { onLost, onRenewed });
  return {
    release() {
      abandon();
      return leases.release(lease).catch(() => {});
    },
    abandon,
  };
}

type Listeners = Required<Pick<LeaseOptions, "onLost" | "onRenewed">>;

type Renewer = { readonly held: Map<RenewedLease, Listeners>; timer?: ReturnType<typeof setInterval> };

/** One for each store: all leases of a process are renewed with one statement. */
const renewers = new WeakMap<LeasePorts["leases"], Renewer>();

/** Renews a lease until the returned function is called, or the lease is lost. */
function keepRenewing(leases: LeasePorts["leases"], lease: RenewedLease, listeners: Listeners): () => void {
  const renewer: Renewer = renewers.get(leases) ?? { held: new Map() };
  renewers.set(leases, renewer);
  const { held } = renewer;
  const forget = (forgotten: RenewedLease) => {
    held.delete(forgotten);
    if (held.size > 0) return;
    clearInterval(renewer.timer);
    delete renewer.timer;
  };
  const renewAll = async () => {
    for (const lost of await leases.renew([...held.keys()])) {
      // undefined if it was released meanwhile
      const report = held.get(lost);
      forget(lost);
      report?.onLost();
    }
    for (const { onRenewed } of held.values()) onRenewed();
  };
  held.set(lease, listeners);
  // after a failure the next renewal retries, within the lease
  renewer.timer ??= setInterval(() => void renewAll().catch(() => {}), renewEveryMs);
  return () => forget(lease);
}
