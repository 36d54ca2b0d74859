import { DomainError, type ErrorCode } from "../../errors.ts";
import { type LeasePorts, outageProofLeaseMs as leaseMs, takeLease } from "../../platform/leases.ts";
import { assertScopes, type Caller } from "../accounts/caller.ts";
import type { Scope } from "../accounts/scopes.ts";
import { isId, newId } from "../shared/ids.ts";
import { throughOutage } from "../shared/outages.ts";
import { requireFound } from "../shared/versioned.ts";

/** The response that the request would have received; `body` is JSON text. */
export type OperationResponse = {
  readonly status: number;
  readonly body: string;
  /** The paid amount, as in the header X-Cost. */
  readonly cost?: string;
  /** Problems that did not prevent it. */
  readonly warnings?: readonly OperationWarning[];
};

export type OperationWarning = { readonly code: "model_replaced"; readonly message: string };

export const replacedModelMessage = (model: string): string => `The named model has ended: ${model} was used instead.`;

/** A request that continues without its connection. The client reads the response later. */
export type Operation = {
  readonly id: string;
  readonly userId: string;
  /** The scopes of the request. Reading the response requires them too. */
  readonly scopes: readonly Scope[];
  /** "interrupted": the process that worked on it stopped. */
  readonly state: "running" | "ended" | "interrupted";
  /** Present once it has ended. */
  readonly response?: OperationResponse;
  readonly createdAt: number;
  readonly endedAt?: number;
};

type NewOperation = Pick<Operation, "id" | "userId" | "scopes" | "createdAt"> & { readonly expiresAt: number };

/** The name of a running operation's lease: without it, the operation counts as interrupted. */
export const operationLease = (operationId: string): string => `operation/${operationId}`;

export type OperationStore = {
  /** Requires its lease. Returns false if the user already has `maxRunning` running operations. */
  add(operation: NewOperation, maxRunning: number): Promise<boolean>;
  /** Does nothing if the operation was removed. */
  end(operationId: string, response: OperationResponse, endedAt: number): Promise<void>;
  find(userId: string, operationId: string): Promise<Operation | undefined>;
  /** Also ends its lease. */
  remove(userId: string, operationId: string): Promise<boolean>;
  /** Removes one group of expired records. Returns their number. */
  removeExpired(now: number): Promise<number>;
};

/** The lifetime of links to generated files. */
const retentionMs = 24 * 60 * 60 * 1000;
const maxRunning = 20;

/** The operation that this process runs. */
type RunningOperation = {
  readonly operation: Operation;
  /**
   * Stores the response if there is one, and ends the lease. While the database is unavailable it retries for a minute,
   * because the response exists only here. Never throws: without a stored response the lease expires, and the operation
   * counts as interrupted.
   */
  end(response: OperationResponse | undefined): Promise<void>;
};

/** Stores a running operation and keeps its lease until `end`. Calls `cancel` on its removal. Throws rate_limited. */
export async function startOperation(
  { operations, ...ports }: LeasePorts & { readonly operations: OperationStore },
  { user }: Pick<Caller, "user">,
  scopes: readonly Scope[],
  cancel: () => void,
): Promise<RunningOperation> {
  const createdAt = Date.now();
  const started = { id: newId("op"), userId: user.id, scopes, createdAt };
  const cancelIfRemoved = async () => {
    const found = await operations.find(user.id, started.id).catch(() => started);
    if (!found) cancel();
  };
  const onLost = () => void cancelIfRemoved();
  const lease = await takeLease(ports, [operationLease(started.id)], { leaseMs, onLost });
  const isAdded = await operations
    .add({ ...started, expiresAt: createdAt + retentionMs }, maxRunning)
    .catch((error) => {
      lease?.abandon();
      throw error;
    });
  if (!isAdded) {
    await lease?.release();
    throw new DomainError("rate_limited", { retryAfterSeconds: 10 });
  }
  return {
    operation: { ...started, state: "running" },
    async end(response) {
      const endedAt = Date.now();
      if (response) await throughOutage(() => operations.end(started.id, response, endedAt)).catch(() => {});
      // later work does not wait for the release
      void lease?.release();
    },
  };
}

/** The caller's own operation. Throws not_found, and insufficient_scope without the scopes of its request. */
export async function requireOperation(
  { operations }: { readonly operations: Pick<OperationStore, "find"> },
  caller: Caller,
  operationId: string,
): Promise<Operation> {
  const found = isId("op", operationId) ? await operations.find(caller.user.id, operationId) : undefined;
  const operation = requireFound(found);
  assertScopes(caller, operation.scopes);
  return operation;
}

/** Removes an operation. If it runs, its request is cancelled. */
export async function removeOperation(
  { operations }: { readonly operations: Pick<OperationStore, "remove"> },
  { userId, id }: Operation,
): Promise<void> {
  requireFound((await operations.remove(userId, id)) || undefined);
}

const interrupted = new DomainError("provider_error", {
  reason: "the service stopped while it worked on this request, and a provider may have billed it: send it again",
});

export type OperationView = Pick<Operation, "id" | "createdAt" | "endedAt"> & {
  readonly status: "running" | "done" | "error";
  /** The HTTP status of the response; absent while it runs. */
  readonly responseStatus?: number;
  /** The amount that the request has paid. */
  readonly cost?: string;
  readonly warnings?: readonly OperationWarning[];
  /** The JSON that the request would have received. */
  readonly response?: unknown;
  /** The error that the request would have received. */
  readonly error?: unknown;
};

export function operationView({ id, state, response, createdAt, endedAt }: Operation): OperationView {
  const common = { id, createdAt, ...(endedAt !== undefined && { endedAt }) };
  if (state === "interrupted") return { ...common, status: "error", responseStatus: 502, error: errorOf(interrupted) };
  if (!response) return { ...common, status: "running" };
  const { status: responseStatus, cost, warnings = [] } = response;
  const paid = { ...(cost !== undefined && { cost }), ...(warnings.length > 0 && { warnings }) };
  const body: unknown = JSON.parse(response.body);
  return responseStatus < 400
    ? { ...common, ...paid, status: "done", responseStatus, response: body }
    : { ...common, ...paid, status: "error", responseStatus, error: body };
}

const errorOf = ({ message, code }: DomainError): { readonly error: string; readonly code: ErrorCode } => ({
  error: message,
  code,
});
