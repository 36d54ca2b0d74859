import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { rm } from "node:fs/promises";
import type { WebhookState } from "../../../../src/domain/exports/webhooks/webhooks.ts";
import { DomainError } from "../../../../src/errors.ts";
import { guardedFetcher } from "../../../../src/media/web/fetcher.ts";
import { asking } from "../../../helpers/answers.ts";
import { temporaryFolder } from "../../../helpers/ffmpeg.ts";
import { testService } from "../../../helpers/service.ts";
import { toldRenderer } from "../../../helpers/told-renderer.ts";
import { newWork, numbered } from "../../../helpers/work-films.ts";

type Heard = { readonly headers: Headers; readonly body: string; readonly path: string };

/** Answers what is next in `statuses`, else 204, always with `pause`, and keeps what it hears. */
const heard: Heard[] = [];
const statuses: number[] = [];
let pause: Record<string, string> = {};
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    heard.push({ headers: request.headers, body: await request.text(), path: new URL(request.url).pathname });
    return new Response(null, { status: statuses.shift() ?? 204, headers: { location: "/elsewhere", ...pause } });
  },
});
const url = `http://127.0.0.1:${receiver.port}/hook?key=1`;

const { renderer, next: nextRendering, forget } = toldRenderer();
let onNote: (state: WebhookState) => void = () => {};
const keptSecrets: unknown[] = [];
const port = { FETCH_EXTRA_PORTS: `${receiver.port}` };

/** The service, telling when the outcome of a try is noted. */
const service = await testService({ ...port, ALLOW_PRIVATE_NETWORK: "true" }, undefined, (services) => ({
  renderer: renderer(services),
  webhooks: {
    ...services.webhooks,
    async note(delivery, attempt, state) {
      await services.webhooks.note(delivery, attempt, state);
      onNote(state);
    },
  },
  exports: {
    ...services.exports,
    add(job, webhook) {
      keptSecrets.push(job, webhook);
      return services.exports.add(job, webhook);
    },
  },
}));
const folder = await temporaryFolder();
const ann = await service.register("Ann");
const ask = asking(ann);
const { projectId, workId, scene } = await newWork(ann, { name: "Film" });
await scene(0, await numbered(folder, 100));

const clips = [{ sceneIndex: 0, position: 0, end: 1 }];
const options = { width: 64, height: 36, fps: 30 };
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const order = { projectId, workId, clips, options, webhook: { url, secret } };

