import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { Hono } from "hono";
import { requestId } from "hono/request-id";
import { z } from "zod";
import type { Checkpoints } from "../../../src/domain/idempotency/checkpoints.ts";
import type { IdempotencyStore } from "../../../src/domain/idempotency/idempotency.ts";
import { DomainError } from "../../../src/errors.ts";
import type { AppEnv } from "../../../src/http/app-env.ts";
import { clientSignal } from "../../../src/http/client-signal.ts";
import { idempotent } from "../../../src/http/middleware/idempotency.ts";
import { identity } from "../../../src/http/middleware/identity.ts";
import { requireScopes } from "../../../src/http/middleware/require-scopes.ts";
import { responseHeaders } from "../../../src/http/middleware/response-headers.ts";
import { noDeferredRequests, requestSignals } from "../../../src/http/operations/respond-async.ts";
import { bodyLimits, limitBodies } from "../../../src/http/request/body-limits.ts";
import { clientAddress } from "../../../src/http/request/client-address.ts";
import { upload } from "../../../src/http/request/upload.ts";
import { leaveUserSlot } from "../../../src/http/request/user-concurrency.ts";
import { validate } from "../../../src/http/request/validate.ts";
import { errorHandler } from "../../../src/http/response/error-response.ts";
import { jsonInit, type OwnService, type TestUser, testService } from "../../support/service.ts";
import { formOf, png } from "../../support/uploads.ts";

let service: OwnService;
let ann: TestUser;

beforeAll(async () => {
  service = await testService();
  ann = await service.register("Ann");
});
afterAll(() => service.close());

/** The next behavior of the handlers, and the number of their runs. */
let handler: (steps: Checkpoints, signal: AbortSignal) => Promise<object>;
let runs: number;
let key: string;
/** Stops the process of the handlers. */
let stop: AbortController;

beforeEach(() => {
  runs = 0;
  stop = new AbortController();
  key = crypto.randomUUID();
  handler = async () => ({ run: runs });
});

/** An app with three idempotent routes: a JSON body, a form, and no validated body. */
const appWith = (changes: Partial<IdempotencyStore> = {}) => {
  const { services } = service;
  const idempotencyKeys = { ...services.idempotencyKeys, ...changes };
  const once = idempotent({ ...services, idempotencyKeys });
  const Fields = z.object({ mode: z.array(z.string()).optional() });
  return new Hono<AppEnv>()
    .onError(errorHandler)
    .use(requestId())
    .use(responseHeaders)
    .use(requestSignals({ ...noDeferredRequests, signal: stop.signal }))
    .use(limitBodies(bodyLimits, clientAddress([])))
    .use(identity(services))
    .post("/json/:name", requireScopes(), validate("json", z.object({})), once, leaveUserSlot, async (c) => {
      runs++;
      return c.json(await handler(c.var.checkpoints, clientSignal(c)), 201);
    })
    .post("/form", requireScopes(), upload(services, "file", Fields), once, leaveUserSlot, async (c) => {
      runs++;
      return c.json(await handler(c.var.checkpoints, clientSignal(c)));
    })
    .post("/nothing", requireScopes(), once, leaveUserSlot, async (c) => {
      runs++;
      return c.json(await handler(c.var.checkpoints, clientSignal(c)));
    });
};

type TestRequest = {
  path?: string;
  body?: object | FormData;
  headers?: Record<string, string>;
  user?: TestUser;
  signal?: AbortSignal;
};

async function send(
  { path = "/json/a", body = { a: 1 }, headers = {}, user = ann, signal }: TestRequest = {},
  app = appWith(),
) {
  const authorization = `Bearer ${user.accessToken}`;
  const all = { authorization, "idempotency-key": key, ...headers };
  const init = body instanceof FormData ? { method: "POST", headers: all, body } : jsonInit("POST", body, all);
  const response = await app.request(path, { ...init, ...(signal && { signal }) });
  return {
    status: response.status,
    isReplay: response.headers.get("idempotency-replayed") === "true",
    headers: response.headers,
    body: await response.json(),
  };
}

const facts = { provider: "P", retryAfterSeconds: 1, reason: "the connection broke" };

test("a retry with the same key gets the first response, and the handler runs once", async () => {
  const first = await send();
  const second = await send();

  expect([first.status, first.isReplay, first.body]).toEqual([201, false, { run: 1 }]);
  expect([second.status, second.isReplay, second.body]).toEqual([201, true, { run: 1 }]);
  expect(second.headers.get("content-type")).toBe(first.headers.get("content-type"));
  expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
  expect(runs).toBe(1);
});

test("without a key every request runs and nothing is stored", async () => {
  const unexpected = async () => Promise.reject(new Error("not expected to be called"));
  const app = appWith({ claim: unexpected, complete: unexpected, release: unexpected, saveCheckpoint: unexpected });
  handler = async (steps) => ({ run: await steps.runOnce("count", async () => runs) });

  for (const run of [1, 2]) {
    const response = await app.request("/json/a", jsonInit("POST", {}, { authorization: `Bearer ${ann.accessToken}` }));
    expect([await response.json(), response.headers.get("idempotency-replayed")]).toEqual([{ run }, null]);
  }
});

