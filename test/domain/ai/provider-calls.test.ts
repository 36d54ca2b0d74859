import { expect, test } from "bun:test";
import { type Checkpoints, type ProviderCall, providerCall } from "../../../src/domain/ai/provider-calls.ts";

const ports = { usage: { add: async () => {} }, settings: { providerTimeoutMs: 60_000 } };
// safe because a call is noted by its user's id alone
const caller = { user: { id: "user_1" } } as Parameters<typeof providerCall>[1];
const what = { provider: "acme", model: "m", purpose: "image" } as const;

/** Whether a step that ran so, and failed, is said to have asked nobody. */
async function askedNobody(work: (call: ProviderCall) => Promise<unknown>, client = new AbortController()) {
  let told: boolean | undefined;
  const steps: Checkpoints = {
    async once(_, run, askedNobody) {
      const result = await run({ keep: async () => {} }).catch(() => "failed");
      told = askedNobody?.();
      return result as never;
    },
  };
  const call = providerCall(ports, caller, client.signal, steps);
  await call.once("step", async () => {
    await work(call);
    return "done";
  });
  return told;
}

const broken = async () => Promise.reject(new Error("broken"));

test("a step that fails before its call has asked nobody, one that fails in it or after has", async () => {
  expect(await askedNobody(broken)).toBe(true);
  expect(await askedNobody((call) => call.track(what, broken))).toBe(false);
  expect(await askedNobody((call) => call.track(what, async () => ({ result: 1 })).then(broken))).toBe(false);
});

test("a call that is not made because its caller has left asks nobody", async () => {
  const client = new AbortController();
  client.abort();

  expect(await askedNobody((call) => call.track(what, broken), client)).toBe(true);
});
