import { afterAll, expect, test } from "bun:test";
import { controlledRenderer } from "../support/media/controlled-renderer.ts";
import { testService } from "../support/service.ts";
import { formOf, png } from "../support/uploads.ts";
import { newPictureFilm } from "../support/work-videos.ts";

const { renderer } = controlledRenderer();
// every peer is a trusted proxy, so that nothing is ignored for its sender
const variables = { TRUSTED_PROXIES: "0.0.0.0/0,::/0" };
const service = await testService(variables, undefined, (services) => ({ renderer: renderer(services) }));
const ann = await service.register("Ann");
const { request, work } = await newPictureFilm(ann);
afterAll(() => service.close());

const invented = "evil.example";
const forwarded = {
  host: invented,
  "x-forwarded-host": invented,
  "x-forwarded-proto": "https",
  "x-forwarded-port": "4711",
  "x-forwarded-prefix": `/${invented}`,
  forwarded: `for=192.0.2.1;host=${invented};proto=https`,
  origin: `https://${invented}`,
};

/** The response to a request that names an invented host everywhere, as text with its headers. */
async function answerTo(method: string, path: string, body?: object): Promise<string> {
  const isForm = body instanceof FormData;
  const response = await service.app.request(`http://${invented}:4711${path}`, {
    method,
    headers: {
      ...forwarded,
      authorization: `Bearer ${ann.accessToken}`,
      ...(body && !isForm && { "content-type": "application/json" }),
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  expect(response.status).toBeLessThan(500);
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  return [response.status, ...headers, await response.text()].join("\n");
}

const { projectId, base } = work;

test.each([
  ["POST", "/api/projects", { name: "Another" }],
  ["GET", "/api/projects?limit=1", undefined],
  ["GET", `/api/projects/${projectId}`, undefined],
  ["GET", `${base}`, undefined],
  ["GET", `/api/projects/${projectId}/assets`, undefined],
  ["POST", "/api/exports", request],
  ["GET", "/api/exports?limit=1", undefined],
  ["POST", "/api/export/validate", request],
  ["POST", "/api/auth/login", { email: "nobody@example.com", password: "a wrong password" }],
  ["GET", "/api/nowhere", undefined],
  ["GET", "/api/openapi.json", undefined],
  ["GET", "/docs", undefined],
] as const)("the response to %s %s repeats no host, scheme or port of the request", async (method, path, body) => {
  expect(await answerTo(method, path, body)).not.toMatch(/evil\.example|:4711\b|https?:\/\/localhost/);
});

test("nor does that of an upload", async () => {
  const uploaded = await answerTo("POST", `/api/projects/${projectId}/assets`, formOf({ file: png() }));
  expect(uploaded).toContain(`"url":"/api/projects/${projectId}/assets/`);
  expect(uploaded).not.toMatch(/evil\.example|:4711\b/);
});

test("the pages of a list and a new export are linked by their paths", async () => {
  await ann.json("POST", "/api/projects", { name: "Second" });
  expect(await answerTo("GET", "/api/projects?limit=1")).toMatch(/\nlink: <\/api\/projects\?/);
  expect(await answerTo("POST", "/api/exports", request)).toMatch(/\nlocation: \/api\/exports\/exp_/);
});
