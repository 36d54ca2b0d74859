import { DomainError } from "../../errors.ts";
import { diskFullError } from "../../platform/disk-full.ts";
import { yieldIfBusy } from "../../platform/event-loop.ts";

const defaultTimeoutMs = 5_000;

/**
 * Codes of system errors and prefixes of SQLSTATEs: the connection is lost or refused, the statement timed out, or the
 * server is read-only, as a replica is.
 */
const unavailableCode =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08|28|57|53|25006|25P03|3D|55000|55P03)/;

/** The driver's own errors have no code: the connection was lost, was not opened in time, or did not answer. */
const unavailableMessage =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (has encountered a connection error|was closed)|Cannot use a pool after calling end)/;

/** SQLSTATE disk_full. */
const diskFullCode = "53100";

type Methods = Record<string, (...args: never[]) => Promise<unknown>>;

/**
 * Wraps a store so that each call ends: an outage throws `unavailable`, and so does a timeout, because a frozen server
 * keeps its connections open without ever responding. A full disk throws `storage_full`, a row of a removed user
 * `invalid_token`.
 */
export const withDatabaseTimeout = <Store extends Methods>(store: Store, timeoutMs = defaultTimeoutMs): Store =>
  // safe because each method is replaced by one of the same type
  Object.fromEntries(
    Object.entries(store).map(([name, method]) => [
      name,
      async (...args: never[]) => {
        // the embedded database runs on this thread
        await yieldIfBusy();
        return await withTimeout(method(...args), timeoutMs);
      },
    ]),
  ) as Store;

async function withTimeout<T>(result: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DomainError("unavailable", {})), timeoutMs);
  try {
    return await Promise.race([result, timeout]);
  } catch (error) {
    throw toDomainError(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Maps outages, a full disk and a removed user; returns every other error unchanged. */
function toDomainError(error: unknown): unknown {
  if (isMissingUser(error)) return new DomainError("invalid_token", {}, { cause: error });
  if (databaseCode(error) === diskFullCode) return diskFullError(error);
  return isOutage(error) ? new DomainError("unavailable", {}, { cause: error }) : error;
}

/** True if the database did not do what it was asked because it is away, too slow or read-only. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && typeof error.code === "string") return unavailableCode.test(error.code);
  return unavailableMessage.test(error.message) || isOutage(error.cause);
}

/** True if a row of a user was added after the account was removed: the caller's credential has just ended. */
function isMissingUser(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("constraint" in error) return /_user_id_users_id_fk$/.test(String(error.constraint));
  return isMissingUser(error.cause);
}

/** The error code of the driver or the server; Drizzle wraps it as the cause of its own error. */
export function databaseCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  return databaseCode(error.cause);
}
