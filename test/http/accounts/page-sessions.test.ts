import { afterAll, expect, test } from "bun:test";
import { createApp } from "../../../src/app.ts";
import { tokenFamilies } from "../../../src/storage/tables/accounts.ts";
import { jsonInit, password, testService } from "../../support/service.ts";
import { formOf, newProject, png } from "../../support/uploads.ts";

const service = await testService({ CORS_ORIGINS: "*" });
afterAll(() => service.close());

type Headers = Record<string, string>;
type Request = (path: string, init?: RequestInit) => Response | Promise<Response>;

/** What a browser adds to a request of our own page, and the page itself. */
const ownPage = { "sec-fetch-site": "same-origin", "x-reelwright-page": "1" };
const emailOf = () => `ann.${crypto.randomUUID()}@example.com`;

const logIn = async (body: object, headers: Headers = {}, request: Request = service.request) =>
  request("/api/auth/session", jsonInit("POST", body, headers));
const cookieIn = (response: Response) => (response.headers.get("set-cookie") ?? "").split(";")[0]!;

async function page(headers: Headers = {}) {
  const cookie = cookieIn(await logIn({ email: emailOf(), password, name: "Ann" }));
  return (path: string, init: RequestInit = {}) =>
    service.request(path, { ...init, headers: { cookie, ...headers, ...(init.headers as Headers) } });
}
const codeOf = async (pending: Response | Promise<Response>): Promise<unknown[]> => {
  const response = await pending;
  const body = await response.text();
  return [response.status, body ? JSON.parse(body).code : undefined];
};

test("a login answers with a cookie that no script reads and no other site sends, and nothing else", async () => {
  const email = emailOf();
  const registered = await logIn({ email, password, name: "Ann" });
  expect(registered.status).toBe(204);
  const again = await logIn({ email: email.toUpperCase(), password });
  expect(again.status).toBe(204);

  const [pair, ...attributes] = again.headers.get("set-cookie")!.split("; ");
  expect(pair).toMatch(/^reelwright=[0-9a-f]{64}$/);
  expect(attributes.sort()).toEqual(["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Strict"]);
  expect(again.headers.get("cache-control")).toBe("no-store");

  const me = await service.request("/api/auth/me", { headers: { cookie: pair! } });
  expect(await me.json()).toMatchObject({ email, name: "Ann" });
});

test("over https the cookie has the prefix __Host-, and no other name counts", async () => {
  const app = createApp(service.services, { publicUrl: "https://studio.example" });
  const request: Request = (path, init) => app.request(path, init);
  const response = await logIn({ email: emailOf(), password, name: "Ann" }, {}, request);
  const [pair, ...attributes] = response.headers.get("set-cookie")!.split("; ");
  expect(pair).toMatch(/^__Host-reelwright=[0-9a-f]{64}$/);
  expect(attributes.sort()).toEqual(["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Strict", "Secure"]);

  const withCookie = (cookie: string) => codeOf(request("/api/auth/me", { headers: { cookie } }));
  expect(await withCookie(pair!)).toEqual([200, undefined]);
  expect(await withCookie(pair!.replace("__Host-", ""))).toEqual([401, "unauthenticated"]);
});

test("a wrong password, a taken e-mail and a bad registration are refused as at the other routes", async () => {
  const email = emailOf();
  await logIn({ email, password, name: "Ann" });
  expect(await codeOf(logIn({ email, password: "wrong password" }))).toEqual([401, "invalid_credentials"]);
  expect(await codeOf(logIn({ email, password, name: "Ben" }))).toEqual([409, "email_taken"]);
  const short = await logIn({ email: emailOf(), password: "short", name: "Ann" });
  expect([short.status, (await short.json()).details]).toEqual([
    400,
    [{ path: "password", message: "Password must have at least 8 characters." }],
  ]);
});

test("the secret is stored as a hash, and the session is listed with the others", async () => {
  const cookie = cookieIn(await logIn({ email: emailOf(), password, name: "Ann" }));
  const secret = cookie.split("=")[1]!;
  const rows = JSON.stringify(await service.db.select().from(tokenFamilies));
  expect(rows).not.toContain(secret);

  const sessions = await (await service.request("/api/auth/sessions", { headers: { cookie } })).json();
  expect(sessions).toMatchObject([{ id: expect.stringMatching(/^sess_/), current: true }]);
  expect(sessions[0].expiresAt - sessions[0].createdAt).toBe(30 * 86_400_000);
});

test("it has a login's rights, and signing out ends it and removes the cookie", async () => {
  const request = await page(ownPage);
  const project = await request("/api/projects", jsonInit("POST", { name: "Launch" }));
  expect(project.status).toBe(201);
  const out = await request("/api/auth/session", { method: "DELETE" });
  expect([out.status, out.headers.get("set-cookie")]).toEqual([
    204,
    "reelwright=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict",
  ]);
  expect(await codeOf(request("/api/projects"))).toEqual([401, "invalid_token"]);
});

test("logging out everywhere and ending it by its id end it too", async () => {
  const request = await page(ownPage);
  await request("/api/auth/logout-all", { method: "POST" });
  expect(await codeOf(request("/api/auth/me"))).toEqual([401, "invalid_token"]);
});

test("it ends after 30 days", async () => {
  const request = await page();
  const realNow = Date.now;
  Date.now = () => realNow() + 30 * 86_400_000;
  const ended = await codeOf(request("/api/auth/me"));
  Date.now = realNow;
  expect(ended).toEqual([401, "invalid_token"]);
  expect(await codeOf(request("/api/auth/me"))).toEqual([200, undefined]);
});

