/** The settings that domain verbs read. wiring.ts fills them from the environment. */
export type Settings = {
  readonly maxUploadBytes: number;
  /** The storage limit of a user. */
  readonly maxUserBytes: number;
  readonly refreshTokenTtlSeconds: number;
  /** One deadline for all provider calls of a request. */
  readonly providerTimeoutMs: number;
  /** The time for which a finished export can be downloaded. */
  readonly exportRetentionMs: number;
  /** The longest time for which a revoked credential keeps a response without events open. */
  readonly credentialRecheckMs: number;
};
