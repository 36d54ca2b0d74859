import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { WebhookState } from "../../../src/domain/exports/webhooks/webhooks.ts";
import { DomainError } from "../../../src/errors.ts";
import { ssrfGuardedFetcher } from "../../../src/readers/web/fetcher.ts";
import { schemaValidator } from "../../support/declared-responses.ts";
import { jsonClient } from "../../support/json-client.ts";
import { controlledRenderer } from "../../support/media/controlled-renderer.ts";
import { testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork } from "../../support/work-videos.ts";

type Received = { readonly headers: Headers; readonly body: string; readonly path: string };

/**
 * A receiver that records its requests and responds with the next of `statuses`, by default 204, and `extraHeaders`.
 */
const received: Received[] = [];
const statuses: number[] = [];
let extraHeaders: Record<string, string> = {};
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    received.push({ headers: request.headers, body: await request.text(), path: new URL(request.url).pathname });
    return new Response(null, {
      status: statuses.shift() ?? 204,
      headers: { location: "/elsewhere", ...extraHeaders },
    });
  },
});
const url = `http://127.0.0.1:${receiver.port}/hook?key=1`;

const { renderer, next: nextRendering, reset } = controlledRenderer();
let onAttempt: (state: WebhookState) => void = () => {};
const storedJobs: unknown[] = [];
const port = { FETCH_EXTRA_PORTS: `${receiver.port}` };

/** A service that calls `onAttempt` after each recorded attempt. */
const service = await testService({ ...port, ALLOW_PRIVATE_NETWORK: "true" }, undefined, (services) => ({
  renderer: renderer(services),
  webhooks: {
    ...services.webhooks,
    async recordAttempt(delivery, attempt, state) {
      await services.webhooks.recordAttempt(delivery, attempt, state);
      onAttempt(state);
    },
  },
  exports: {
    ...services.exports,
    add(job, webhook) {
      storedJobs.push(job, webhook);
      return services.exports.add(job, webhook);
    },
  },
}));
const ann = await service.register("Ann");
const api = jsonClient(ann);
const { projectId, workId, image } = await newWork(ann, { name: "Film" });
await image(0, png(64, 36));

const clips = [{ sceneIndex: 0, position: 0, end: 1 }];
const options = { width: 64, height: 36, fps: 30 };
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const request = { projectId, workId, clips, options, webhook: { url, secret } };

afterAll(async () => {
  await service.close();
  await receiver.stop(true);
});

beforeEach(() => {
  reset();
  received.length = 0;
  statuses.length = 0;
  extraHeaders = {};
  onAttempt = () => {};
});

/** The body of the webhook, in the API document. */
const declaredEvent = ["webhooks", "exportEnded", "post", "requestBody", "content", "application/json", "schema"];

afterEach(async () => {
  const validate = await schemaValidator(service.app, declaredEvent);
  for (const event of receivedEvents()) expect([validate(event), validate.errors]).toEqual([true, null]);
});

async function startExport(body: object = request) {
  const rendering = nextRendering();
  const { body: accepted, status } = await api("POST", "/api/exports", body);
  expect(status).toBe(202);
  return { id: accepted.id as string, rendering: await rendering };
}

/** Resolves when an attempt is recorded after which the webhook is in this state. */
const reached = (awaited: WebhookState) =>
  new Promise<void>((resolve) => {
    onAttempt = (state) => state === awaited && resolve();
  });

/** Runs an export until its webhook is in this state. */
async function exportUntil(state: WebhookState = "delivered", body: object = request) {
  const { id, rendering } = await startExport(body);
  const settled = reached(state);
  await rendering.finish();
  await settled;
  return id;
}

const logOf = async (id: string) => (await api("GET", `/api/exports/${id}/webhook`)).body;
const receivedEvents = () => received.map(({ body }) => JSON.parse(body));

