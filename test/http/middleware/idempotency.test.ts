import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { Hono } from "hono";
import { requestId } from "hono/request-id";
import { z } from "zod";
import type { Checkpoints } from "../../../src/domain/ai/provider-calls.ts";
import type { IdempotencyStore } from "../../../src/domain/idempotency/idempotency.ts";
import { DomainError } from "../../../src/errors.ts";
import type { AppEnv } from "../../../src/http/app-env.ts";
import { idempotent } from "../../../src/http/middleware/idempotency.ts";
import { identity } from "../../../src/http/middleware/identity.ts";
import { requireScopes } from "../../../src/http/middleware/require-scopes.ts";
import { answerHeaders } from "../../../src/http/middleware/response-headers.ts";
import { upload } from "../../../src/http/request/upload.ts";
import { validate } from "../../../src/http/request/validate.ts";
import { errorResponse } from "../../../src/http/response/error-response.ts";
import { jsonInit, type TestService, type TestUser, testService } from "../../helpers/service.ts";
import { formOf, png } from "../../helpers/uploads.ts";

let service: TestService;
let ann: TestUser;

beforeAll(async () => {
  service = await testService();
  ann = await service.register("Ann");
});
afterAll(() => service.close());

/** What the handlers do next, and how often they did it. */
let work: (steps: Checkpoints, signal: AbortSignal) => Promise<object>;
let runs: number;
let key: string;

beforeEach(() => {
  [runs, key] = [0, crypto.randomUUID()];
  work = async () => ({ run: runs });
});

/** A service of nothing but answers that are kept. */
const appWith = (changes: Partial<IdempotencyStore> = {}) => {
  const { services } = service;
  const idempotencyKeys = { ...services.idempotencyKeys, ...changes };
  const once = idempotent({ ...services, idempotencyKeys });
  const Fields = z.object({ mode: z.array(z.string()).optional() });
  return new Hono<AppEnv>()
    .onError(errorResponse)
    .use(requestId())
    .use(answerHeaders)
    .use(identity(services))
    .post("/json/:name", requireScopes(), validate("json", z.object({})), once, async (c) => {
      runs++;
      return c.json(await work(c.var.checkpoints, c.req.raw.signal), 201);
    })
    .post("/form", requireScopes(), upload(services, "file", Fields), once, async (c) => {
      runs++;
      return c.json(await work(c.var.checkpoints, c.req.raw.signal));
    })
    .post("/nothing", requireScopes(), once, async (c) => {
      runs++;
      return c.json(await work(c.var.checkpoints, c.req.raw.signal));
    });
};

type Sent = {
  path?: string;
  body?: object | FormData;
  headers?: Record<string, string>;
  user?: TestUser;
  signal?: AbortSignal;
};

