import { expect, test } from "bun:test";
import { connect } from "node:net";
import { DomainError } from "../../../src/errors.ts";
import { sharedService, testService } from "../../support/service.ts";

const service = await sharedService();
const ann = await service.register("Ann");

const mebibyte = 1024 * 1024;
const project = "/api/projects";

const send = (body: RequestInit["body"], headers: Record<string, string> = {}) =>
  ann.request(project, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });

async function errorOf(response: Response, status: number) {
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toStartWith("application/json");
  const body = await response.json();
  expect([typeof body.error, typeof body.code]).toEqual(["string", "string"]);
  expect(body.requestId).toBe(response.headers.get("x-request-id"));
  return body;
}

test("an unknown path is a JSON 404", async () => {
  for (const path of ["/nothing", "/api", "/api/nothing", "/api/projects/", "/api/%zz", "/%00", "/api/projects//x"]) {
    expect(await errorOf(await ann.request(path), 404)).toMatchObject({ code: "not_found", error: "Not found" });
  }
});

test.each([
  ["PATCH", "/api/projects", "GET, POST, HEAD, OPTIONS"],
  ["GET", "/api/auth/login", "POST, OPTIONS"],
  ["HEAD", "/api/auth/login", "POST, OPTIONS"],
  ["POST", `/api/projects/proj_${"0".repeat(32)}`, "GET, PUT, DELETE, HEAD, OPTIONS"],
  ["DELETE", "/api/health", "GET, HEAD, OPTIONS"],
])("%s %s is 405 and Allow lists the methods of the path", async (method, path, allow) => {
  const response = await service.request(path, { method });

  expect(response.status).toBe(405);
  expect(response.headers.get("allow")?.split(", ").sort()).toEqual(allow.split(", ").sort());
  if (method !== "HEAD") expect(await errorOf(response, 405)).toMatchObject({ code: "method_not_allowed" });
});

test("OPTIONS lists the methods of a path", async () => {
  const response = await service.request("/api/auth/me", { method: "OPTIONS" });
  expect([response.status, response.headers.get("allow")]).toEqual([204, "GET, PUT, DELETE, HEAD, OPTIONS"]);
});

