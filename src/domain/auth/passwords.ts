export type Passwords = {
  hash(password: string): Promise<string>;
  /** Without a hash it takes the same time and returns false, so that response times do not reveal unknown e-mails. */
  matches(password: string, passwordHash: string | undefined): Promise<boolean>;
};