async function send(
  { path = "/json/a", body = { a: 1 }, headers = {}, user = ann, signal }: Sent = {},
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

test("the same request with the same key gets the same answer, and is done once", async () => {
  const [first, second] = [await send(), await send()];

  expect([first.status, first.isReplay, first.body]).toEqual([201, false, { run: 1 }]);
  expect([second.status, second.isReplay, second.body]).toEqual([201, true, { run: 1 }]);
  expect(second.headers.get("content-type")).toBe(first.headers.get("content-type"));
  expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
  expect(runs).toBe(1);
});

test("without a key every request is done, and nothing is kept", async () => {
  const untouched = async () => Promise.reject(new Error("nothing asks for it"));
  const app = appWith({ claim: untouched, finish: untouched, release: untouched, keepStep: untouched });
  work = async (steps) => ({ run: await steps.once("count", async () => runs) });

  for (const run of [1, 2]) {
    const response = await app.request("/json/a", jsonInit("POST", {}, { authorization: `Bearer ${ann.accessToken}` }));
    expect([await response.json(), response.headers.get("idempotency-replayed")]).toEqual([{ run }, null]);
  }
});

test("a request is the same whatever the order of its fields, the case of a provider, and whoever's key pays", async () => {
  const chosen = { "x-image-provider": "openai", "x-api-key": "sk-1", "x-model-id": "" };
  await send({ body: { a: [1, { b: 1, c: "x" }], d: null }, headers: chosen });
  const second = await send({
    body: { d: null, a: [1, { c: "x", b: 1 }] },
    headers: { "x-image-provider": "OpenAI", "x-api-key": "sk-2", "user-agent": "another" },
  });

  expect([second.isReplay, runs]).toEqual([true, 1]);
});

const others: [what: string, sent: Sent][] = [
  ["another value", { body: { a: 2 } }],
  ["a field more that no schema knows", { body: { a: 1, b: undefined, c: 1 } }],
  ["a list in another order", { body: { a: [2, 1] } }],
  ["another path", { path: "/json/b" }],
  ["another route", { path: "/nothing" }],
  ["another provider", { headers: { "x-image-provider": "google" } }],
  ["another model", { headers: { "x-model-id": "gpt-image-3" } }],
  ["another model of one kind", { headers: { "x-video-model-id": "omni-2" } }],
  ["another wish for the answer", { headers: { prefer: "respond-async" } }],
  ["a query", { path: "/json/a?b=1" }],
];

test.each(others)("a key names one request: with %s it is refused", async (_, other) => {
  await send();
  const { status, body } = await send(other);

  expect([status, body.code, runs]).toEqual([422, "idempotency_mismatch", 1]);
});

test("a key is its user's own", async () => {
  const bob = await service.register("Bob");
  await send();
  const his = await send({ user: bob, body: { a: 2 } });

  expect([his.status, his.isReplay]).toEqual([201, false]);
});

test.each([
  ["nothing", ""],
  ["256 characters", "k".repeat(256)],
  ["a space", "a b"],
  ["two keys", "a, b"],
  ["another alphabet", "clé"],
])("a key of %s is refused", async (_, bad) => {
  const { status, body } = await send({ headers: { "idempotency-key": bad } });

  expect([status, body.code, body.details[0].path, runs]).toEqual([400, "validation_error", "Idempotency-Key", 0]);
});

test("a key may be as long as 255 characters, of any visible kind", async () => {
  const long = `"!~${"k".repeat(252)}`;
  await send({ headers: { "idempotency-key": long } });
  expect((await send({ headers: { "idempotency-key": long } })).isReplay).toBe(true);
});

test("while the first request is running, the second is told to come back", async () => {
  const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<object>()];
  work = () => {
    begun.resolve();
    return ending.promise;
  };
  const first = send();
  await begun.promise;

  const second = await send();
  expect([second.status, second.body.code]).toEqual([409, "request_in_progress"]);
  expect(Number(second.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await send({ body: { a: 2 } })).status).toBe(422);

  ending.resolve({ at: "last" });
  await first;
  expect((await send()).body).toEqual({ at: "last" });
});

test("of twenty at once one is done", async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => send()));

  expect(runs).toBe(1);
  expect(new Set(answers.map(({ status }) => status)).difference(new Set([201, 409])).size).toBe(0);
  expect((await send()).body).toEqual({ run: 1 });
});