test("a valid request id is echoed, any other is replaced", async () => {
  const responseId = async (sent?: string) => {
    const response = await service.request("/api/health", {
      headers: sent === undefined ? {} : { "x-request-id": sent },
    });
    return response.headers.get("x-request-id");
  };

  expect(await responseId("trace-42_a")).toBe("trace-42_a");
  for (const invalid of [undefined, "", "a b", "<x>", "é", "x".repeat(300)]) {
    expect(await responseId(invalid)).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test("every response has a request id", async () => {
  for (const path of ["/docs", "/docs/swagger-ui.css", "/api/openapi.json", "/api/ready", "/nothing"]) {
    expect((await service.request(path)).headers.get("x-request-id")).toBeString();
  }
});

test.each([
  ["nothing", ""],
  ["half an object", '{"name": "x"'],
  ["a list", "[]"],
  ["text", '"x"'],
  ["null", "null"],
  ["text that is not JSON", "name=x"],
  ["bytes that are not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
])("a body of %s is 400", async (_, body) => {
  expect(await errorOf(await send(body), 400)).toMatchObject({ code: "validation_error" });
});

test.each([["text/plain"], ["application/x-www-form-urlencoded"], ["multipart/form-data; boundary=x"], [""]])(
  "JSON sent as %p is 415",
  async (type) => {
    const body = await errorOf(await send('{"name":"x"}', { "content-type": type }), 415);
    expect(body.code).toBe("unsupported_media_type");
  },
);

test("an absent body counts as an empty object", async () => {
  const { id } = await (await send('{"name":"x"}')).json();
  expect((await ann.request(`/api/projects/${id}/works`, { method: "POST" })).status).toBe(201);
  expect(await errorOf(await ann.request("/api/projects", { method: "POST" }), 400)).toMatchObject({
    code: "validation_error",
    details: [{ path: "name" }],
  });
});

test.each([["application/json"], ["application/json; charset=utf-8"], ["Application/JSON"], ["application/ld+json"]])(
  "JSON sent as %s is accepted",
  async (type) => {
    expect((await send('{"name":"x"}', { "content-type": type })).status).toBe(201);
  },
);

const bodyOf = (bytes: number) => JSON.stringify({ name: "x", padding: "x".repeat(bytes - 25) });
const chunked = (text: string) => new Response(text).body!.pipeThrough(new TransformStream());

test("a body of 4 MiB is accepted, one byte more is 413, declared or chunked", async () => {
  const exact = bodyOf(4 * mebibyte);
  expect(exact.length).toBe(4 * mebibyte);
  expect((await send(exact)).status).toBe(201);
  expect((await send(chunked(exact))).status).toBe(201);

  for (const body of [`${exact} `, chunked(`${exact} `)]) {
    expect(await errorOf(await send(body), 413)).toMatchObject({ code: "payload_too_large" });
  }
});

const nested = (levels: number) => `{"name":"x","styleGuide":${'{"a":'.repeat(levels - 1)}1${"}".repeat(levels - 1)}}`;

test("a body 32 levels deep is accepted, one of 33 or 100,000 is 400", async () => {
  expect((await send(nested(32))).status).toBe(201);
  for (const levels of [33, 100_000]) {
    expect(await errorOf(await send(nested(levels)), 400)).toMatchObject({ code: "validation_error" });
  }
});

test.each([
  ["name", '{"name":"a\\u0000b"}'],
  ["name", '{"name":"a\\ud800b"}'],
  ["styleGuide.tone", '{"name":"x","styleGuide":{"tone":"\\udc00"}}'],
  ["styleGuide.must_include.1", '{"name":"x","styleGuide":{"must_include":["a","\\u0000"]}}'],
  ["styleGuide", '{"name":"x","styleGuide":{"\\u0000":1}}'],
  ["styleGuide.x", '{"name":"x","styleGuide":{"x":1e999}}'],
])("text that Postgres cannot store is 400 and names %s: %s", async (path, body) => {
  expect(await errorOf(await send(body), 400)).toMatchObject({ details: [{ path }] });
});

test.each(["limit=%00", "cursor=%00", "limit=%zz", "cursor=%ff", "x=%00&limit=1", "limit=1&limit=x"])(
  "the query %s never causes a 500",
  async (query) => {
    expect((await ann.request(`${project}?${query}`)).status).toBeLessThan(500);
  },
);

test("NUL in a query is 400", async () => {
  expect(await errorOf(await ann.request(`${project}?cursor=%00`), 400)).toMatchObject({ code: "validation_error" });
});

test("an invalid Host header breaks neither the response nor its Link header", async () => {
  for (const name of ["First", "Second"]) await ann.json("POST", project, { name });
  const server = Bun.serve({ port: 0, fetch: service.app.fetch });
  const head = `GET ${project}?limit=1&x=%zz HTTP/1.1\r\nHost: [::zz\r\nAuthorization: Bearer ${ann.accessToken}\r\n\r\n`;
  const response = await rawResponse(server, head);
  await server.stop(true);

  expect(response).toStartWith("HTTP/1.1 200 OK\r\n");
  expect(response).toMatch(/\r\nlink: <\/api\/projects\?limit=1&[^>]*cursor=[^>]+>; rel="next"\r\n/i);
});

/** The first bytes that the server sends for a request that no client library would write. */
async function rawResponse({ port }: { port?: number }, bytes: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes));
  socket.once("data", (data) => resolve(String(data))).once("error", reject);
  return promise.finally(() => socket.destroy());
}

test("checks run in the order 401, 403, 404, 415 or 413, 400", async () => {
  const path = `${project}/proj_${"0".repeat(32)}`;
  const { token } = await (await ann.json("POST", "/api/tokens", { name: "r", scopes: ["projects:read"] })).json();
  const put = (headers: Record<string, string>, at = path) =>
    service.request(at, { method: "PUT", body: "{", headers: { "content-type": "text/plain", ...headers } });
  const own = await (await ann.json("POST", project, { name: "Mine" })).json();
  const asAnn = { authorization: `Bearer ${ann.accessToken}` };

  expect((await put({})).status).toBe(401);
  expect((await put({ authorization: `Bearer ${token}` })).status).toBe(403);
  expect((await put(asAnn)).status).toBe(404);
  expect((await put(asAnn, `${project}/${own.id}`)).status).toBe(415);
  expect((await put({ ...asAnn, "content-type": "application/json" }, `${project}/${own.id}`)).status).toBe(400);
});

/** Makes one method of a port fail while `run` runs. */
async function withFailingMethod<Port, Name extends keyof Port>(
  port: Port,
  name: Name,
  error: Error,
  run: () => Promise<void>,
) {
  const method = port[name];
  // safe because a method that always fails fits every signature
  port[name] = (() => Promise.reject(error)) as Port[Name];
  await run().finally(() => {
    port[name] = method;
  });
}

test("an unreachable database is 503 unavailable with Retry-After, and the health check still passes", async () => {
  // a service of its own: a passed check counts for half a second
  const service = await testService();
  const ann = await service.register();
  const { database, users } = service.services;
  const unavailable = new DomainError("unavailable", {});
  const retryAfter = async (response: Response) => {
    expect(await errorOf(response, 503)).toMatchObject({ code: "unavailable" });
    return response.headers.get("retry-after");
  };
  await withFailingMethod(database, "ping", unavailable, async () => {
    expect(await retryAfter(await service.request("/api/ready"))).toBe("5");
    expect((await service.request("/api/health")).status).toBe(200);
  });
  await withFailingMethod(users, "findLoggedIn", unavailable, async () => {
    expect(await retryAfter(await ann.request(project))).toBe("5");
  });
  await service.close();
});

test("a 503 that names its own time keeps it", async () => {
  const busy = new DomainError("busy", { retryAfterSeconds: 77 });
  await withFailingMethod(service.services.projects, "list", busy, async () => {
    const response = await ann.request(project);
    expect(await errorOf(response, 503)).toMatchObject({ code: "busy" });
    expect(response.headers.get("retry-after")).toBe("77");
  });
});

test("an unexpected error is 500 with a request id and no details", async () => {
  const error = new Error("select * from /etc/secret");
  await withFailingMethod(service.services.projects, "list", error, async () => {
    const { requestId, ...rest } = await errorOf(await ann.request(project), 500);
    expect(rest).toEqual({ error: "Something broke on our side.", code: "internal" });
  });
});
