import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();
const ann = await service.register("Ann");

const allScopes = ["projects:read", "projects:write", "works:read", "works:write", "ai:analyze", "ai:generate"];

async function newToken(fields: object = {}, user = ann) {
  const response = await user.json("POST", "/api/tokens", { name: "Robot", scopes: ["projects:read"], ...fields });
  expect(response.status).toBe(201);
  return (await response.json()) as { token: string; meta: { id: string; [key: string]: unknown } };
}

const withToken = (token: string, path: string, init: RequestInit = {}) =>
  service.request(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });

test("a new token is returned once, with its metadata", async () => {
  const before = Date.now();
  const { token, meta } = await newToken({ name: "  Robot ", expiresInDays: 30 });

  expect(token).toMatch(/^rw_[0-9a-f]{72}$/);
  expect(meta).toEqual({
    id: expect.stringMatching(/^tok_[0-9a-f]{32}$/),
    name: "Robot",
    tokenPrefix: token.slice(0, 11),
    scopes: ["projects:read"],
    lastUsedAt: null,
    expiresAt: expect.any(Number),
    createdAt: expect.any(Number),
  });
  expect(meta.createdAt).toBeGreaterThanOrEqual(before);
  expect(Number(meta.expiresAt) - Number(meta.createdAt)).toBe(30 * 86_400_000);
});

test.each([[{}], [{ expiresInDays: null }]])("a token created with %j never expires", async (fields) => {
  expect((await newToken(fields)).meta.expiresAt).toBeNull();
});

test("the list is newest first and contains no secret", async () => {
  const bob = await service.register("Bob");
  const created = [await newToken({}, bob), await newToken({}, bob), await newToken({}, bob)];

  const response = await bob.request("/api/tokens");

  expect(response.status).toBe(200);
  const text = await response.text();
  expect(JSON.parse(text)).toEqual(created.map(({ meta }) => meta).reverse());
  for (const { token } of created) {
    expect(text).not.toContain(token);
    expect(text).not.toContain(createHash("sha256").update(token).digest("hex"));
  }
});

test("the list supports pages", async () => {
  const bob = await service.register("Bob");
  const created = [await newToken({}, bob), await newToken({}, bob)];

  const first = await bob.request("/api/tokens?limit=1");
  expect((await first.json()).map((meta: { id: string }) => meta.id)).toEqual([created[1]!.meta.id]);
  const [, next] = /<([^>]+)>; rel="next"/.exec(first.headers.get("link")!)!;
  const second = await bob.request(next!);
  expect((await second.json()).map((meta: { id: string }) => meta.id)).toEqual([created[0]!.meta.id]);
  expect(second.headers.get("link")).toBeNull();
});

test.each([
  ["name", { name: "" }],
  ["name", { name: "x".repeat(101) }],
  ["scopes", { scopes: [] }],
  ["scopes", { scopes: ["projects:read", "projects:read"] }],
  ["scopes.0", { scopes: ["projects:own"] }],
  ["scopes", { scopes: "projects:read" }],
  ["expiresInDays", { expiresInDays: 0 }],
  ["expiresInDays", { expiresInDays: 3651 }],
  ["expiresInDays", { expiresInDays: 1.5 }],
  ["expiresInDays", { expiresInDays: "30" }],
])("an invalid %s is 400 and named", async (path, fields) => {
  const body = { name: "Robot", scopes: ["projects:read"], ...fields };
  const response = await ann.json("POST", "/api/tokens", body);

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: "validation_error", details: [{ path }] });
});

test("a token authenticates its user with its own scopes", async () => {
  const { token } = await newToken({ scopes: ["projects:read"] });

  const me = await withToken(token, "/api/auth/me");
  expect(await me.json()).toEqual(ann.user);
  expect((await withToken(token, "/api/projects")).status).toBe(200);

  const rejected = await withToken(token, "/api/projects", { method: "POST" });
  expect(rejected.status).toBe(403);
  expect(await rejected.json()).toEqual({
    error: "Insufficient permissions",
    code: "insufficient_scope",
    required: ["projects:write"],
    granted: ["projects:read"],
    requestId: expect.any(String),
  });
});

test.each([
  ["GET", "/api/tokens"],
  ["POST", "/api/tokens"],
  ["DELETE", `/api/tokens/tok_${"0".repeat(32)}`],
])("an API token with every scope cannot %s %s", async (method, path) => {
  const { token } = await newToken({ scopes: allScopes });

  const response = await withToken(token, path, { method });

  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ code: "insufficient_scope", granted: allScopes });
});

test("a revoked token is invalid", async () => {
  const { token, meta } = await newToken();

  const revoked = await ann.request(`/api/tokens/${meta.id}`, { method: "DELETE" });
  expect(revoked.status).toBe(204);

  const response = await withToken(token, "/api/auth/me");
  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ code: "invalid_token" });
  expect((await ann.request(`/api/tokens/${meta.id}`, { method: "DELETE" })).status).toBe(404);
});

test.each(["nonsense", `tok_${"0".repeat(32)}`, "%00", `proj_${"0".repeat(32)}`])("revoking %s is 404", async (id) => {
  const response = await ann.request(`/api/tokens/${id}`, { method: "DELETE" });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: "not_found" });
});

test("another user's token can be neither revoked nor listed", async () => {
  const { token, meta } = await newToken();
  const bob = await service.register("Bob");

  expect((await bob.request(`/api/tokens/${meta.id}`, { method: "DELETE" })).status).toBe(404);
  expect(await (await bob.request("/api/tokens")).json()).toEqual([]);
  expect((await withToken(token, "/api/auth/me")).status).toBe(200);
});

test("an expired token is invalid", async () => {
  const { token } = await newToken({ expiresInDays: 1 });
  const realNow = Date.now;
  Date.now = () => realNow() + 86_400_001;
  const response = await Promise.resolve(withToken(token, "/api/auth/me")).finally(() => {
    Date.now = realNow;
  });

  expect(response.status).toBe(401);
  expect(await response.json()).toMatchObject({ code: "invalid_token" });
});

test("lastUsedAt is stored at most once a minute", async () => {
  const { token, meta } = await newToken();
  const lastUsedAt = async () => {
    const list = await (await ann.request("/api/tokens")).json();
    return list.find(({ id }: { id: string }) => id === meta.id).lastUsedAt as number | null;
  };
  expect(await lastUsedAt()).toBeNull();

  await withToken(token, "/api/auth/me");
  const first = await lastUsedAt();
  expect(first).toBeGreaterThanOrEqual(Number(meta.createdAt));

  await withToken(token, "/api/auth/me");
  expect(await lastUsedAt()).toBe(first);
});

test("a mistyped token fails its checksum without a database query", async () => {
  const { token } = await newToken();
  const queried: string[] = [];
  const { apiTokens } = service.services;
  const findByHash = apiTokens.findByHash;
  apiTokens.findByHash = (hash) => {
    queried.push(hash);
    return findByHash(hash);
  };
  try {
    const mistyped = token.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    expect((await withToken(mistyped, "/api/auth/me")).status).toBe(401);
    expect(queried).toEqual([]);
    expect((await withToken(token, "/api/auth/me")).status).toBe(200);
    expect(queried).toEqual([createHash("sha256").update(token).digest("hex")]);
  } finally {
    apiTokens.findByHash = findByHash;
  }
});
