import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { DomainError } from "../../../src/errors.ts";
import { jsonClient, jsonClientWithScopes } from "../../support/json-client.ts";
import { leaseEnds } from "../../support/lease-ends.ts";
import { holdDrawing, scriptedModels } from "../../support/models/scripted-models.ts";
import { workWithScenes } from "../../support/scene-works.ts";
import { testService } from "../../support/service.ts";
import { formOf, mp4 } from "../../support/uploads.ts";

const { script, models } = scriptedModels();
/** Nothing of what is paid for can be stored. */
let isDatabaseAway = false;
const requireDatabase = () => {
  if (isDatabaseAway) throw new DomainError("unavailable", {});
};
const ends = leaseEnds();
const service = await testService({}, undefined, (services) => {
  const { idempotencyKeys, generatedMedia } = services;
  const { vision } = services.models;
  return {
    ...ends.store(services),
    models: { ...models(services).models, vision },
    idempotencyKeys: {
      ...idempotencyKeys,
      async saveCheckpoint(...args) {
        requireDatabase();
        return idempotencyKeys.saveCheckpoint(...args);
      },
    },
    generatedMedia: {
      ...generatedMedia,
      async add(media) {
        requireDatabase();
        return generatedMedia.add(media);
      },
    },
  };
});
const ann = await service.register("Ann");
const api = jsonClient(ann);
afterAll(() => service.close());
beforeEach(() => script.reset());

const respondAsync = { prefer: "respond-async" };
const image = { prompt: "A lake" };

const ended = (path: string, client = api) => ends.operation(path, client);

