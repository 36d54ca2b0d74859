import { shared } from "../../platform/async.ts";
import { ifMissing } from "../../platform/files.ts";
import { type HeldLease, type LeasePorts, takeLease } from "../../platform/leases.ts";
import type { Bucket, StoredObject } from "./bucket.ts";

type BudgetOptions = LeasePorts & {
  readonly bucket: Bucket;
  readonly maxBytes: number;
  /** The folder of the objects that the budget limits. */
  readonly folder: string;
  /** Takes keys without the folder. */
  readonly removeAll: (keys: readonly string[]) => Promise<void>;
};

/** Bytes that a process has taken from the budget in advance and may store until a time. */
type Grant = { readonly bytes: number; readonly until: number };

/** At least the bytes of the folder plus those that all processes may still add. */
type Count = { readonly bytes: number; readonly grants: Readonly<Record<string, Grant>> };

/** The share of the budget that a process takes at a time, so that most objects need no coordination. */
const grantShare = 1 / 50;
const grantMs = 5 * 60_000;

/** Eviction frees space down to this share of the budget. */
const evictToShare = 0.9;

/** The time that a caller waits for an eviction; then its object is not stored. */
const maxWaitMs = 2_000;

/**
 * Limits the objects of a folder over all processes. They keep one count, in an object beside the folder that only the
 * holder of a lease may change. `spend` stores an object if its bytes fit the budget; otherwise it does nothing.
 */
export function sharedBudget({ bucket, leases, maxBytes, folder, removeAll }: BudgetOptions) {
  const countKey = `${folder.replace(/\/$/, "")}-size`;
  const processId = crypto.randomUUID();
  let grant: Grant = { bytes: 0, until: 0 };
  let bytesInFlight = 0;

  /** False if there is no room for that many bytes now. Several callers wait for one refill. */
  const refill = shared(async (wantedBytes: number): Promise<boolean> => {
    const lease = await waitForLease({ leases }, countKey);
    if (!lease) return false;
    try {
      const bytes = Math.max(wantedBytes, Math.floor(maxBytes * grantShare));
      const until = Date.now() + grantMs;
      const counted = await readCount(bucket, countKey);
      const others = otherGrants(counted, processId);
      const held = counted && counted.bytes + bytes <= maxBytes ? counted.bytes : await evict(bytes, others);
      if (held + bytes > maxBytes) return false;
      // objects in transfer belong to the last grant, which the new one replaces
      const own = { bytes: bytes + bytesInFlight, until };
      await writeCount(bucket, countKey, { bytes: held + bytes, grants: { ...others, [processId]: own } });
      grant = { bytes, until };
      return true;
    } finally {
      await lease.release();
    }
  });

  /** Removes the oldest objects until `wantedBytes` fit. Returns the bytes of the others and of all grants. */
  const evict = async (wantedBytes: number, others: Count["grants"]): Promise<number> => {
    const objects: StoredObject[] = [];
    for await (const page of bucket.list(folder)) objects.push(...page.objects);
    const granted = Object.values(others).reduce((sum, { bytes }) => sum + bytes, bytesInFlight);
    let held = objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, granted);
    if (held + wantedBytes <= maxBytes) return held;
    const removed: string[] = [];
    for (const { key, sizeBytes } of objects.toSorted((a, b) => a.writtenAt - b.writtenAt)) {
      if (held + wantedBytes <= maxBytes * evictToShare) break;
      removed.push(key.slice(folder.length));
      held -= sizeBytes;
    }
    await removeAll(removed);
    return held;
  };

  /** Takes bytes from the grant; false if it has too few left. */
  const takeNow = (bytes: number): boolean => {
    if (bytes > grant.bytes || Date.now() >= grant.until) return false;
    grant = { ...grant, bytes: grant.bytes - bytes };
    bytesInFlight += bytes;
    return true;
  };

  /** Callers that waited for one grant may need another one afterwards. */
  const take = async (bytes: number): Promise<boolean> => {
    if (takeNow(bytes)) return true;
    const timeout = Bun.sleep(maxWaitMs).then(() => false);
    do {
      if (!(await Promise.race([refill(bytes), timeout]))) return false;
    } while (!takeNow(bytes));
    return true;
  };

  return {
    async spend(bytes: number, store: () => Promise<void>): Promise<void> {
      if (bytes > maxBytes || !(await take(bytes))) return;
      try {
        await store();
      } finally {
        bytesInFlight -= bytes;
      }
    },
  };
}

const leaseAttempts = 20;
const leasePauseMs = 50;

/** Undefined if other processes hold the lease for a second. */
async function waitForLease(ports: LeasePorts, name: string): Promise<HeldLease | undefined> {
  for (let attempt = 1; attempt <= leaseAttempts; attempt += 1) {
    const lease = await takeLease(ports, [name]);
    if (lease) return lease;
    await Bun.sleep(leasePauseMs);
  }
  return undefined;
}

/** Undefined if there is no readable count. */
const readCount = async (bucket: Bucket, key: string): Promise<Count | undefined> => {
  const text = await bucket.get(key).then((response) => response.text(), ifMissing(""));
  try {
    return JSON.parse(text) as Count;
  } catch {
    return undefined;
  }
};

async function writeCount(bucket: Bucket, key: string, count: Count): Promise<void> {
  const text = JSON.stringify(count);
  const sha256 = new Bun.CryptoHasher("sha256").update(text).digest("hex");
  await bucket.put(key, new Blob([text]), { sha256 });
}

/** Grants of other processes that may still be used; a margin covers objects in transfer and clock differences. */
function otherGrants(count: Count | undefined, processId: string): Count["grants"] {
  const grants = Object.entries(count?.grants ?? {});
  return Object.fromEntries(grants.filter(([id, { until }]) => id !== processId && until + grantMs > Date.now()));
}
