import type { FileStore } from "../../engine/ports.ts";
import { type LeasePorts, takeLease } from "../../platform/leases.ts";
import type { HashJob, Passwords } from "../accounts/secrets.ts";
import { revisionOf, type User, type UserStore, verifyPassword, wrongPassword } from "../accounts/users.ts";
import type { Project, ProjectCaches, ProjectStore } from "../projects/projects.ts";
import { type ExpectedRevision, requireFound, requireRevision } from "../shared/versioned.ts";

/** The folders of removed projects and users, whose records are gone. */
export type Remains = { readonly id: string; readonly folders: readonly string[] };

export type RemovalStore = {
  /**
   * Makes an account unreachable: ends its credentials, frees its e-mail, and cancels its exports and operations
   * without webhook events. False if the user was removed or the password has changed.
   */
  removeUser(userId: string, passwordHash: string): Promise<boolean>;
  /**
   * Removes some records of removed accounts and projects from one table: at most `rows`, by default as many as end in
   * time. Returns the remains after the last record of one, and undefined if there was nothing to remove.
   */
  removeBatch(rows?: number): Promise<Remains | "more" | undefined>;
  /** The remains for which `forgetRemains` was not called. */
  listRemains(): Promise<readonly Remains[]>;
  forgetRemains(remainsId: string): Promise<void>;
  /** Removed accounts and projects that still have records or files. */
  countWaiting(): Promise<number>;
};

type RemovalPorts = LeasePorts & {
  readonly removals: RemovalStore;
  readonly files: Pick<FileStore, "removeFolder">;
  readonly projectCaches: Pick<ProjectCaches, "remove">;
};

type RemoveAccountPorts = RemovalPorts & { readonly users: UserStore; readonly passwords: Passwords };

type LogError = (error: unknown) => void;

/** Verifies the password that a removal requires. Throws precondition_failed and invalid_credentials. */
export async function authorizeRemoval(
  ports: RemoveAccountPorts,
  { user, password }: { readonly user: User; readonly password: string },
  expected: ExpectedRevision,
  job: HashJob,
): Promise<string> {
  requireRevision({ revision: revisionOf(user) }, expected);
  return (await verifyPassword(ports, user, password, job)).passwordHash;
}

/**
 * Removes the account with everything in it: immediately for all callers, records and files in the background.
 * `logError` receives failures of the latter, which housekeeping repairs. Throws invalid_credentials if the password
 * has changed since.
 */
export async function removeAccount(
  ports: RemoveAccountPorts,
  { id }: User,
  passwordHash: string,
  logError: LogError,
): Promise<void> {
  if (!(await ports.removals.removeUser(id, passwordHash))) throw wrongPassword();
  await beginRemoval(ports, logError);
}

/** Removes the project with everything in it, like `removeAccount`. Throws precondition_failed. */
export async function removeProject(
  { projects, ...ports }: RemovalPorts & { readonly projects: ProjectStore },
  { id, userId }: Project,
  expected: ExpectedRevision,
  logError: LogError,
): Promise<void> {
  requireFound((await projects.remove(userId, id, (found) => requireRevision(found, expected))) || undefined);
  await beginRemoval(ports, logError);
}

/** A request waits for this part, which is all of a small account or project: about a millisecond per record. */
const whileRequested = { batches: 8, rows: 10 };

async function beginRemoval(ports: RemovalPorts, logError: LogError): Promise<void> {
  const isDone = await removeBatches(ports, whileRequested).catch(logError);
  if (isDone === false) void finishRemovals(ports).catch(logError);
}

/** Removes the rest of removed accounts and projects. Throws errors of files that cannot be removed, at the end. */
export async function finishRemovals(ports: RemovalPorts): Promise<void> {
  const errors: unknown[] = [];
  for (const remains of await ports.removals.listRemains()) {
    await removeRemains(ports, remains).catch((error) => errors.push(error));
  }
  await removeBatches(ports).catch((error) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, "Files of removed accounts could not be removed.");
}

/** False if something may be left. Does nothing while another process, or another request, removes it. */
async function removeBatches(
  ports: RemovalPorts,
  { batches, rows }: { readonly batches: number; readonly rows?: number } = { batches: Number.POSITIVE_INFINITY },
): Promise<boolean> {
  const lease = await takeLease(ports, ["removals"]);
  if (!lease) return true;
  try {
    for (let batch = 0; batch < batches; batch++) {
      const removed = await ports.removals.removeBatch(rows);
      if (!removed) return true;
      if (removed !== "more") await removeRemains(ports, removed);
    }
    return false;
  } finally {
    await lease.release();
  }
}

/** Each step can be repeated: the next attempt completes one that a crash interrupted. */
async function removeRemains({ removals, files, projectCaches }: RemovalPorts, remains: Remains): Promise<void> {
  for (const folder of remains.folders) {
    await files.removeFolder(folder);
    await projectCaches.remove(folder);
  }
  await removals.forgetRemains(remains.id);
}
