/** A hash to compute. The kinds take turns, and the addresses of a kind, so that none keeps another waiting. */
export type HashJob = {
  readonly kind: HashKind;
  readonly address: string;
  /** Runs when it is the job's turn. If it rejects, nothing is hashed. */
  readonly onTurn: () => Promise<void>;
};

/** A known login comes from an address from which its account has logged in before. */
export type HashKind = "known login" | "login" | "registration";

/** Both throw busy if too many jobs wait, and what `onTurn` throws. `matches` throws invalid_credentials for a broken hash. */
export type Passwords = {
  hash(password: string, job: HashJob): Promise<string>;
  /** Without a hash it takes the same time and returns false, so that response times do not reveal unknown e-mails. */
  matches(password: string, passwordHash: string | undefined, job: HashJob): Promise<boolean>;
};