describe("a webhook receives the end of an export", () => {
  test("if it is done: signed, with the export as the API returns it", async () => {
    const id = await exportUntil();

    const [{ headers, body }] = received as [Received];
    const { data, timestamp, ...event } = JSON.parse(body);
    expect([received.length, event]).toEqual([1, { type: "export.done" }]);
    expect(data).toEqual((await api("GET", `/api/exports/${id}`)).body);
    expect(timestamp).toBe(new Date(data.finishedAt).toISOString());

    const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
    const expected = createHmac("sha256", Buffer.alloc(32, 7)).update(signed).digest("base64");
    expect(headers.get("webhook-signature")).toBe(`v1,${expected}`);
    expect([headers.get("content-type"), headers.get("user-agent")]).toEqual(["application/json", "reelwright"]);
  });

  test("if it failed", async () => {
    const { rendering } = await startExport();
    const settled = reached("delivered");
    rendering.fail(new DomainError("storage_full", {}));
    await settled;
    expect(receivedEvents()).toMatchObject([{ type: "export.error", data: { status: "error", code: "storage_full" } }]);
  });

  test("if its owner removes it while it is running", async () => {
    const { id } = await startExport();
    const settled = reached("delivered");
    expect((await api("DELETE", `/api/exports/${id}`)).status).toBe(204);
    await settled;
    expect(receivedEvents()).toMatchObject([{ type: "export.cancelled", data: { id, status: "cancelled" } }]);
    expect((await api("GET", `/api/exports/${id}/webhook`)).status).toBe(404);
  });

  test("if it is cancelled, once", async () => {
    const { id } = await startExport();
    const settled = reached("delivered");
    await service.services.exports.cancel(id, Date.now());
    await service.services.exports.cancel(id, Date.now());
    await settled;
    expect(receivedEvents()).toMatchObject([{ type: "export.cancelled", data: { id, status: "cancelled" } }]);
  });

  test("once, even if a worker with an expired lease ends it again", async () => {
    const { id, rendering } = await startExport();
    const settled = reached("delivered");
    const { attempt } = (await service.services.exports.acquire(id, Date.now()))!;
    await service.services.exports.end({ exportId: id, attempt }, { status: "done" }, Date.now());
    await rendering.finish();
    await settled;
    expect(await service.services.exports.end({ exportId: id, attempt }, { status: "done" }, 0)).toBe(false);
    expect(receivedEvents().map(({ type }) => type)).toEqual(["export.done"]);
  });

  test("without a signature if the request has no secret", async () => {
    const id = await exportUntil("delivered", { ...request, webhook: { url } });
    expect([received[0]?.headers.has("webhook-signature"), received[0]?.headers.has("webhook-id")]).toEqual([
      false,
      true,
    ]);
    expect((await logOf(id)).signed).toBe(false);
  });

  test("if it was requested with Prefer: respond-async", async () => {
    const rendering = nextRendering();
    expect((await api("POST", "/api/export", request, { prefer: "respond-async" })).status).toBe(202);
    const settled = reached("delivered");
    await (await rendering).finish();
    await settled;
    expect(receivedEvents()).toMatchObject([{ type: "export.done" }]);
  });
});

