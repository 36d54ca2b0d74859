import { afterAll, beforeEach, expect, test } from "bun:test";
import { jsonClient, jsonClientWithScopes } from "../../support/json-client.ts";
import { fakeServer } from "../../support/models/fake-server.ts";
import { password, testService } from "../../support/service.ts";
import { newProject, png } from "../../support/uploads.ts";

const image = (await png(64, 64).bytes()).toBase64();
const provider = fakeServer({
  "POST /v1/images/generations": () => Response.json({ data: [{ b64_json: image }] }),
});
const service = await testService({ OPENAI_BASE_URL: `${provider.url}/v1` });
const ann = await service.register("Ann");
const api = jsonClient(ann);
afterAll(async () => {
  await service.close();
  await provider.stop();
});
beforeEach(() => {
  provider.requests.length = 0;
});

const path = "/api/auth/provider-keys";
const draw = (headers: Record<string, string>, call = api) =>
  call("POST", "/api/generate/image", { prompt: "A cup" }, { "x-image-provider": "dalle", ...headers });
const sentKeys = () => provider.requests.map(({ headers }) => headers.get("authorization"));

test("a kept key is used where a request names its provider without one, and is never shown", async () => {
  expect((await draw({})).body.code).toBe("provider_key_required");
  const kept = await api("PUT", `${path}/dalle`, { key: " sk-kept " });
  expect([kept.status, Object.keys(kept.body)]).toEqual([200, ["provider", "name", "createdAt"]]);
  const listed = await api("GET", path);
  expect(listed.body).toEqual([kept.body]);
  expect(listed.headers.get("cache-control")).toContain("no-store");

  expect((await draw({})).status).toBe(200);
  expect((await draw({ "x-api-key": "sk-sent" })).status).toBe(200);
  expect(sentKeys()).toEqual(["Bearer sk-kept", "Bearer sk-sent"]);
  // a request that names no provider pays nothing
  await api("POST", "/api/generate/image", { prompt: "A cup" });
  expect(provider.requests).toHaveLength(2);
});

test("a later key replaces the first, and a removed one is not used", async () => {
  await api("PUT", `${path}/openai`, { key: "sk-new" });
  expect((await api("GET", path)).body).toHaveLength(1);
  await draw({});
  expect(sentKeys()).toEqual(["Bearer sk-new"]);
  expect((await api("DELETE", `${path}/openai`)).status).toBe(204);
  expect((await api("DELETE", `${path}/openai`)).status).toBe(404);
  expect((await draw({})).body.code).toBe("provider_key_required");
});

test("a film takes the kept keys of the providers that its order names", async () => {
  const films = `/api/projects/${await newProject(ann)}/films`;
  const order = { brief: { text: "Tea." }, models: { image: { provider: "openai" } }, stopAt: ["scenario"] };
  expect((await api("POST", films, order)).body.code).toBe("provider_key_required");
  await api("PUT", `${path}/openai`, { key: "sk-film" });
  expect((await api("POST", films, order)).status).toBe(202);
});

test("only a login manages keys, each account its own, and they go with it", async () => {
  const bob = await service.register("Bob");
  const token = await jsonClientWithScopes(service, ann, ["ai:generate"]);
  expect((await token("GET", path)).status).toBe(403);
  expect((await jsonClient(bob)("GET", path)).body).toEqual([]);
  expect((await draw({}, jsonClient(bob))).body.code).toBe("provider_key_required");
  for (const [name, key, code] of [
    ["nobody", "sk", "not_found"],
    ["local", "sk", "not_found"],
    ["openai", "", "validation_error"],
    ["openai", "two words", "validation_error"],
  ]) {
    expect((await api("PUT", `${path}/${name}`, { key })).body.code).toBe(code);
  }
  await jsonClient(bob)("PUT", `${path}/openai`, { key: "sk-bob" });
  const stored = await service.services.providerKeys.list(bob.user.id);
  expect(JSON.stringify(stored)).not.toContain("sk-bob");
  await jsonClient(bob)("DELETE", "/api/auth/me", { password });
  expect(await service.services.providerKeys.list(bob.user.id)).toEqual([]);
});
