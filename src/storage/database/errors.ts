import { DomainError } from "../../errors.ts";
import { yieldIfBusy } from "../../platform/cpu.ts";
import { diskFullError } from "../../platform/files.ts";

const defaultTimeoutMs = 5_000;

/** System errors and SQLSTATEs of lost connections, timeouts and read-only servers, such as replicas. */
const unavailableCode =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08|28|57|53|25006|25P03|3D|55000|55P03)/;

/** The driver's own errors have no code: the connection was lost, not opened in time, or not answered. */
const unavailableMessage =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (has encountered a connection error|was closed)|Cannot use a pool after calling end)/;

/** SQLSTATE disk_full. */
const diskFullCode = "53100";

type Methods = Record<string, (...args: never[]) => Promise<unknown>>;

/**
 * Wraps a store so that each call ends: an outage or a timeout throws `unavailable`, because a frozen server keeps its
 * connections open without responding. A full disk throws `storage_full`, a row of a removed user `invalid_token`.
 */
export function withDatabaseTimeout<Store extends Methods>(store: Store, timeoutMs = defaultTimeoutMs): Store {
  const within = timeLimit(timeoutMs);
  // safe because each method is replaced by one of the same type
  return Object.fromEntries(
    Object.entries(store).map(([name, method]) => [
      name,
      async (...args: never[]) => {
        // the embedded database runs on this thread
        await yieldIfBusy();
        return within(method(...args));
      },
    ]),
  ) as Store;
}

/**
 * Rejects calls with `unavailable` that do not settle in time, and maps their errors. All have the same time, so they
 * end in order, and one timer serves them all: a timer per call would cost more than the rest of this.
 */
function timeLimit(timeoutMs: number): <T>(result: Promise<T>) => Promise<T> {
  const running = new Set<{ readonly endsAt: number; readonly expire: () => void }>();
  let isScheduled = false;

  const endExpired = () => {
    isScheduled = false;
    const now = performance.now();
    for (const call of running) {
      if (call.endsAt > now) return schedule(call.endsAt - now);
      running.delete(call);
      call.expire();
    }
  };
  const schedule = (milliseconds: number) => {
    isScheduled = true;
    setTimeout(endExpired, Math.ceil(milliseconds)).unref();
  };

  return <T>(result: Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const expire = () => reject(new DomainError("unavailable", {}));
      const call = { endsAt: performance.now() + timeoutMs, expire };
      running.add(call);
      if (!isScheduled) schedule(timeoutMs);
      result.then(
        (value) => {
          running.delete(call);
          resolve(value);
        },
        (error) => {
          running.delete(call);
          reject(toDomainError(error));
        },
      );
    });
}

/** Maps outages, a full disk and a removed user; returns every other error unchanged. */
function toDomainError(error: unknown): unknown {
  if (isMissingUser(error)) return new DomainError("invalid_token", {}, { cause: error });
  if (databaseCode(error) === diskFullCode) return diskFullError(error);
  return isOutage(error) ? new DomainError("unavailable", {}, { cause: error }) : error;
}

/** True if the database failed because it is unreachable, too slow or read-only. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && typeof error.code === "string") return unavailableCode.test(error.code);
  return unavailableMessage.test(error.message) || isOutage(error.cause);
}

/** True if a row of a user was added after the account was removed: the caller's credential has just expired. */
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