describe("an undelivered event", () => {
  test("is retried with the same id, without following redirects", async () => {
    statuses.push(500, 302, 429);
    const id = await exportUntil();

    expect(received.map(({ path }) => path)).toEqual(["/hook", "/hook", "/hook", "/hook"]);
    expect(new Set(received.map(({ body, headers }) => `${headers.get("webhook-id")} ${body}`)).size).toBe(1);
    const { state, attempts, event } = await logOf(id);
    expect([state, event]).toEqual(["delivered", { id: received[0]?.headers.get("webhook-id"), type: "export.done" }]);
    expect(attempts).toMatchObject([
      { outcome: "delivered", status: 204 },
      { outcome: "refused", status: 429 },
      { outcome: "refused", status: 302 },
      { outcome: "refused", status: 500 },
    ]);
  });

  test("is retried no sooner than Retry-After allows", async () => {
    statuses.push(503);
    extraHeaders = { "retry-after": "1" };
    const { state, attempts } = await logOf(await exportUntil());
    expect([state, attempts]).toMatchObject(["delivered", [{ status: 204 }, { status: 503, retryAfterSeconds: 1 }]]);
    expect(attempts[0].at - attempts[1].at).toBeGreaterThanOrEqual(1000);
    expect(new Set(received.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
  });

  test("fails after a 410", async () => {
    statuses.push(410);
    const { state, attempts } = await logOf(await exportUntil("failed"));
    expect([state, attempts.map(({ outcome }: { outcome: string }) => outcome)]).toEqual(["failed", ["gone"]]);
  });

  test("is retried even after the export was removed", async () => {
    statuses.push(503);
    const id = await exportUntil("pending");
    const settled = reached("delivered");
    await api("DELETE", `/api/exports/${id}`);
    await settled;
    expect(receivedEvents()).toMatchObject([{ data: { id } }, { data: { id } }]);
  });

  test("can be replayed by its owner, under the same id", async () => {
    statuses.push(410);
    const id = await exportUntil("failed");
    const settled = reached("delivered");
    const { status, body } = await api("POST", `/api/exports/${id}/webhook/replay`);
    expect([status, body.state]).toEqual([202, "pending"]);
    await settled;
    const [first, second] = received as [Received, Received];
    expect(second.body).toBe(first.body);
    expect(second.headers.get("webhook-id")).toBe(first.headers.get("webhook-id"));
    expect(await logOf(id)).toMatchObject({ state: "delivered", attempts: [{ status: 204 }, { status: 410 }] });
  });
});

describe("the log of a webhook", () => {
  test("is in the state waiting until the export ends", async () => {
    const { id, rendering } = await startExport();
    expect(await logOf(id)).toEqual({ url, signed: true, state: "waiting", attempts: [] });
    const early = await api("POST", `/api/exports/${id}/webhook/replay`);
    expect([early.status, early.body.code]).toEqual([409, "not_ready"]);
    const settled = reached("delivered");
    await rendering.finish();
    await settled;
  });

  test("gives 404 to another user, and for an export without a webhook", async () => {
    const bob = jsonClient(await service.register("Bob"));
    const { webhook: _, ...withoutWebhook } = request;
    const { id: withoutId, rendering } = await startExport(withoutWebhook);
    await rendering.finish();
    const id = await exportUntil();
    const foreign = [bob("GET", `/api/exports/${id}/webhook`), bob("POST", `/api/exports/${id}/webhook/replay`)];
    const own = [
      api("GET", `/api/exports/${withoutId}/webhook`),
      api("POST", `/api/exports/${withoutId}/webhook/replay`),
    ];
    const responses = await Promise.all([...foreign, ...own]);
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  test("never contains the secret, which is stored encrypted", async () => {
    storedJobs.length = 0;
    const id = await exportUntil();
    const shown = [await logOf(id), (await api("GET", `/api/exports/${id}`)).body, ...receivedEvents()];
    const all = JSON.stringify([shown, storedJobs]);
    expect(all).toContain(`"url":"${url}"`);
    expect(all).not.toContain(secret.slice("whsec_".length, 30));
  });
});

describe("a request is rejected", () => {
  test("with a webhook on a synchronous export", async () => {
    const { status, body } = await api("POST", "/api/export", request);
    expect([status, body.code, body.details[0].path]).toEqual([400, "validation_error", "webhook"]);
  });

  test.each(["short", "whsec_short", ""])("with the secret %p", async (weak) => {
    const { status, body } = await api("POST", "/api/exports", { ...request, webhook: { url, secret: weak } });
    expect([status, body.details[0].path]).toEqual([400, "webhook.secret"]);
  });
});

describe("on a service that blocks private networks", async () => {
  const addresses = ["93.184.216.34"];
  const guarded = await testService({}, undefined, (services) => {
    const resolve = async () => [{ address: addresses[0]!, family: 4 }];
    const rules = { extraPorts: [receiver.port!], allowPrivateNetwork: false, resolve };
    const recordAttempt: typeof services.webhooks.recordAttempt = async (delivery, attempt, state) => {
      await services.webhooks.recordAttempt(delivery, attempt, state);
      onAttempt(state);
    };
    const webhooks = { ...services.webhooks, recordAttempt };
    return { renderer: renderer(services), fetcher: ssrfGuardedFetcher({ files: services.files, ...rules }), webhooks };
  });
  const cleo = await guarded.register("Cleo");
  const cleoApi = jsonClient(cleo);
  const work = await newWork(cleo);
  await work.image(0, png(64, 36));
  const cleoRequest = { ...request, projectId: work.projectId, workId: work.workId };
  afterAll(() => guarded.close());

  test.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://[::ffff:169.254.169.254]/latest/meta-data",
    "http://10.0.0.1/",
    "http://hooks.test:22/",
    "http://me:secret@hooks.test/",
    "file:///etc/passwd",
    "hooks.test",
    "",
  ])("a webhook to %p is rejected, and no export is enqueued", async (forbidden) => {
    const { status, body } = await cleoApi("POST", "/api/exports", { ...cleoRequest, webhook: { url: forbidden } });
    expect([status, body.code, body.details[0].path]).toEqual([422, "url_not_allowed", "webhook.url"]);
    expect((await cleoApi("GET", "/api/exports")).body.count).toBe(0);
  });

  test("a host name that later resolves to this machine is not requested", async () => {
    const rendering = nextRendering();
    const named = { url: `http://hooks.test:${receiver.port}/` };
    const { body } = await cleoApi("POST", "/api/exports", { ...cleoRequest, webhook: named });
    addresses.unshift("127.0.0.1");
    const settled = reached("pending");
    await (await rendering).finish();
    await settled;
    const log = await cleoApi("GET", `/api/exports/${body.id}/webhook`);
    expect(log.body.attempts[0]).toMatchObject({ outcome: "not_allowed" });
    expect(received).toEqual([]);
  });
});
