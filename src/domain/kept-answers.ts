import type { Json } from "./provider-calls.ts";

/** An answer that was given, to be given again. */
export type KeptAnswer = {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body?: string;
  /** Instead of a body: a file of the store. */
  readonly file?: { readonly key: string; readonly sizeBytes: number };
};

/** Who asks with which key, and for what. */
export type KeyedRequest = { readonly userId: string; readonly key: string; readonly fingerprint: string };

type Row = Pick<KeyedRequest, "userId" | "key"> & { readonly worker: string };

export type Claim =
  /** The request is ours to work on; `steps` are what an earlier try left. */
  | { readonly state: "mine"; readonly steps: { readonly [name: string]: Json } }
  | { readonly state: "running"; readonly retryAfterSeconds: number }
  | { readonly state: "answered"; readonly answer: KeptAnswer }
  /** The key was used for another request. */
  | { readonly state: "mismatch" };

export type AnswerStore = {
  /** Of many that claim the same key at once, one gets it; a claim whose worker stopped renewing it is free again. */
  claim(
    request: KeyedRequest & { readonly worker: string },
    times: { readonly now: number; readonly leasedUntil: number; readonly expiresAt: number },
  ): Promise<Claim>;
  renew(row: Row, leasedUntil: number): Promise<void>;
  keepStep(row: Row, name: string, value: Json): Promise<void>;
  forgetStep(row: Row, name: string): Promise<void>;
  finish(row: Row, answer: KeptAnswer): Promise<void>;
  /** Gives the key up, so that the same request may be tried anew. */
  release(row: Row): Promise<void>;
  /** Frees every claim that a process which is gone left behind. */
  releaseAll(): Promise<void>;
  /** Removes the rows that are past their time; answers the keys of their files. */
  removeExpired(now: number): Promise<readonly string[]>;
};
