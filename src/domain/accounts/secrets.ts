import { randomBytes } from "node:crypto";
import { sha256Of } from "../../platform/values.ts";

/** A hash to compute. Kinds, and the addresses of a kind, are scheduled fairly. */
export type HashJob = {
  readonly kind: HashKind;
  readonly address: string;
  /** Runs when it is the job's turn. If it rejects, nothing is hashed. */
  readonly onTurn: () => Promise<void>;
};

/** A known login comes from an address from which its account has logged in before. */
export type HashKind = "known login" | "login" | "registration";

/** Both throw busy if too many jobs wait, and the error of `onTurn`; `matches` invalid_credentials for a broken hash. */
export type Passwords = {
  hash(password: string, job: HashJob): Promise<string>;
  /** Takes the same time without a hash and returns false, so response times do not reveal unknown e-mails. */
  matches(password: string, passwordHash: string | undefined, job: HashJob): Promise<boolean>;
};

/** Creates 256 random bits as hex. */
export const newSecret = (): string => randomBytes(32).toString("hex");

/** The stored form of a secret. SHA-256 suffices, because 256 random bits cannot be guessed. */
export const hashSecret = (secret: string): string => sha256Of(secret);

/** Encrypts a caller's secret that the service must use later, so that the database alone does not reveal it. */
export type SecretBox = {
  /** The secret can be opened only with the same `boundTo`, which names its owner. */
  seal(secret: string, boundTo?: string): string;
  /** Undefined if the value was sealed with another key or changed since. */
  open(sealed: string, boundTo?: string): string | undefined;
};