test("the fingerprint ignores the order of fields, the case of a provider name and the API key", async () => {
  const headers = { "x-image-provider": "openai", "x-api-key": "sk-1", "x-model-id": "" };
  await send({ body: { a: [1, { b: 1, c: "x" }], d: null }, headers });
  const second = await send({
    body: { d: null, a: [1, { c: "x", b: 1 }] },
    headers: { "x-image-provider": "OpenAI", "x-api-key": "sk-2", "user-agent": "another" },
  });

  expect([second.isReplay, runs]).toEqual([true, 1]);
});

const differentRequests: [difference: string, request: TestRequest][] = [
  ["another value", { body: { a: 2 } }],
  ["an additional field that no schema knows", { body: { a: 1, b: undefined, c: 1 } }],
  ["a list in another order", { body: { a: [2, 1] } }],
  ["another path", { path: "/json/b" }],
  ["another route", { path: "/nothing" }],
  ["another provider", { headers: { "x-image-provider": "google" } }],
  ["another model", { headers: { "x-model-id": "gpt-image-3" } }],
  ["another video model", { headers: { "x-video-model-id": "omni-2" } }],
  ["another Prefer header", { headers: { prefer: "respond-async" } }],
  ["a query", { path: "/json/a?b=1" }],
];

test.each(differentRequests)("a key belongs to one request: %s is rejected", async (_, other) => {
  await send();
  const { status, body } = await send(other);

  expect([status, body.code, runs]).toEqual([422, "idempotency_mismatch", 1]);
});

test("another user can use the same key", async () => {
  const bob = await service.register("Bob");
  await send();
  const bobs = await send({ user: bob, body: { a: 2 } });

  expect([bobs.status, bobs.isReplay]).toEqual([201, false]);
});

test.each([
  ["nothing", ""],
  ["256 characters", "k".repeat(256)],
  ["a space", "a b"],
  ["two keys", "a, b"],
  ["another alphabet", "clé"],
])("a key of %s is rejected", async (_, invalidKey) => {
  const { status, body } = await send({ headers: { "idempotency-key": invalidKey } });

  expect([status, body.code, body.details[0].path, runs]).toEqual([400, "validation_error", "Idempotency-Key", 0]);
});

test("a key may have 255 visible ASCII characters", async () => {
  const long = `"!~${"k".repeat(252)}`;
  await send({ headers: { "idempotency-key": long } });
  expect((await send({ headers: { "idempotency-key": long } })).isReplay).toBe(true);
});

test("a retry gets 409 with Retry-After while the first request is running", async () => {
  const started = Promise.withResolvers<void>();
  const result = Promise.withResolvers<object>();
  handler = () => {
    started.resolve();
    return result.promise;
  };
  const first = send();
  await started.promise;

  const second = await send();
  expect([second.status, second.body.code]).toEqual([409, "request_in_progress"]);
  expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await send({ body: { a: 2 } })).status).toBe(422);

  result.resolve({ at: "last" });
  await first;
  expect((await send()).body).toEqual({ at: "last" });
});

test("one of twenty concurrent requests runs", async () => {
  const responses = await Promise.all(Array.from({ length: 20 }, () => send()));

  expect(runs).toBe(1);
  expect(new Set(responses.map(({ status }) => status)).difference(new Set([201, 409])).size).toBe(0);
  expect((await send()).body).toEqual({ run: 1 });
});

test("the fingerprint of a form covers its fields and the bytes of its file", async () => {
  const file = png(4, 4);
  await send({ path: "/form", body: formOf({ mode: "content_remix", file }) });
  const renamed = new File([await file.bytes()], "another.png");

  expect((await send({ path: "/form", body: formOf({ file: renamed, mode: "content_remix" }) })).isReplay).toBe(true);
  const others: Record<string, string | File>[] = [
    { mode: "style_transfer", file },
    { mode: "content_remix", file: png(6, 6) },
    { file },
  ];
  for (const other of others) {
    expect((await send({ path: "/form", body: formOf(other) })).body.code).toBe("idempotency_mismatch");
  }
  expect(runs).toBe(1);
});

test("the fingerprint ignores the body on a route that reads none", async () => {
  await send({ path: "/nothing" });
  expect((await send({ path: "/nothing", body: { a: 2 } })).isReplay).toBe(true);
});

test("a failure that was not billed frees the key, also for another request", async () => {
  handler = (steps) =>
    steps.runOnce("image", async () => {
      throw new DomainError("provider_rate_limited", facts);
    });
  const first = await send();
  expect([first.status, first.isReplay]).toEqual([429, false]);
  expect((await send()).isReplay).toBe(false);

  handler = async () => ({ run: runs });
  expect((await send({ body: { a: 2 } })).body).toEqual({ run: 3 });
});

