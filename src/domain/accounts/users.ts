import { DomainError, isDomainError } from "../../errors.ts";
import { newId } from "../shared/ids.ts";
import { type ExpectedRevision, requireFound, requireRevision } from "../shared/versioned.ts";
import type { Session } from "./access-tokens.ts";
import type { ClientAddress } from "./login-throttle.ts";
import type { HashJob, Passwords } from "./secrets.ts";

export type User = {
  readonly id: string;
  /** Trimmed and lower case. */
  readonly email: string;
  readonly name: string;
  readonly createdAt: number;
  readonly updatedAt: number;
};

type NewUser = User & {
  readonly passwordHash: string;
  /** The network of the registration, if it identifies a client. */
  readonly network?: string;
};

export type UserStore = {
  find(userId: string): Promise<User | undefined>;
  /** Undefined if the user was removed or the session has ended. */
  findLoggedIn(session: Session): Promise<User | undefined>;
  findByEmail(email: string): Promise<(User & { readonly passwordHash: string }) | undefined>;
  /** Returns undefined if the e-mail is taken. */
  add(user: NewUser): Promise<User | undefined>;
  /** Runs `edit` on the user under a row lock, and saves the name and the times. Undefined if the user was removed. */
  change(userId: string, edit: (found: User) => User): Promise<User | undefined>;
  /** Also ends all sessions of the user except the given one. Undefined if the stored hash differs. */
  replacePassword(session: Session, hashes: PasswordHashes, now: number): Promise<User | undefined>;
};

type PasswordHashes = { readonly from: string; readonly to: string };

export type VerifiedUser = { readonly user: User; readonly passwordHash: string };

type UserPorts = { readonly users: UserStore; readonly passwords: Passwords };

/** `job` is the password's hash job. Throws email_taken. */
export async function registerUser(
  { users, passwords }: UserPorts,
  { email, password, name }: { email: string; password: string; name: string },
  { network, isLoopback }: ClientAddress,
  job: HashJob,
): Promise<VerifiedUser> {
  const passwordHash = await passwords.hash(password, job);
  const now = Date.now();
  const added = { id: newId("user"), email, name, passwordHash, createdAt: now, updatedAt: now };
  // all clients share a loopback address if it is that of an untrusted proxy
  const user = await users.add({ ...added, ...(!isLoopback && { network }) });
  if (!user) throw new DomainError("email_taken", {});
  return { user, passwordHash };
}

/** Returns the user with this e-mail and password. Throws invalid_credentials. */
export async function verifyCredentials(
  { users, passwords }: UserPorts,
  { email, password }: { email: string; password: string },
  job: HashJob,
): Promise<VerifiedUser> {
  const found = await users.findByEmail(email);
  const isMatch = await passwords.matches(password, found?.passwordHash, job);
  if (!found || !isMatch) throw new DomainError("invalid_credentials", {});
  const { passwordHash, ...user } = found;
  return { user, passwordHash };
}

/** Verifies the password of a user who is logged in. Throws invalid_credentials. */
export async function verifyPassword(
  ports: UserPorts,
  { email }: User,
  password: string,
  job: HashJob,
): Promise<VerifiedUser> {
  try {
    return await verifyCredentials(ports, { email, password }, job);
  } catch (error) {
    throw isDomainError(error) && error.code === "invalid_credentials" ? wrongPassword(error.cause) : error;
  }
}

export const wrongPassword = (cause?: unknown): DomainError<"invalid_credentials"> =>
  new DomainError("invalid_credentials", { sentence: "Wrong password" }, { cause });

/** A user's revision is the time of the last change, which grows with each change. */
export const revisionOf = ({ updatedAt }: User): number => updatedAt;

/** Changes the user's name. Throws precondition_failed. */
export async function renameUser(
  { users }: Pick<UserPorts, "users">,
  { id }: User,
  name: string | undefined,
  expected: ExpectedRevision,
): Promise<User> {
  const renamed = await users.change(id, (found) => {
    requireRevision({ revision: revisionOf(found) }, expected);
    return { ...found, name: name ?? found.name, updatedAt: Math.max(Date.now(), found.updatedAt + 1) };
  });
  return requireFound(renamed);
}

/** Changes the password and ends all other sessions. Throws invalid_credentials for a wrong old password. */
export async function changePassword(
  ports: UserPorts,
  session: Session,
  { user, oldPassword, newPassword }: { user: User; oldPassword: string; newPassword: string },
  job: HashJob,
): Promise<User> {
  const { passwordHash: from } = await verifyPassword(ports, user, oldPassword, job);
  // the points of the attempt have been taken already
  const to = await ports.passwords.hash(newPassword, { ...job, onTurn: async () => {} });
  const changed = await ports.users.replacePassword(session, { from, to }, Date.now());
  if (!changed) throw wrongPassword();
  return changed;
}
