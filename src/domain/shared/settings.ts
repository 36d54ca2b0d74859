/** The settings that domain verbs read. wiring.ts fills them from the environment. */
export type Settings = {
  readonly maxUploadBytes: number;
  /** What one user may store. */
  readonly maxUserBytes: number;
  readonly refreshTokenTtlSeconds: number;
  /** One deadline for all provider calls of a request. */
  readonly providerTimeoutMs: number;
  /** How long a finished export can be downloaded. */
  readonly exportRetentionMs: number;
  /** How long a revoked credential may keep a response without events open. */
  readonly credentialRecheckMs: number;
};
