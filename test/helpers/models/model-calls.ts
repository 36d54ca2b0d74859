import { spyOn } from "bun:test";
import type { ModelCredentials } from "../../../src/ai/client/credentials.ts";
import { type ProviderCall, providerCall, type UsageRecord } from "../../../src/domain/ai/provider-calls.ts";
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

/** The provider call of one request, its usage records, and ways to disconnect its client and to end its time. */
export function recordedCall() {
  const records: UsageRecord[] = [];
  const client = new AbortController();
  const usage = { add: async (record: UsageRecord) => void records.push(record) };
  // safe because a call reads only the user's id
  const caller = { user: { id: "user_1" } } as Caller;
  const call = providerCall({ usage, settings: { providerTimeoutMs: 20_000 } }, caller, client.signal);
  return { call, records, disconnect: () => client.abort(), expire: heldDeadline(call) };
}

/** Returns what ends the time of a call, instead of a timer: how long the call takes is the machine's affair. */
function heldDeadline({ deadlineSignal }: ProviderCall): () => void {
  let expire: (() => void) | undefined;
  const timer = spyOn(globalThis, "setTimeout").mockImplementation(((onTime: () => void) => {
    expire = onTime;
    return { unref: () => {} };
    // safe because the call only starts its timer and lets go of it
  }) as never);
  deadlineSignal();
  timer.mockRestore();
  return expire!;
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