test("a form is the same when its fields and the bytes of its file are", async () => {
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

test("where a route looks at no body, none counts", async () => {
  await send({ path: "/nothing" });
  expect((await send({ path: "/nothing", body: { a: 2 } })).isReplay).toBe(true);
});

test("after a failure that was not billed the same key starts anew, for another request too", async () => {
  work = (steps) =>
    steps.once("image", async () => {
      throw new DomainError("provider_rate_limited", facts);
    });
  const first = await send();
  expect([first.status, first.isReplay]).toEqual([429, false]);
  expect((await send()).isReplay).toBe(false);

  work = async () => ({ run: runs });
  expect((await send({ body: { a: 2 } })).body).toEqual({ run: 3 });
});

test("a failure that may have been billed is given again, as this request's own", async () => {
  work = (steps) =>
    steps.once("image", async () => {
      throw new DomainError("provider_error", facts);
    });
  const [first, second] = [await send(), await send()];

  expect([second.status, second.isReplay, runs]).toEqual([502, true, 1]);
  expect(second.body).toEqual({ ...first.body, requestId: second.headers.get("x-request-id") });
  expect(second.body.requestId).not.toBe(first.body.requestId);
});

test("a defect after what was paid for leaves it for the next try", async () => {
  let paid = 0;
  work = async (steps) => {
    const picture = await steps.once("image", async () => ({ picture: ++paid }));
    if (runs === 1) throw new TypeError("a defect");
    return picture;
  };

  expect((await send()).status).toBe(500);
  const { status, body } = await send();
  expect([status, body, paid, runs]).toEqual([201, { picture: 1 }, 1, 2]);
});

/** A request whose process dies at this point. */
async function crashIn(dying: (steps: Checkpoints, die: () => Promise<never>) => Promise<object>) {
  const died = Promise.withResolvers<void>();
  const die = () => {
    died.resolve();
    return new Promise<never>(() => {});
  };
  work = (steps) => dying(steps, die);
  void send();
  await died.promise;
  await service.services.idempotencyKeys.releaseAll();
}

test("a crash before anything was paid for costs nothing", async () => {
  await crashIn((_, die) => die());
  work = async () => ({ run: runs });

  expect((await send()).body).toEqual({ run: 2 });
});

test("a crash between what was paid for and the answer does not pay again", async () => {
  await crashIn(async (steps, die) => {
    await steps.once("image", async () => ({ picture: "paid" }));
    return die();
  });
  work = (steps) => steps.once("image", async () => ({ picture: "again" }));

  expect((await send()).body).toEqual({ picture: "paid" });
  expect((await send()).isReplay).toBe(true);
});

test("a crash while the provider works is told, now and later", async () => {
  await crashIn((steps, die) => steps.once("image", die));
  work = (steps) => steps.once("image", async () => ({ picture: "again" }));

  for (const isReplay of [false, true]) {
    const again = await send();
    expect([again.status, again.body.code, again.isReplay]).toEqual([502, "provider_error", isReplay]);
    expect(again.body.error).toContain("may have been billed");
  }
});

test("a crash while a job is running goes on with the job", async () => {
  await crashIn((steps, die) =>
    steps.once("video", async (job) => {
      await job.keep("v1_abc");
      return die();
    }),
  );
  work = (steps) => steps.once("video", async ({ id = "none" }) => ({ job: id }));

  expect((await send()).body).toEqual({ job: "v1_abc" });
});

test("whoever leaves may ask again", async () => {
  const [begun, leaving] = [Promise.withResolvers<void>(), new AbortController()];
  work = (steps, signal) =>
    steps.once("image", async () => {
      begun.resolve();
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => reject(signal.reason));
      return promise;
    });
  const left = send({ signal: leaving.signal });
  await begun.promise;
  leaving.abort();
  await left;

  work = async () => ({ run: runs });
  expect((await send()).body).toEqual({ run: 2 });
});

test("an answer that cannot be kept is given all the same", async () => {
  const app = appWith({ finish: async () => Promise.reject(new DomainError("unavailable", {})) });

  expect((await send({}, app)).body).toEqual({ run: 1 });
});

type Operation = {
  readonly parameters?: readonly { readonly name: string }[];
  readonly security?: readonly { readonly bearer: readonly string[] }[];
};

test("what asks models, and what exports, takes a key; nothing else says so", async () => {
  const { paths } = (await (await service.request("/api/openapi.json")).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method} ${path}`, ...operation })),
  );
  const asksModels = ({ security }: Operation) =>
    security?.some(({ bearer }) => bearer.some((scope) => scope.startsWith("ai:")));
  const takesKey = ({ parameters }: Operation) => parameters?.some(({ name }) => name === "Idempotency-Key");
  const routes = (these: typeof operations) => these.map(({ route }) => route).sort();

  expect(routes(operations.filter(takesKey))).toEqual(
    ["post /api/export", "post /api/exports", ...routes(operations.filter(asksModels))].sort(),
  );
});
