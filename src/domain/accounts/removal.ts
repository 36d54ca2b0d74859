import type { HashJob, Passwords } from "../auth/passwords.ts";
import { revisionOf, type User, type UserStore, verifyPassword, wrongPassword } from "../auth/users.ts";
import type { FileStore } from "../files/file-store.ts";
import type { ProjectCaches } from "../projects/projects.ts";
import { type ExpectedRevision, requireRevision } from "../shared/versioned.ts";

/** What is left of a removed account: the folders of its files, which are those of its projects and of the user. */
export type AccountRemains = { readonly id: string; readonly folders: readonly string[] };

export type AccountStore = {
  /**
   * Removes a user with all that the database holds, queued jobs included, and records the remains in the same
   * transaction. Running exports are cancelled; their webhooks get no event. Undefined if the user is gone or has
   * another password by now.
   */
  remove(userId: string, passwordHash: string): Promise<AccountRemains | undefined>;
  /** The remains that `forgetRemains` was not called for. */
  listRemains(): Promise<readonly AccountRemains[]>;
  forgetRemains(remainsId: string): Promise<void>;
  /** Removes jobs that were queued while their user was removed. */
  removeStrayJobs(): Promise<void>;
};

type RemainsPorts = {
  readonly accounts: AccountStore;
  readonly files: Pick<FileStore, "removeFolder">;
  readonly projectCaches: Pick<ProjectCaches, "remove">;
};

export type RemoveAccountPorts = RemainsPorts & { readonly users: UserStore; readonly passwords: Passwords };

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
 * Removes the account with everything in it: first the rows, then the files. `logError` receives failures after the
 * rows are gone, which housekeeping repairs. Throws invalid_credentials if the password has changed since.
 */
export async function removeAccount(
  ports: RemoveAccountPorts,
  { id }: User,
  passwordHash: string,
  logError: (error: unknown) => void,
): Promise<void> {
  const remains = await ports.accounts.remove(id, passwordHash);
  if (!remains) throw wrongPassword();
  await removeRemains(ports, remains).catch(logError);
}

/** Each step can be repeated: what a crash interrupted is removed by the next attempt. */
async function removeRemains({ accounts, files, projectCaches }: RemainsPorts, remains: AccountRemains): Promise<void> {
  for (const folder of remains.folders) {
    await files.removeFolder(folder);
    await projectCaches.remove(folder);
  }
  await accounts.forgetRemains(remains.id);
}

/** Finishes removals that were interrupted. Throws the errors of those that fail again, after all were tried. */
export async function finishRemovals(ports: RemainsPorts): Promise<void> {
  const errors: unknown[] = [];
  for (const remains of await ports.accounts.listRemains()) {
    await removeRemains(ports, remains).catch((error) => errors.push(error));
  }
  if (errors.length > 0) throw new AggregateError(errors, "Files of removed accounts could not be removed.");
}