afterAll(async () => {
  await service.close();
  await receiver.stop(true);
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => {
  forget();
  heard.length = 0;
  statuses.length = 0;
  pause = {};
  onNote = () => {};
});

async function begun(body: object = order) {
  const rendering = nextRendering();
  const { body: ordered, status } = await ask("POST", "/api/exports", body);
  expect(status).toBe(202);
  return { id: ordered.id as string, rendering: await rendering };
}

/** When a try is noted after which the webhook is in this state. */
const noted = (awaited: WebhookState) =>
  new Promise<void>((resolve) => {
    onNote = (state) => state === awaited && resolve();
  });

/** An export that is done, and its webhook in this state. */
async function told(state: WebhookState = "delivered", body: object = order) {
  const { id, rendering } = await begun(body);
  const settled = noted(state);
  await rendering.finish();
  await settled;
  return id;
}

const logOf = async (id: string) => (await ask("GET", `/api/exports/${id}/webhook`)).body;
const eventsHeard = () => heard.map(({ body }) => JSON.parse(body));

describe("the end of an export is told", () => {
  test("when it is done, signed, with the export as it is shown", async () => {
    const id = await told();

    const [{ headers, body }] = heard as [Heard];
    const { data, timestamp, ...event } = JSON.parse(body);
    expect([heard.length, event]).toEqual([1, { type: "export.done" }]);
    expect(data).toEqual((await ask("GET", `/api/exports/${id}`)).body);
    expect(timestamp).toBe(new Date(data.finishedAt).toISOString());

    const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
    const expected = createHmac("sha256", Buffer.alloc(32, 7)).update(signed).digest("base64");
    expect(headers.get("webhook-signature")).toBe(`v1,${expected}`);
    expect([headers.get("content-type"), headers.get("user-agent")]).toEqual(["application/json", "reelwright"]);
  });

  test("when it failed", async () => {
    const { rendering } = await begun();
    const settled = noted("delivered");
    rendering.fail(new DomainError("storage_full", {}));
    await settled;
    expect(eventsHeard()).toMatchObject([{ type: "export.error", data: { status: "error", code: "storage_full" } }]);
  });

  test("when its owner removes it while it runs, although nothing is left to ask for", async () => {
    const { id } = await begun();
    const settled = noted("delivered");
    expect((await ask("DELETE", `/api/exports/${id}`)).status).toBe(204);
    await settled;
    expect(eventsHeard()).toMatchObject([{ type: "export.cancelled", data: { id, status: "cancelled" } }]);
    expect((await ask("GET", `/api/exports/${id}/webhook`)).status).toBe(404);
  });

  test("when it is cancelled", async () => {
    const { id } = await begun();
    const settled = noted("delivered");
    await service.services.exports.cancel(id, Date.now());
    await service.services.exports.cancel(id, Date.now());
    await settled;
    expect(eventsHeard()).toMatchObject([{ type: "export.cancelled", data: { id, status: "cancelled" } }]);
  });

  test("when its whole project is removed", async () => {
    const other = await newWork(ann);
    await other.scene(0, await numbered(folder, 100));
    const { id } = await begun({ ...order, projectId: other.projectId, workId: other.workId });
    const settled = noted("delivered");
    expect((await ask("DELETE", `/api/projects/${other.projectId}`)).status).toBe(204);
    await settled;
    expect(eventsHeard()).toMatchObject([{ type: "export.cancelled", data: { id } }]);
  });

  test("once, when a worker that was taken for dead ends it after another did", async () => {
    const { id, rendering } = await begun();
    const settled = noted("delivered");
    const { attempt } = (await service.services.exports.begin(id, Date.now()))!;
    await service.services.exports.end({ exportId: id, attempt }, { status: "done" }, Date.now());
    await rendering.finish();
    await settled;
    expect(await service.services.exports.end({ exportId: id, attempt }, { status: "done" }, 0)).toBe(false);
    expect(eventsHeard().map(({ type }) => type)).toEqual(["export.done"]);
  });

  test("without a signature where no secret was given", async () => {
    const id = await told("delivered", { ...order, webhook: { url } });
    expect([heard[0]?.headers.has("webhook-signature"), heard[0]?.headers.has("webhook-id")]).toEqual([false, true]);
    expect((await logOf(id)).signed).toBe(false);
  });

  test("by Prefer: respond-async too", async () => {
    const rendering = nextRendering();
    expect((await ask("POST", "/api/export", order, { prefer: "respond-async" })).status).toBe(202);
    const settled = noted("delivered");
    await (await rendering).finish();
    await settled;
    expect(eventsHeard()).toMatchObject([{ type: "export.done" }]);
  });
});

describe("what did not arrive", () => {
  test("is sent again, the same event under the same id, and goes nowhere else", async () => {
    statuses.push(500, 302, 429);
    const id = await told();

    expect(heard.map(({ path }) => path)).toEqual(["/hook", "/hook", "/hook", "/hook"]);
    expect(new Set(heard.map(({ body, headers }) => `${headers.get("webhook-id")} ${body}`)).size).toBe(1);
    const { state, attempts, event } = await logOf(id);
    expect([state, event]).toEqual(["delivered", { id: heard[0]?.headers.get("webhook-id"), type: "export.done" }]);
    expect(attempts).toMatchObject([
      { outcome: "delivered", status: 204 },
      { outcome: "refused", status: 429 },
      { outcome: "refused", status: 302 },
      { outcome: "refused", status: 500 },
    ]);
  });

  test("is sent again no sooner than a busy receiver asked for", async () => {
    statuses.push(503);
    pause = { "retry-after": "1" };
    const { state, attempts } = await logOf(await told());
    expect([state, attempts]).toMatchObject(["delivered", [{ status: 204 }, { status: 503, retryAfterSeconds: 1 }]]);
    expect(attempts[0].at - attempts[1].at).toBeGreaterThanOrEqual(1000);
    expect(new Set(heard.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1);
  });

  test("is given up when the receiver is gone for good", async () => {
    statuses.push(410);
    const { state, attempts } = await logOf(await told("failed"));
    expect([state, attempts.map(({ outcome }: { outcome: string }) => outcome)]).toEqual(["failed", ["gone"]]);
  });

  test("is sent again also after the export was removed", async () => {
    statuses.push(503);
    const id = await told("pending");
    const settled = noted("delivered");
    await ask("DELETE", `/api/exports/${id}`);
    await settled;
    expect(eventsHeard()).toMatchObject([{ data: { id } }, { data: { id } }]);
  });

  test("is sent anew when its owner asks, under the same id", async () => {
    statuses.push(410);
    const id = await told("failed");
    const settled = noted("delivered");
    const { status, body } = await ask("POST", `/api/exports/${id}/webhook/replay`);
    expect([status, body.state]).toEqual([202, "pending"]);
    await settled;
    const [first, second] = heard as [Heard, Heard];
    expect(second.body).toBe(first.body);
    expect(second.headers.get("webhook-id")).toBe(first.headers.get("webhook-id"));
    expect(await logOf(id)).toMatchObject({ state: "delivered", attempts: [{ status: 204 }, { status: 410 }] });
  });
});

describe("the log of a webhook", () => {
  test("waits as long as the export does", async () => {
    const { id, rendering } = await begun();
    expect(await logOf(id)).toEqual({ url, signed: true, state: "waiting", attempts: [] });
    const early = await ask("POST", `/api/exports/${id}/webhook/replay`);
    expect([early.status, early.body.code]).toEqual([409, "not_ready"]);
    const settled = noted("delivered");
    await rendering.finish();
    await settled;
  });

  test("is nobody else's, and not there where there is no webhook", async () => {
    const bob = asking(await service.register("Bob"));
    const { webhook: _, ...quiet } = order;
    const { id: without, rendering } = await begun(quiet);
    await rendering.finish();
    const id = await told();
    const asked = [bob("GET", `/api/exports/${id}/webhook`), bob("POST", `/api/exports/${id}/webhook/replay`)];
    const own = [ask("GET", `/api/exports/${without}/webhook`), ask("POST", `/api/exports/${without}/webhook/replay`)];
    const answers = await Promise.all([...asked, ...own]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  test("never shows a secret, and nothing keeps it as it was given", async () => {
    keptSecrets.length = 0;
    const id = await told();
    const shown = [await logOf(id), (await ask("GET", `/api/exports/${id}`)).body, ...eventsHeard()];
    const all = JSON.stringify([shown, keptSecrets]);
    expect(all).toContain(`"url":"${url}"`);
    expect(all).not.toContain(secret.slice("whsec_".length, 30));
  });
});

describe("an order is refused", () => {
  test("when its owner waits for the film", async () => {
    const { status, body } = await ask("POST", "/api/export", order);
    expect([status, body.code, body.details[0].path]).toEqual([400, "validation_error", "webhook"]);
  });

  test.each(["short", "whsec_short", ""])("with the secret %p", async (weak) => {
    const { status, body } = await ask("POST", "/api/exports", { ...order, webhook: { url, secret: weak } });
    expect([status, body.details[0].path]).toEqual([400, "webhook.secret"]);
  });
});

describe("on a service that the world can reach", async () => {
  const addresses = ["93.184.216.34"];
  const guarded = await testService({}, undefined, (services) => {
    const resolve = async () => [{ address: addresses[0]!, family: 4 }];
    const rules = { extraPorts: [receiver.port!], allowPrivateNetwork: false, resolve };
    const note: typeof services.webhooks.note = async (delivery, attempt, state) => {
      await services.webhooks.note(delivery, attempt, state);
      onNote(state);
    };
    const webhooks = { ...services.webhooks, note };
    return { renderer: renderer(services), fetcher: guardedFetcher({ files: services.files, ...rules }), webhooks };
  });
  const cleo = await guarded.register("Cleo");
  const askCleo = asking(cleo);
  const work = await newWork(cleo);
  await work.scene(0, await numbered(folder, 100));
  const hers = { ...order, projectId: work.projectId, workId: work.workId };
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
  ])("a webhook to %p is refused, and nothing is ordered", async (forbidden) => {
    const { status, body } = await askCleo("POST", "/api/exports", { ...hers, webhook: { url: forbidden } });
    expect([status, body.code, body.details[0].path]).toEqual([422, "url_not_allowed", "webhook.url"]);
    expect((await askCleo("GET", "/api/exports")).body.count).toBe(0);
  });

  test("a name that has come to mean this machine is not followed there", async () => {
    const rendering = nextRendering();
    const named = { url: `http://hooks.test:${receiver.port}/` };
    const { body } = await askCleo("POST", "/api/exports", { ...hers, webhook: named });
    addresses.unshift("127.0.0.1");
    const settled = noted("pending");
    await (await rendering).finish();
    await settled;
    const log = await askCleo("GET", `/api/exports/${body.id}/webhook`);
    expect(log.body.attempts[0]).toMatchObject({ outcome: "not_allowed" });
    expect(heard).toEqual([]);
  });
});
