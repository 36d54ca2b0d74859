import { expect, test } from "bun:test";
import type { ErrorCode } from "../../src/errors.ts";
import { recordedCall } from "../support/models/model-calls.ts";
import { type SoundProvider, soundKey, soundProviders } from "../support/models/sound-providers.ts";
import { expectBounded, type Reply, soundCalls } from "./sound-calls.ts";

const calls = soundCalls();
const { outcomeOf } = calls;

const named = soundProviders.map((provider) => [provider.name, provider] as const);

test.each(named)("%s: one request as described, with the key in its header alone", async (_, provider) => {
  const { code, message, requests, records } = await outcomeOf(provider, [provider.answer]);
  expect([code, message]).toEqual(["ok", ""]);
  expect(requests).toHaveLength(1);
  const [request] = requests;
  expect(await provider.violations(request!)).toEqual([]);
  const [name, value] = provider.keyHeader;
  expect(request!.headers.get(name)).toBe(value);
  expect(request!.url.href + new TextDecoder().decode(request!.bytes)).not.toContain(soundKey);
  if (provider.creates) expect(request!.headers.get("idempotency-key")).toMatch(/^[0-9a-f]{40}$/);
  expect(records).toMatchObject([{ outcome: "ok" }]);
});

const fault = (status: number) => () =>
  Response.json(
    { error: { message: `a fault with ${soundKey}` }, detail: `a fault with ${soundKey}` },
    // longer than anyone waits
    { status, headers: { "retry-after": "60" } },
  );

/** The half of an answer, after which the connection breaks. */
const broken = async (answer: Response) => {
  const bytes = await answer.bytes();
  let sent = false;
  const body = new ReadableStream({
    pull(controller) {
      if (sent) return controller.error();
      sent = true;
      controller.enqueue(bytes.subarray(0, bytes.length / 2));
    },
  });
  return new Response(body, { headers: answer.headers });
};

const faults: readonly [name: string, reply: (provider: SoundProvider) => Reply, code: ErrorCode][] = [
  ["a rate limit", () => fault(429), "provider_rate_limited"],
  ["a server error", () => fault(500), "provider_error"],
  ["an overload", () => fault(503), "provider_overloaded"],
  ["a wrong key", () => fault(401), "provider_key_rejected"],
  [
    "an answer that breaks off",
    ({ answer }) =>
      () =>
        broken(answer()),
    "provider_error",
  ],
  [
    "an HTML page",
    () => () => new Response("<html>busy</html>", { headers: { "content-type": "text/html" } }),
    "provider_bad_response",
  ],
  ["another shape", () => () => Response.json({ hello: soundKey }), "provider_bad_response"],
  ["refused content", ({ refused }) => refused, "content_refused"],
];

test.each(named)("%s: each fault is an error of its own, asked for once, and without the key", async (_, provider) => {
  for (const [name, replyOf, expected] of faults) {
    const { code, message, requests, records } = await outcomeOf(provider, [replyOf(provider)]);
    expect([name, code, requests.length]).toEqual([name, expected, 1]);
    expect(message + JSON.stringify(records)).not.toContain(soundKey);
    expect(records).toMatchObject([{ outcome: expected }]);
  }
});

// the others are trials
test.each(named.filter(([name]) => /transcripts/.test(name)))(
  "%s: an answer of 2 GB is read no further than any answer has",
  (_, provider) => expectBounded(calls, provider),
);

test.each(named)(
  "%s: an answer that never comes is given up at the deadline, and its request is ended",
  async (_, provider) => {
    const recorded = recordedCall();
    const hang: Reply = () => {
      recorded.expire();
      return new Promise<Response>(() => {});
    };
    const { code, requests, records } = await outcomeOf(provider, [hang], recorded);
    expect([code, requests.length]).toEqual(["provider_timeout", 1]);
    expect(records).toMatchObject([{ outcome: "provider_timeout" }]);
    await requests[0]!.left;
  },
);

test.each(named)("%s: only what was turned away before any work is sent again", async (_, provider) => {
  const busy = () => Response.json({}, { status: 429, headers: { "retry-after": "0" } });
  const { code, requests, records } = await outcomeOf(provider, [busy, provider.answer]);
  const [first, second] = requests.map(({ headers }) => headers.get("idempotency-key"));
  expect([code, requests.length]).toEqual(provider.repeatsRefused ? ["ok", 2] : ["provider_rate_limited", 1]);
  if (provider.repeatsRefused) expect(second).toBe(first!);
  expect(records.filter(({ outcome }) => outcome === "ok")).toHaveLength(provider.repeatsRefused ? 1 : 0);
});
