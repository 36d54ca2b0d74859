/** Encrypts a caller's secret that the service must use later, so that the database alone does not reveal it. */
export type SecretBox = {
  /** The secret can be opened only with the same `boundTo`, which names its owner. */
  seal(secret: string, boundTo?: string): string;
  /** Undefined if the value was sealed with another key or changed since. */
  open(sealed: string, boundTo?: string): string | undefined;
};
