/** Encrypts a caller's secret that the service must use later, so that the database alone does not reveal it. */
export type SecretBox = {
  /** `boundTo` is what the secret belongs to: it opens for that alone. */
  seal(secret: string, boundTo?: string): string;
  /** Undefined if the value was sealed with another key or changed since. */
  open(sealed: string, boundTo?: string): string | undefined;
};
