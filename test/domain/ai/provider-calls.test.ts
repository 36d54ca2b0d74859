import { expect, test } from "bun:test";
import { type ProviderCall, providerCall } from "../../../src/domain/ai/provider-calls.ts";
import type { Checkpoints } from "../../../src/domain/idempotency/checkpoints.ts";
import { ledgerPorts } from "../../support/models/model-calls.ts";

const ports = { ...ledgerPorts(), settings: { providerTimeoutMs: 60_000 } };
// safe because a call reads only the user's id
const caller = { user: { id: "user_1" } } as Parameters<typeof providerCall>[1];
const target = { provider: "acme", model: "m", purpose: "image" } as const;

/** The value of `providerNotCalled` after a step that runs this work and fails. */
async function providerNotCalledBy(work: (call: ProviderCall) => Promise<unknown>, client = new AbortController()) {
  let notCalled: boolean | undefined;
  const checkpoints: Pick<Checkpoints, "runOnce"> = {
    async runOnce(_, step, providerNotCalled) {
      const result = await step({ save: async () => {} }).catch(() => "failed");
      notCalled = providerNotCalled?.();
      return result as never;
    },
  };
  const call = providerCall(ports, caller, client.signal, checkpoints);
  await call.runOnce("step", async () => {
    await work(call);
    return "done";
  });
  return notCalled;
}

const broken = async () => Promise.reject(new Error("broken"));

test("providerNotCalled is true for a step that fails before its call, and false during or after it", async () => {
  expect(await providerNotCalledBy(broken)).toBe(true);
  expect(await providerNotCalledBy((call) => call.track(target, broken))).toBe(false);
  expect(await providerNotCalledBy((call) => call.track(target, async () => ({ result: 1 })).then(broken))).toBe(false);
});

test("providerNotCalled is true for a call that a disconnect prevented", async () => {
  const client = new AbortController();
  client.abort();

  expect(await providerNotCalledBy((call) => call.track(target, broken), client)).toBe(true);
});
