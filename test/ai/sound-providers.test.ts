import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import type { ModelPorts } from "../../src/ai/client/rows.ts";
import { providerModels } from "../../src/ai/providers.ts";
import type { ErrorCode } from "../../src/errors.ts";
import { findFfmpeg } from "../../src/media/ffmpeg/ffmpeg.ts";
import { ffmpegSoundTools } from "../../src/media/speech/sound-tools.ts";
import { ssrfGuardedFetcher } from "../../src/media/web/fetcher.ts";
import { diskFiles } from "../../src/storage/files/disk-files.ts";
import { temporaryFolder } from "../support/media/ffmpeg.ts";
import { fakeServer, type ReceivedRequest } from "../support/models/fake-server.ts";
import { codeOf, recordedCall } from "../support/models/model-calls.ts";
import { type SoundProvider, soundKey, soundProviders } from "../support/models/sound-providers.ts";

let folder: string;
let ports: ModelPorts;
const servers: { stop(): unknown }[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
  const files = await diskFiles(folder);
  // safe because sounds need no other ports
  ports = {
    files,
    fetcher: ssrfGuardedFetcher({ files, extraPorts: [], allowPrivateNetwork: false }),
    soundTools: ffmpegSoundTools({ ffmpeg: await findFfmpeg(process.env.FFMPEG_PATH), files }),
  } as Partial<ModelPorts> as ModelPorts;
});
afterEach(() => {
  for (const server of servers.splice(0)) server.stop();
});
afterAll(() => rm(folder, { recursive: true }));

const defaults = { vision: "local", llm: "local", image: "local", video: "local", speech: "google", music: undefined };
// before any model of the rows has ended
const now = () => Date.parse("2026-11-23");

type Reply = (request: ReceivedRequest) => Response | Promise<Response>;

/** What the work of a provider that answers like this ends with. */
async function outcomeOf(provider: SoundProvider, replies: readonly Reply[], recorded = recordedCall()) {
  const server = fakeServer({
    [provider.route]: (request) => replies[Math.min(server.requests.length, replies.length) - 1]!(request),
  });
  servers.push(server);
  const baseUrls = { [provider.setting]: `${server.url}${provider.base ?? ""}` };
  const models = providerModels({ ...ports, defaults, baseUrls, now });
  const work = provider.work(models, recorded.call);
  const code = await codeOf(work);
  const message = await work.then(
    () => "",
    (error: Error) => JSON.stringify([error.message, error.stack, error]),
  );
  return { code, message, requests: server.requests, records: recorded.records };
}

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

const block = new Uint8Array(4 * 2 ** 20).fill(32);
/** Sends 2 GB, if it is read so far. */
const endless = (count: { blocks: number }) => () =>
  new Response(new ReadableStream({ pull: (body) => (count.blocks++ < 512 ? body.enqueue(block) : body.close()) }), {
    headers: { "content-type": "audio/mpeg" },
  });

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

test.each(named)("%s: an answer of 2 GB is read no further than any answer has", async (_, provider) => {
  const count = { blocks: 0 };
  const { code, requests } = await outcomeOf(provider, [endless(count)]);
  expect([code, requests.length]).toEqual(["provider_bad_response", 1]);
  expect(count.blocks).toBeLessThan(60);
});

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
    while (!requests[0]!.aborted) await Bun.sleep(5);
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
