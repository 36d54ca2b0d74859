/** Locks by name that one holder has among all processes of the service. */
export type Lease = {
  /** Each once, and in the same order for all holders. */
  readonly names: readonly string[];
  readonly holderId: string;
};

export type RenewedLease = Lease & { readonly leaseMs: number };

/** A lease expires unless it is renewed, so that a process that dies does not hold it for ever. */
export type LeaseStore = {
  /** Takes all names or none. False while another holder's lease of one of the names has not expired. */
  acquire(lease: Lease, leaseMs: number): Promise<boolean>;
  /** Renews each for its own time. Returns those that their holders have lost, of which nothing is changed. */
  renew(leases: readonly RenewedLease[]): Promise<readonly RenewedLease[]>;
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

type LeaseOptions = {
  readonly leaseMs?: number;
  /** Called if the lease was ended by another process. */
  readonly onLost?: () => void;
  /** Called after each renewal: the database answers. */
  readonly onRenewed?: () => void;
};

/** Renewed until `release`, which never throws. Undefined if another holder has a name. Throws unavailable. */
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

/** By store: all leases of a process are renewed with one statement. */
const renewers = new WeakMap<LeasePorts["leases"], Renewer>();

/** Renews a lease until the returned function is called, or it is lost. */
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
  // after a failure the next renewal tries again, within the lease
  renewer.timer ??= setInterval(() => void renewAll().catch(() => {}), renewEveryMs);
  return () => forget(lease);
}
