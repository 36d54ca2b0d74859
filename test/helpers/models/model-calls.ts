import type { ModelCredentials } from "../../../src/ai/client/credentials.ts";
import { providerCall, type UsageRecord } from "../../../src/domain/ai/provider-calls.ts";
import type { Caller } from "../../../src/domain/auth/caller.ts";
import { isDomainError } from "../../../src/errors.ts";

export const credentialsFor = (baseUrl: string, modelId: string): ModelCredentials => ({
  providerName: "Acme",
  providerId: "acme",
  modelId,
  byDefault: false,
  offeredModels: [modelId, "acme-2"],
  apiKey: "a key of the caller",
  baseUrl,
});

/** The provider call of one request, its usage records, and a way to disconnect its client. */
export function recordedCall(deadlineMs = 20_000) {
  const records: UsageRecord[] = [];
  const client = new AbortController();
  const usage = { add: async (record: UsageRecord) => void records.push(record) };
  // safe because a call reads only the user's id
  const caller = { user: { id: "user_1" } } as Caller;
  const call = providerCall({ usage, settings: { providerTimeoutMs: deadlineMs } }, caller, client.signal);
  return { call, records, disconnect: () => client.abort() };
}

/** The code of the error that the work fails with, or "ok". */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "ok",
    (error) => {
      if (isDomainError(error)) return error.code;
      throw error;
    },
  );
