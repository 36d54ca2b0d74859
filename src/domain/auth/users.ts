import { DomainError } from "../../errors.ts";
import { newId } from "../shared/ids.ts";
import type { Session } from "./access-tokens.ts";
import type { HashJob, Passwords } from "./passwords.ts";

export type User = {
  readonly id: string;
  /** Trimmed and lower case. */
  readonly email: string;
  readonly name: string;
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type UserStore = {
  find(userId: string): Promise<User | undefined>;
  /** Undefined if the user is gone or the session has ended. */
  findLoggedIn(session: Session): Promise<User | undefined>;
  findByEmail(email: string): Promise<(User & { readonly passwordHash: string }) | undefined>;
  /** Returns undefined if the e-mail is taken. */
  add(user: User & { readonly passwordHash: string }): Promise<User | undefined>;
};

type UserPorts = { readonly users: UserStore; readonly passwords: Passwords };

/** `job` is the place of the password's hash in the queue. Throws email_taken. */
export async function registerUser(
  { users, passwords }: UserPorts,
  { email, password, name }: { email: string; password: string; name: string },
  job: HashJob,
): Promise<User> {
  const passwordHash = await passwords.hash(password, job);
  const now = Date.now();
  const user = await users.add({ id: newId("user"), email, name, passwordHash, createdAt: now, updatedAt: now });
  if (!user) throw new DomainError("email_taken", {});
  return user;
}

/** Returns the user with this e-mail and password. Throws invalid_credentials. */
export async function verifyCredentials(
  { users, passwords }: UserPorts,
  { email, password }: { email: string; password: string },
  job: HashJob,
): Promise<User> {
  const found = await users.findByEmail(email);
  const isMatch = await passwords.matches(password, found?.passwordHash, job);
  if (!found || !isMatch) throw new DomainError("invalid_credentials", {});
  const { passwordHash: _, ...user } = found;
  return user;
}