const refused = [403, "cross_site_request"];

test.each<[string, Headers, readonly unknown[]]>([
  ["no header at all", {}, refused],
  ["a page without the header", { "sec-fetch-site": "same-origin" }, refused],
  ["a script that says no site", { "x-reelwright-page": "1" }, refused],
  ["another site", { ...ownPage, "sec-fetch-site": "cross-site" }, refused],
  ["a sibling domain", { ...ownPage, "sec-fetch-site": "same-site" }, refused],
  ["a form that a person sends by hand", { ...ownPage, "sec-fetch-site": "none" }, refused],
  ["another origin", { "x-reelwright-page": "1", origin: "https://evil.example" }, refused],
  ["another port", { "x-reelwright-page": "1", origin: "http://localhost:8080" }, refused],
  ["an origin that begins like ours", { "x-reelwright-page": "1", origin: "http://localhost.evil.example" }, refused],
  ["no origin", { "x-reelwright-page": "1", origin: "null" }, refused],
  ["our own page", ownPage, [201, undefined]],
  [
    "our own page in a browser without Sec-Fetch-Site",
    { "x-reelwright-page": "1", origin: "http://localhost" },
    [201, undefined],
  ],
])("a change by cookie from %s", async (_, headers, expected) => {
  const request = await page();
  expect(await codeOf(request("/api/projects", jsonInit("POST", { name: "Launch" }, headers)))).toEqual([...expected]);
});

test("every route that changes something refuses a cookie without the page's header, before it looks at anything", async () => {
  const request = await page();
  const routes = service.app.routes.filter(
    ({ method, path }) => ["POST", "PUT", "DELETE"].includes(method) && path.startsWith("/api/"),
  );
  // a link of a review is its own credential, and no cookie adds to it
  const open = /^\/api\/auth\/(register|login|refresh|logout|session)$|^\/api\/tokens|^\/api\/reviews\//;
  const passed: string[] = [];
  for (const { method, path } of routes) {
    if (open.test(path) && !(method === "DELETE" && path.endsWith("/session"))) continue;
    const response = await request(path.replaceAll(/:\w+/g, "x"), { method });
    if (response.status !== 403) passed.push(`${method} ${path} ${response.status}`);
  }
  expect(routes.length).toBeGreaterThan(50);
  expect(passed).toEqual([]);
});

test("pages of other sites cannot log a person in", async () => {
  const email = emailOf();
  await logIn({ email, password, name: "Ann" });
  for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }] as Headers[]) {
    const response = await logIn({ email, password }, headers);
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(await codeOf(response)).toEqual(refused);
  }
  const form = { method: "POST", body: JSON.stringify({ email, password }), headers: { "content-type": "text/plain" } };
  expect((await service.request("/api/auth/session", form)).status).toBe(415);
});

test("it is no credential for tokens, for MCP, for the header or for ?token=", async () => {
  const cookie = cookieIn(await logIn({ email: emailOf(), password, name: "Ann" }));
  const secret = cookie.split("=")[1]!;
  const headers = { ...ownPage, cookie };
  const without = [401, "unauthenticated"];
  expect(await codeOf(service.request("/api/tokens", { headers }))).toEqual(without);
  const token = jsonInit("POST", { name: "x", scopes: ["works:read"] }, headers);
  expect(await codeOf(service.request("/api/tokens", token))).toEqual(without);
  const call = jsonInit("POST", { jsonrpc: "2.0", id: 1, method: "tools/list" }, headers);
  expect(await codeOf(service.request("/mcp", call))).toEqual(without);
  expect(await codeOf(service.request("/api/auth/me", { headers: { authorization: `Bearer ${secret}` } }))).toEqual([
    401,
    "invalid_token",
  ]);
  expect(await codeOf(logInRefresh(secret))).toEqual([401, "invalid_token"]);
});

const logInRefresh = (refreshToken: string) => service.request("/api/auth/refresh", jsonInit("POST", { refreshToken }));

test("a token of the request wins over the cookie", async () => {
  const ben = await service.register("Ben");
  const request = await page();
  const image = `/api/projects/${await newProject(ben)}/assets`;
  const { url } = await (await ben.request(image, { method: "POST", body: formOf({ file: png() }) })).json();
  const authorization = `Bearer ${ben.accessToken}`;

  const me = await request("/api/auth/me", { headers: { authorization } });
  expect((await me.json()).email).toBe(ben.user.email);
  expect(me.headers.get("vary")).toBeNull();
  // without the page's header: a token cannot be sent by another site
  expect((await request("/api/projects", jsonInit("POST", { name: "A" }, { authorization }))).status).toBe(201);
  expect(await codeOf(request("/api/auth/me", { headers: { authorization: "Bearer wrong" } }))).toEqual([
    401,
    "invalid_token",
  ]);
  expect((await request(url)).status).toBe(404);
  expect((await request(`${url}?token=${ben.accessToken}`)).status).toBe(200);
  expect((await request(`${url}?token=wrong`)).status).toBe(401);
});

test("answers to it are for own pages only, and no header of CORS lets it in", async () => {
  const request = await page({ origin: "https://evil.example" });
  for (const path of ["/api/auth/me", "/api/projects", "/api/projects/proj_x"]) {
    const { headers } = await request(path);
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    expect(headers.get("vary")).toContain("Cookie");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  }
  const preflight = await service.request("/api/projects", {
    method: "OPTIONS",
    headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
  });
  expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
});
