import type { Attempt } from "./client.ts";

export type User = { readonly id: string; readonly authorization: { readonly authorization: string } };

/** Something that the service has confirmed, and how to read it. */
type Confirmed = { readonly user: User; readonly path: string; readonly sha256?: string };

/** An export that the service has accepted. */
export type Order = {
  readonly user: User;
  readonly id: string;
  /** The user has removed it after it was done. */
  isRemoved: boolean;
  readonly acceptedAt: number;
  endedAt?: number;
  /** Of the end, for a client that follows it. */
  status?: string;
  hasWebhook: boolean;
};

type OperationRecord = { readonly path: string; readonly states: string[]; readonly user: User };

/** What the load has sent and what the service has confirmed. */
export type Ledger = {
  readonly attempts: Attempt[];
  /** Files that must be there, and those that must not. */
  readonly files: Map<string, Confirmed>;
  readonly removed: Map<string, Confirmed>;
  readonly orders: Order[];
  readonly operations: OperationRecord[];
  /** Idempotency keys of exports, each confirmed once. */
  readonly exportKeys: Set<string>;
  /** What a reader saw that must not be. */
  readonly violations: string[];
};

export const newLedger = (): Ledger => ({
  attempts: [],
  files: new Map(),
  removed: new Map(),
  orders: [],
  operations: [],
  exportKeys: new Set(),
  violations: [],
});
