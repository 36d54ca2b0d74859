import { expect, test } from "bun:test";
import { secretBox } from "../../../../src/domain/exports/webhooks/sealed-secrets.ts";
import { deliverWebhook, stateAfter, type WebhookOutcome } from "../../../../src/domain/exports/webhooks/webhooks.ts";
import type { Services } from "../../../../src/domain/services.ts";
import { RetryAfterError } from "../../../../src/platform/retry-after.ts";

const hourMs = 3_600_000;

test.each<[WebhookOutcome, number, string]>([
  ["delivered", 0, "delivered"],
  ["delivered", 30, "delivered"],
  ["refused", 0, "pending"],
  ["unreachable", 23.9, "pending"],
  ["not_allowed", 1, "pending"],
  ["refused", 24, "failed"],
  ["unreachable", 25, "failed"],
  ["gone", 0, "failed"],
  ["unsigned", 0, "failed"],
])("a try that was %s after %p hours leaves the webhook %s", (outcome, hours, expected) => {
  const attempt = { at: 1_000 + hours * hourMs, milliseconds: 1, outcome };
  expect(stateAfter(attempt, { beganAt: 1_000 })).toBe(expected as ReturnType<typeof stateAfter>);
});

test("with a secret that cannot be read any more nothing is sent, and nothing is tried again", async () => {
  const noted: unknown[] = [];
  const services = {
    secretBox: secretBox("the secret that came later"),
    webhooks: { isWanted: async () => true, note: async (...all: unknown[]) => void noted.push(all.slice(1)) },
    fetcher: { post: () => Promise.reject(new Error("Nothing may be sent.")) },
    // safe because a delivery asks for nothing else
  } as unknown as Services;
  const secret = secretBox("the secret that was").seal("correct horse battery staple");
  const delivery = { exportId: "exp", id: "evt", body: "{}", url: "https://hooks.test/", secret, round: 1, beganAt: 1 };

  await deliverWebhook(services, JSON.stringify(delivery), AbortSignal.timeout(1000));

  expect(noted).toMatchObject([[{ outcome: "unsigned" }, "failed"]]);
});

/** What is thrown and noted after a try that is answered so, so many hours after the first. */
async function tried(answer: { status: number; retryAfterSeconds?: number }, hours = 0) {
  const noted: unknown[] = [];
  const services = {
    webhooks: { isWanted: async () => true, note: async (_: unknown, attempt: unknown) => void noted.push(attempt) },
    fetcher: { post: async () => answer },
    // safe because a delivery without a secret asks for nothing else
  } as unknown as Services;
  const beganAt = Date.now() - hours * hourMs;
  const delivery = { exportId: "exp", id: "evt", body: "{}", url: "https://hooks.test/", round: 1, beganAt };
  const thrown = await deliverWebhook(services, JSON.stringify(delivery), AbortSignal.timeout(1000)).catch((e) => e);
  return { pause: thrown instanceof RetryAfterError ? thrown.seconds : undefined, thrown, noted };
}

test.each([
  [429, 90, 0, 90],
  [503, 0.2, 0, 1],
  [503, 0, 0, 0],
  [503, 86_400, 0, 3600],
  [503, 3000, 23.75, 900],
])(
  "a %p that asks for %p seconds after %p hours is heeded for %p",
  async (status, retryAfterSeconds, hours, heeded) => {
    const { pause, noted } = await tried({ status, retryAfterSeconds }, hours);
    expect([pause, noted]).toMatchObject([heeded, [{ outcome: "refused", status, retryAfterSeconds: heeded }]]);
  },
);

test("only who is busy can ask for a pause", async () => {
  for (const answer of [
    { status: 500, retryAfterSeconds: 90 },
    { status: 302, retryAfterSeconds: 90 },
    { status: 503 },
  ]) {
    const { pause, thrown, noted } = await tried(answer);
    expect([pause, thrown instanceof Error, noted]).toMatchObject([undefined, true, [{ status: answer.status }]]);
    expect(noted[0]).not.toHaveProperty("retryAfterSeconds");
  }
  expect(await tried({ status: 503, retryAfterSeconds: 90 }, 24.1)).toMatchObject({
    pause: undefined,
    thrown: undefined,
  });
});
