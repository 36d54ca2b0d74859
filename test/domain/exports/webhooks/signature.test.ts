import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { isWebhookSecret, webhookHeaders } from "../../../../src/domain/exports/webhooks/signature.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const event = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestampSeconds: 1614265330, body: '{"test": 2432232314}' };

test("the signature matches the example of Standard Webhooks", () => {
  expect(webhookHeaders(event, secret)).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("a secret without the whsec_ prefix is used as the key itself", () => {
  const words = "correct horse battery staple";
  const expected = createHmac("sha256", words).update(`${event.id}.1614265330.${event.body}`).digest("base64");
  expect(webhookHeaders(event, words)["webhook-signature"]).toBe(`v1,${expected}`);
});

test("without a secret there is no signature", () => {
  expect(Object.keys(webhookHeaders(event))).toEqual(["webhook-id", "webhook-timestamp"]);
});

const whsec = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`;

test.each([
  ["", false],
  ["too short", false],
  ["twenty-four characters..", true],
  [whsec(23), false],
  [whsec(24), true],
  [whsec(64), true],
  [whsec(65), false],
  ["whsec_not base64 at all, whatever its length", false],
  ["whsec_", false],
])("the secret %p is accepted: %p", (given, expected) => {
  expect(isWebhookSecret(given)).toBe(expected);
});
