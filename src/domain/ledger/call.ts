import type { DomainError, ErrorCode } from "../../errors.ts";

/** The provider's documented terms of payment. */
export type CallTerms = {
  /**
   * True if a creation with a known `idempotency-key` starts no other one: a call that may not have arrived is sent
   * again with its key, and is one payment.
   */
  readonly honoursIdempotencyKey?: boolean;
  /** Errors that it charges for like a result. */
  readonly billsFailures?: readonly ErrorCode[];
};

export const purposes = [
  ...([
    "analyze",
    "describe",
    "match",
    "scenario",
    "style_guide",
    "translation",
    "image",
    "video",
    "speech",
    "transcript",
    "music",
  ] as const),
] as const;
export type Purpose = (typeof purposes)[number];

/** The usage that a provider reports for one call. */
export type UsageAmounts = {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Duration of the generated video or voice, or of the transcribed sound. */
  readonly seconds?: number;
};

/** The outcome of a call. A call that returns an unusable response has usage too. */
export type CallResult<Result> = UsageAmounts & ({ readonly result: Result } | FailedCall);

type FailedCall = {
  readonly failure: DomainError;
  /** True if the provider has answered and charges for it like a result, whatever the error's code. */
  readonly isCharged?: boolean;
};

/** One call of an external model, for the usage log: never a key, a prompt or a response. */
export type UsageRecord = UsageAmounts & {
  readonly id: string;
  readonly userId: string;
  readonly provider: string;
  readonly model: string;
  readonly purpose: Purpose;
  readonly milliseconds: number;
  readonly outcome: "ok" | "cancelled" | "internal" | ErrorCode;
  readonly createdAt: number;
};