test("a failure that may have been billed is replayed with the id of the retry", async () => {
  handler = (steps) =>
    steps.runOnce("image", async () => {
      throw new DomainError("provider_error", facts);
    });
  const first = await send();
  const second = await send();

  expect([second.status, second.isReplay, runs]).toEqual([502, true, 1]);
  expect(second.body).toEqual({ ...first.body, requestId: second.headers.get("x-request-id") });
  expect(second.body.requestId).not.toBe(first.body.requestId);
});

test("a checkpoint survives a later defect, and the retry does not pay again", async () => {
  let paid = 0;
  handler = async (steps) => {
    const image = await steps.runOnce("image", async () => ({ picture: ++paid }));
    if (runs === 1) throw new TypeError("a defect");
    return image;
  };

  expect((await send()).status).toBe(500);
  const { status, body } = await send();
  expect([status, body, paid, runs]).toEqual([201, { picture: 1 }, 1, 2]);
});

/** Runs a request up to `die()` and then drops its claim, as a restart of the process would. */
async function crashDuring(run: (steps: Checkpoints, die: () => Promise<never>) => Promise<object>) {
  const crashed = Promise.withResolvers<void>();
  const die = () => {
    crashed.resolve();
    return new Promise<never>(() => {});
  };
  handler = (steps) => run(steps, die);
  void send();
  await crashed.promise;
  await service.services.leases.releaseAll();
}

test("after a crash before any billed step the retry runs normally", async () => {
  await crashDuring((_, die) => die());
  handler = async () => ({ run: runs });

  expect((await send()).body).toEqual({ run: 2 });
});

test("after a crash between a billed step and the response the retry does not pay again", async () => {
  await crashDuring(async (steps, die) => {
    await steps.runOnce("image", async () => ({ picture: "paid" }));
    return die();
  });
  handler = (steps) => steps.runOnce("image", async () => ({ picture: "again" }));

  expect((await send()).body).toEqual({ picture: "paid" });
  expect((await send()).isReplay).toBe(true);
});

test("after a crash during a provider call every retry reports that it may have been billed", async () => {
  await crashDuring((steps, die) => steps.runOnce("image", die));
  handler = (steps) => steps.runOnce("image", async () => ({ picture: "again" }));

  for (const isReplay of [false, true]) {
    const again = await send();
    expect([again.status, again.body.code, again.isReplay]).toEqual([502, "provider_error", isReplay]);
    expect(again.body.error).toContain("may have been billed");
  }
});

test("after a crash during a provider job the retry resumes the job", async () => {
  await crashDuring((steps, die) =>
    steps.runOnce("video", async (job) => {
      await job.save("v1_abc");
      return die();
    }),
  );
  handler = (steps) => steps.runOnce("video", async ({ id = "none" }) => ({ job: id }));

  expect((await send()).body).toEqual({ job: "v1_abc" });
});

test("a request goes on after its client has disconnected, until the process stops", async () => {
  const client = new AbortController();
  handler = async (_, signal) => {
    client.abort();
    const wasAborted = signal.aborted;
    stop.abort();
    return { wasAborted, isAborted: signal.aborted };
  };
  await send({ signal: client.signal });

  expect(await send()).toMatchObject({ isReplay: true, body: { wasAborted: false, isAborted: true } });
});

test("a response that cannot be stored is sent anyway", async () => {
  const app = appWith({ complete: async () => Promise.reject(new DomainError("unavailable", {})) });

  expect((await send({}, app)).body).toEqual({ run: 1 });
});

type Operation = {
  readonly parameters?: readonly { readonly name: string }[];
  readonly security?: readonly { readonly bearer?: readonly string[] }[];
};

test("only the routes that upload assets or call a model, and those of exports and batches accept an Idempotency-Key", async () => {
  const { paths } = (await (await service.request("/api/openapi.json")).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method} ${path}`, ...operation })),
  );
  // changes of a film that exists call no model: its steps do
  const changesFilm = (route: string) => route.includes("{filmId}") && !route.endsWith("/copy");
  const callsModels = ({ route, security }: Operation & { readonly route: string }) =>
    !changesFilm(route) && security?.some(({ bearer }) => bearer?.some((scope) => scope.startsWith("ai:")));
  const acceptsKey = ({ parameters }: Operation) => parameters?.some(({ name }) => name === "Idempotency-Key");
  const routes = (these: typeof operations) => these.map(({ route }) => route).sort();

  expect(routes(operations.filter(acceptsKey))).toEqual(
    [
      "post /api/export",
      "post /api/export/check",
      "post /api/exports",
      "post /api/projects/{projectId}/assets",
      "post /api/projects/{projectId}/assets/from-stock",
      "post /api/projects/{projectId}/batches",
      ...routes(operations.filter(callsModels)),
    ].sort(),
  );
});