test("a request with Prefer: respond-async gets 202, and its operation gets the response", async () => {
  const model = holdDrawing(script);
  const { status, headers, body } = await api("POST", "/api/generate/image", image, respondAsync);
  const location = headers.get("location")!;
  expect([status, headers.get("preference-applied")]).toEqual([202, "respond-async"]);
  expect(body).toEqual({
    id: location.slice("/api/operations/".length),
    status: "running",
    createdAt: expect.any(Number),
  });

  await model.started;
  const running = await api("GET", location);
  expect([running.body, running.headers.get("retry-after")]).toEqual([body, "2"]);

  model.finish();
  const done = await ended(location);
  expect(done).toEqual({
    ...body,
    status: "done",
    responseStatus: 200,
    response: { imageUrl: expect.stringMatching(/^\/api\/media\//) },
    endedAt: expect.any(Number),
  });
  expect((await ann.request(done.response.imageUrl)).status).toBe(200);
});

test("the operation goes on after the client has disconnected", async () => {
  const server = Bun.serve({ port: 0, fetch: service.app.fetch });
  const model = holdDrawing(script);
  const client = new AbortController();
  const headers = { ...respondAsync, authorization: `Bearer ${ann.accessToken}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(image), signal: client.signal };
  const response = await fetch(new URL("/api/generate/image", server.url), init);
  client.abort();
  await server.stop(true);
  model.finish();
  expect(await ended(response.headers.get("location")!)).toMatchObject({ status: "done", responseStatus: 200 });
});

test("an uploaded video stays until its analysis has ended", async () => {
  const body = formOf({ video: await mp4(), mode: "style_transfer" });
  const response = await ann.request("/api/analyze", { method: "POST", body, headers: respondAsync });
  expect(response.status).toBe(202);
  const { response: analysis } = await ended(response.headers.get("location")!);
  expect(analysis.scene_count).toBe(analysis.scenes.length);
});

test("a scene is generated into the work, and the operation shows the same answer as the synchronous form", async () => {
  const { base } = await workWithScenes(ann, { scenes: [{ scene_index: 0, duration_seconds: 4, image_prompt: "A" }] });
  const { status, headers } = await api("POST", `${base}/generate/scene/0`, {}, respondAsync);
  const { response } = await ended(headers.get("location")!);
  const again = await api("POST", `${base}/generate/scene/0`, {});
  expect([status, response]).toEqual([202, again.body]);
});

test("a failure is the operation's error, with the status that the request would have had", async () => {
  script.draw = async () => {
    throw new DomainError("content_refused", { provider: "Acme" });
  };
  const { headers } = await api("POST", "/api/generate/image", image, respondAsync);
  expect(await ended(headers.get("location")!)).toMatchObject({
    status: "error",
    responseStatus: 422,
    error: { code: "content_refused", requestId: headers.get("x-request-id") },
  });
});

describe("is answered directly", () => {
  test.each([
    ["a bad body", { prompt: 5 }, {}, 400],
    ["a work of nobody", { ...image, projectId: "proj_1", workId: "work_1", sceneIndex: 0 }, {}, 404],
    ["no credential", image, { authorization: "Bearer none" }, 401],
  ])("%s", async (_, body, headers, status) => {
    const response = await api("POST", "/api/generate/image", body, { ...respondAsync, ...headers });
    expect([response.status, response.headers.has("location")]).toEqual([status, false]);
  });

  test("a route without the preference", async () => {
    const { status } = await api("POST", "/api/projects", { name: "Launch" }, respondAsync);
    expect(status).toBe(201);
  });
});

test("a repeated request with the same key gets 409 while the first runs, then the stored response", async () => {
  const model = holdDrawing(script);
  const headers = { ...respondAsync, "idempotency-key": crypto.randomUUID() };
  const first = await api("POST", "/api/generate/image", image, headers);
  await model.started;
  const second = await api("POST", "/api/generate/image", image, headers);
  expect([second.status, second.body.code]).toEqual([409, "request_in_progress"]);

  model.finish();
  const { response } = await ended(first.headers.get("location")!);
  const third = await api("POST", "/api/generate/image", image, headers);
  expect([third.status, third.body]).toEqual([200, response]);
  expect(script.imageTasks.length).toBe(1);
});

test("what an outage kept from being stored is not paid again by a request with the same key", async () => {
  const headers = { ...respondAsync, "idempotency-key": crypto.randomUUID() };
  const { draw } = script;
  script.draw = (...task) => {
    isDatabaseAway = true;
    return draw(...task);
  };
  const first = await api("POST", "/api/generate/image", image, headers);
  const { error } = await ended(first.headers.get("location")!);
  isDatabaseAway = false;
  await ends.ofKey(ann, headers["idempotency-key"]);
  const again = await api("POST", "/api/generate/image", image, headers);
  const { response = again.body } = again.status === 202 ? await ended(again.headers.get("location")!) : {};
  expect([error.code, response.imageUrl, script.imageTasks.length]).toEqual(["unavailable", expect.any(String), 1]);
});

describe("an operation is visible", () => {
  const order = async () => (await api("POST", "/api/generate/image", image, respondAsync)).headers.get("location")!;

  test("to its owner only", async () => {
    const other = jsonClient(await service.register("Eve"));
    const location = await order();
    expect((await other("GET", location)).status).toBe(404);
    expect((await other("DELETE", location)).status).toBe(404);
    expect((await api("GET", "/api/operations/op_1")).status).toBe(404);
  });

  test("with the scopes of its request only", async () => {
    const location = await order();
    const narrow = await jsonClientWithScopes(service, ann, ["ai:analyze", "works:read"]);
    const { status, body } = await narrow("GET", location);
    expect([status, body.required]).toEqual([403, ["ai:generate"]]);
    const wide = await jsonClientWithScopes(service, ann, ["ai:generate"]);
    expect((await wide("GET", location)).status).toBe(200);
  });
});

test("an operation of a process that stopped ends with an error", async () => {
  const model = holdDrawing(script);
  const { headers } = await api("POST", "/api/generate/image", image, respondAsync);
  await service.services.leases.releaseAll();
  const { body } = await api("GET", headers.get("location")!);
  expect(body).toMatchObject({ status: "error", responseStatus: 502, error: { code: "provider_error" } });
  model.finish();
});

test("a user runs at most 20 operations at once", async () => {
  const busy = await service.register("Busy");
  const client = jsonClient(busy);
  const model = holdDrawing(script);
  const order = () => client("POST", "/api/generate/image", image, respondAsync);
  const accepted = await Promise.all(Array.from({ length: 20 }, order));
  expect(new Set(accepted.map(({ status }) => status))).toEqual(new Set([202]));
  const refused = await order();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
  model.finish();
  for (const { headers } of accepted) await ended(headers.get("location")!, client);
  expect((await order()).status).toBe(202);
});
