import { DomainError } from "../../errors.ts";
import { diskFullError } from "../../platform/disk-full.ts";

const deadlineMs = 5_000;

/**
 * Drivers say it with names, servers with SQLSTATEs: the connection is gone or refused, the statement took too long,
 * or the server takes no writes, as a replica does.
 */
const outage =
  /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08|28|57|53|25006|25P03|3D|55000|55P03)/;

/** The server's SQLSTATE for a disk without room. */
const diskFull = "53100";

type Methods = Record<string, (...args: never[]) => Promise<unknown>>;

/**
 * A store whose calls always end: an outage becomes `unavailable`, and so does silence, because a server that is
 * frozen keeps its connections open and answers nothing for ever.
 */
export const withDatabaseTimeout = <Store extends Methods>(store: Store, waitMs = deadlineMs): Store =>
  // safe because each method is replaced by one of the same type
  Object.fromEntries(
    Object.entries(store).map(([name, method]) => [
      name,
      async (...args: never[]) => answerOf(method(...args), waitMs),
    ]),
  ) as Store;

async function answerOf<T>(answer: Promise<T>, waitMs: number): Promise<T> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DomainError("unavailable", {})), waitMs);
  try {
    return await Promise.race([answer, silence]);
  } catch (error) {
    throw asFailure(error);
  } finally {
    clearTimeout(timer);
  }
}

function asFailure(error: unknown): unknown {
  const code = databaseCode(error) ?? "";
  if (code === diskFull) return diskFullError(error);
  return outage.test(code) ? new DomainError("unavailable", {}, { cause: error }) : error;
}

/** The driver's or the server's code, from under the wrappings of Drizzle. */
export function databaseCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  return databaseCode(error.cause);
}
