import type { Access } from "../../src/ai/client/credentials.ts";
import { providerCall, type UpstreamCall } from "../../src/domain/ai/provider-calls.ts";
import type { Caller } from "../../src/domain/auth/caller.ts";
import { isDomainError } from "../../src/errors.ts";

export const accessTo = (baseUrl: string, modelId: string): Access => ({
  ...{ providerName: "Acme", providerId: "acme", modelId, byDefault: false },
  ...{ apiKey: "a key of the caller", baseUrl },
});

/** What one request has of a provider: the call, what was noted of it, and a client that can leave. */
export function notedCall(deadlineMs = 20_000) {
  const noted: UpstreamCall[] = [];
  const client = new AbortController();
  const usage = { add: async (call: UpstreamCall) => void noted.push(call) };
  // safe because a call is noted by its user's id alone
  const caller = { user: { id: "user_1" } } as Caller;
  const call = providerCall({ usage, settings: { providerTimeoutMs: deadlineMs } }, caller, client.signal);
  return { call, noted, leave: () => client.abort() };
}

/** The code it fails with, or "ok". */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "ok",
    (error) => {
      if (isDomainError(error)) return error.code;
      throw error;
    },
  );
