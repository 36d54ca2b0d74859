import { expect, test } from "bun:test";
import { scopes } from "../../../src/domain/accounts/scopes.ts";
import { jsonClient, jsonClientWithScopes } from "../../support/json-client.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();

const user = await service.register();
const api = jsonClient(user);
const project = (await api("POST", "/api/projects", { name: "P" })).body;
const path = `/api/projects/${project.id}`;
const work = (await api("POST", `${path}/works`, {})).body;
const template = (await api("POST", `${path}/templates`, { name: "T", content: {} })).body;

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

test.each(routes)("%s %s rejects a token with every scope but its own", async (method, route, scope) => {
  const others = await jsonClientWithScopes(
    service,
    user,
    scopes.filter((other) => other !== scope),
  );
  const response = await others(method, route, {});
  expect([response.status, response.body.code, response.body.required]).toEqual([403, "insufficient_scope", [scope]]);
});

// an invalid body, so that a request that passes the scope check changes nothing
test.each(routes.filter(([method]) => method !== "DELETE"))(
  "%s %s accepts a token with its scope alone",
  async (method, route, scope) => {
    const only = await jsonClientWithScopes(service, user, [scope]);
    const { status } = await only(method, route, method === "GET" ? undefined : []);
    expect(status).toBe(method === "GET" ? 200 : 400);
  },
);
