import { expect, test } from "bun:test";
import { secretBox } from "../../src/domain/sealed-secrets.ts";
import type { Services } from "../../src/domain/services.ts";
import { deliverWebhook, stateAfter, type WebhookOutcome } from "../../src/domain/webhooks.ts";

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
