import { spyOn } from "bun:test";
import type { Caller } from "../../../src/domain/accounts/caller.ts";
import {
  type CallContext,
  type ProviderCall,
  type ProviderCallPorts,
  providerCall,
  type UsageRecord,
} from "../../../src/domain/ai/provider-calls.ts";
import type { Reservation } from "../../../src/domain/ledger/ledger.ts";
import { priceTable } from "../../../src/domain/ledger/prices.ts";
import { isDomainError } from "../../../src/errors.ts";
import type { ModelCredentials } from "../../../src/providers/client/credentials.ts";

export const credentialsFor = (baseUrl: string, modelId: string): ModelCredentials => ({
  providerName: "Acme",
  providerId: "acme",
  modelId,
  byDefault: false,
  offeredModels: [modelId, "acme-2"],
  apiKey: "a key of the caller",
  baseUrl,
});

/** A ledger in memory, without prices. `onEnd` receives each call once it has ended, as usage shows it. */
export function ledgerPorts(onEnd: (record: UsageRecord) => void = () => {}) {
  const running = new Map<string, Reservation>();
  const ledger: ProviderCallPorts["ledger"] = {
    reserve: async (call) => void running.set(call.id, call),
    resume: async () => undefined,
    isWanted: async () => true,
    async end({ id, state: _, cost: __, images: ___, characters: ____, ...ended }) {
      const { userId, provider, model, purpose, createdAt } = running.get(id)!;
      onEnd({ id, userId, provider, model, purpose, createdAt, ...ended });
    },
  };
  const leases = { acquire: async () => true, renew: async () => [], release: async () => {} };
  return { ledger, leases, prices: priceTable([]) };
}

/** The provider call of one request, its usage records, and ways to disconnect its client and to end its time. */
export function recordedCall(context: CallContext = {}) {
  const records: UsageRecord[] = [];
  const client = new AbortController();
  const ports = { ...ledgerPorts((record) => void records.push(record)), settings: { providerTimeoutMs: 20_000 } };
  // safe because a call reads only the user's id
  const caller = { user: { id: "user_1" } } as Caller;
  const call = providerCall(ports, caller, client.signal, undefined, context);
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
