/** Encrypts a caller's secret that the service must use later, so that the database alone does not reveal it. */
export type SecretBox = {
  seal(secret: string): string;
  /** Undefined if the value was sealed with another key or changed since. */
  open(sealed: string): string | undefined;
};
