import { afterAll, expect, test } from "bun:test";
import { scopes } from "../../../src/domain/auth/scopes.ts";
import { asking, askingWithScopes } from "../../helpers/answers.ts";
import { testService } from "../../helpers/service.ts";

const service = await testService();
afterAll(() => service.close());

const user = await service.register();
const ask = asking(user);
const project = (await ask("POST", "/api/projects", { name: "P" })).body;
const path = `/api/projects/${project.id}`;
const work = (await ask("POST", `${path}/works`, {})).body;
const template = (await ask("POST", `${path}/templates`, { name: "T", content: {} })).body;

const routes: readonly (readonly [method: string, path: string, scope: string])[] = [
  ["GET", "/api/projects", "projects:read"],
  ["POST", "/api/projects", "projects:write"],
  ["GET", path, "projects:read"],
  ["PUT", path, "projects:write"],
  ["DELETE", path, "projects:write"],
  ["GET", `${path}/templates`, "projects:read"],
  ["POST", `${path}/templates`, "projects:write"],
  ["GET", `${path}/templates/${template.id}`, "projects:read"],
  ["PUT", `${path}/templates/${template.id}`, "projects:write"],
  ["DELETE", `${path}/templates/${template.id}`, "projects:write"],
  ["POST", `${path}/templates/${template.id}/apply`, "projects:read"],
  ["GET", `${path}/works`, "works:read"],
  ["POST", `${path}/works`, "works:write"],
  ["GET", `${path}/works/${work.id}`, "works:read"],
  ["PUT", `${path}/works/${work.id}`, "works:write"],
  ["DELETE", `${path}/works/${work.id}`, "works:write"],
  ["POST", `${path}/works/${work.id}/apply-template`, "works:write"],
];

test.each(routes)("%s %s needs its scope, and no other will do", async (method, route, scope) => {
  const others = await askingWithScopes(
    service,
    user,
    scopes.filter((other) => other !== scope),
  );
  const refused = await others(method, route, {});
  expect([refused.status, refused.body.code, refused.body.required]).toEqual([403, "insufficient_scope", [scope]]);
});

// a broken body is asked for where it can be, so that nothing is changed or deleted by a request that passes
test.each(routes.filter(([method]) => method !== "DELETE"))(
  "%s %s is open to its scope alone",
  async (method, route, scope) => {
    const only = await askingWithScopes(service, user, [scope]);
    const { status } = await only(method, route, method === "GET" ? undefined : []);
    expect(status).toBe(method === "GET" ? 200 : 400);
  },
);
