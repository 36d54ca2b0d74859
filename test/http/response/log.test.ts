import { afterAll, beforeEach, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../src/storage/tables/accounts.ts";
import { jsonInit, password, testService } from "../../support/service.ts";

const lines: string[] = [];
const service = await testService({ LOG_LEVEL: "info" }, { write: (line) => void lines.push(line) });
const ann = await service.register("Ann");
afterAll(() => service.close());
beforeEach(() => {
  lines.length = 0;
});

const loggedLines = () => lines.map((line) => JSON.parse(line));

test("each request is one line with its outcome and its user", async () => {
  const response = await ann.request("/api/projects", { headers: { "user-agent": "test/1", "x-request-id": "abc" } });
  await response.text();

  expect(loggedLines()).toEqual([
    expect.objectContaining({
      requestId: "abc",
      method: "GET",
      path: "/api/projects",
      status: 200,
      userId: ann.user.id,
      ms: expect.any(Number),
      headers: { "user-agent": "test/1" },
    }),
  ]);
});

test("the log contains no secret", async () => {
  const created = await ann.json("POST", "/api/tokens", { name: "Robot", scopes: ["projects:read"] });
  const { token } = await created.json();
  await service.request(`/api/projects/x/assets/y?token=${token}`, { headers: { "x-api-key": "sk-key" } });
  await ann.request(`/api/projects?token=${ann.accessToken}`, {
    headers: { cookie: "a=sk-key", "x-api-key": "sk-key" },
  });
  await service.request("/api/auth/refresh", jsonInit("POST", { refreshToken: ann.refreshToken }));
  await service.request("/api/auth/login", jsonInit("POST", { email: ann.user.email, password }));
  await service.request("/api/auth/login", jsonInit("POST", { email: ann.user.email, password: `${password}?` }));

  const text = lines.join("");
  expect(lines).toHaveLength(6);
  for (const secret of [token, ann.accessToken, ann.refreshToken, password, "sk-key", "?token", ann.user.email]) {
    expect(text).not.toContain(secret);
  }
});

test("an unexpected error is logged with its stack and cause, but without messages", async () => {
  const { projects } = service.services;
  const list = projects.list;
  const cause = Object.assign(new Error("password=hunter2"), { code: "XX000" });
  projects.list = () => Promise.reject(new TypeError("select hunter2", { cause }));
  const response = await Promise.resolve(ann.request("/api/projects")).finally(() => {
    projects.list = list;
  });

  const [line] = loggedLines();
  expect(line).toMatchObject({ level: 50, status: 500, requestId: response.headers.get("x-request-id") });
  expect(line.error).toMatchObject({ name: "TypeError", cause: { name: "Error", code: "XX000" } });
  expect(line.error.at[0]).toContain("log.test.ts");
  expect(lines.join("")).not.toContain("hunter2");
});

test("a domain error is logged with its message", async () => {
  await ann.request("/api/nothing");
  expect(loggedLines()[0]).toMatchObject({
    level: 30,
    status: 404,
    error: { code: "not_found", message: "Not found" },
  });
});

test("a request whose client has left is no error of the service", async () => {
  const { projects } = service.services;
  const { list } = projects;
  const leaving = new AbortController();
  projects.list = async () => {
    leaving.abort();
    throw leaving.signal.reason;
  };
  const pending = Promise.resolve(ann.request("/api/projects", { signal: leaving.signal }));
  await pending.finally(() => Object.assign(projects, { list }));
  expect(loggedLines()[0]).toMatchObject({ level: 30, status: 499, clientGone: true });
});

test("a broken password hash is a wrong password to the client, and is logged", async () => {
  const bob = await service.register("Bob");
  await service.db.update(users).set({ passwordHash: "broken" }).where(eq(users.id, bob.user.id));
  lines.length = 0;
  const login = await service.request("/api/auth/login", jsonInit("POST", { email: bob.user.email, password }));
  expect([login.status, (await login.json()).code]).toEqual([401, "invalid_credentials"]);
  const change = await bob.json("POST", "/api/auth/password", { oldPassword: password, newPassword: `${password}!` });
  expect([change.status, (await change.json()).error]).toEqual([401, "Wrong password"]);
  for (const line of loggedLines()) expect(line).toMatchObject({ status: 401, error: { cause: { name: "Error" } } });
});
