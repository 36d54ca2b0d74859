import { expect, test } from "bun:test";
import { deliverWebhook, stateAfter } from "../../../../src/domain/exports/webhooks/deliver.ts";
import type { WebhookOutcome } from "../../../../src/domain/exports/webhooks/webhooks.ts";
import { RetryAfterError } from "../../../../src/platform/async.ts";
import { secretBox } from "../../../../src/security/secret-box.ts";
import type { Services } from "../../../../src/services.ts";

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
])("after an attempt with the outcome %s at %p hours, the webhook is %s", (outcome, hours, expected) => {
  const attempt = { at: 1_000 + hours * hourMs, milliseconds: 1, outcome };
  expect(stateAfter(attempt, { beganAt: 1_000 })).toBe(expected as ReturnType<typeof stateAfter>);
});

test("a secret that cannot be decrypted ends the delivery before anything is sent", async () => {
  const recorded: unknown[] = [];
  const services = {
    secretBox: secretBox("the new secret"),
    webhooks: {
      isPending: async () => true,
      recordAttempt: async (...all: unknown[]) => void recorded.push(all.slice(1)),
    },
    fetcher: { post: () => Promise.reject(new Error("Nothing may be sent.")) },
    // safe because a delivery uses no other port
  } as unknown as Services;
  const secret = secretBox("the old secret").seal("correct horse battery staple");
  const delivery = { exportId: "exp", id: "evt", body: "{}", url: "https://hooks.test/", secret, round: 1, beganAt: 1 };

  await deliverWebhook(services, JSON.stringify(delivery), new AbortController().signal);

  expect(recorded).toMatchObject([[{ outcome: "unsigned" }, "failed"]]);
});

/** The error and the recorded attempts after one attempt with this response, `hours` after the first. */
async function attempted(response: { status: number; retryAfterSeconds?: number }, hours = 0) {
  const recorded: unknown[] = [];
  const services = {
    webhooks: {
      isPending: async () => true,
      recordAttempt: async (_: unknown, attempt: unknown) => void recorded.push(attempt),
    },
    fetcher: { post: async () => response },
    // safe because a delivery without a secret uses no other port
  } as unknown as Services;
  const beganAt = Date.now() - hours * hourMs;
  const delivery = { exportId: "exp", id: "evt", body: "{}", url: "https://hooks.test/", round: 1, beganAt };
  const thrown = await deliverWebhook(services, JSON.stringify(delivery), new AbortController().signal).catch(
    (error) => error,
  );
  return { pause: thrown instanceof RetryAfterError ? thrown.seconds : undefined, thrown, recorded };
}

test.each([
  [429, 90, 0, 90],
  [503, 0.2, 0, 1],
  [503, 0, 0, 0],
  [503, 86_400, 0, 3600],
  [503, 3000, 23.75, 900],
])(
  "a %p with Retry-After %p at %p hours is retried after %p seconds",
  async (status, retryAfterSeconds, hours, accepted) => {
    const { pause, recorded } = await attempted({ status, retryAfterSeconds }, hours);
    expect([pause, recorded]).toMatchObject([accepted, [{ outcome: "refused", status, retryAfterSeconds: accepted }]]);
  },
);

test("Retry-After counts only on 429 and 503", async () => {
  for (const response of [
    { status: 500, retryAfterSeconds: 90 },
    { status: 302, retryAfterSeconds: 90 },
    { status: 503 },
  ]) {
    const { pause, thrown, recorded } = await attempted(response);
    expect([pause, thrown instanceof Error, recorded]).toMatchObject([undefined, true, [{ status: response.status }]]);
    expect(recorded[0]).not.toHaveProperty("retryAfterSeconds");
  }
  expect(await attempted({ status: 503, retryAfterSeconds: 90 }, 24.1)).toMatchObject({
    pause: undefined,
    thrown: undefined,
  });
});
