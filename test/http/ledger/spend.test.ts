import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonClient } from "../../support/json-client.ts";
import { leaseEnds } from "../../support/lease-ends.ts";
import { fakeServer } from "../../support/models/fake-server.ts";
import { openaiResponse, scenarioOutput } from "../../support/models/text-responses.ts";
import { type TestUser, testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";

const folder = await mkdtemp(join(tmpdir(), "reelwright-spend-"));
const prices = [
  { model: "gpt-6-luna", category: "llm", unit: "input_token_million", price: "1000" },
  { model: "gpt-6-luna", category: "llm", unit: "output_token_million", price: "2000" },
  { model: "gpt-image-2.6-flare", category: "image", unit: "image", price: "0.05" },
].map((row) => ({ provider: "openai", ...row }));
await Bun.write(join(folder, "prices.json"), JSON.stringify(prices));

let respond = (): Response | Promise<Response> => openaiResponse({ text: JSON.stringify(scenarioOutput) });
const image = await png(64, 36).bytes();
const provider = fakeServer({
  "POST /v1/responses": () => respond(),
  "POST /v1/images/generations": () => Response.json({ data: [{ b64_json: image.toBase64() }] }),
});
const variables = { OPENAI_BASE_URL: `${provider.url}/v1`, PRICES_FILE: join(folder, "prices.json") };
const ends = leaseEnds();
const service = await testService({ ...variables, CORS_ORIGINS: "https://editor.example.com" }, undefined, ends.store);
afterAll(async () => {
  await Promise.all([service.close(), provider.stop()]);
  await rm(folder, { recursive: true });
});

const openai = { "x-llm-provider": "openai", "x-image-provider": "openai", "x-api-key": "sk-test" };
const brief = { intent: { mode: "content_remix", product_name: "Cup" } };

/** 40 tokens in and 7 out. */
const scenarioCost = "0.054";

const writeScenario = (user: TestUser, headers: Record<string, string> = {}) =>
  user.json("POST", "/api/scenario", brief, { ...openai, ...headers });

const generateImage = (user: TestUser, target: object = {}, headers: Record<string, string> = {}) =>
  user.json("POST", "/api/generate/image", { prompt: "A cup", ...target }, { ...openai, ...headers });

async function spendOf(user: TestUser, query = "") {
  const response = await user.request(`/api/spend${query}`);
  return { status: response.status, body: await response.json() };
}

async function workOf(user: TestUser) {
  const project = await (await user.json("POST", "/api/projects", { name: "Cups" })).json();
  const scene = { scene_index: 0, duration_seconds: 2, image_prompt: "A cup", video_prompt: "", transition: "cut" };
  const work = await (await user.json("POST", `/api/projects/${project.id}/works`, { scenes: [scene] })).json();
  return { projectId: project.id as string, workId: work.id as string, sceneIndex: 0 };
}

test("an answer says what it has cost, and a repeated one that it cost nothing", async () => {
  const ann = await service.register();
  const key = { "idempotency-key": crypto.randomUUID(), origin: "https://editor.example.com" };
  const first = await writeScenario(ann, key);
  expect([first.status, first.headers.get("x-cost")]).toEqual([200, `${scenarioCost} USD`]);
  expect(first.headers.get("access-control-expose-headers")).toContain("X-Cost");
  const again = await writeScenario(ann, key);
  expect([again.headers.get("idempotency-replayed"), again.headers.get("x-cost")]).toEqual(["true", "0.00 USD"]);
  const local = await ann.json("POST", "/api/scenario", brief);
  expect([local.status, local.headers.get("x-cost")]).toEqual([200, null]);
  expect((await spendOf(ann)).body).toMatchObject({ total: scenarioCost, reserved: "0.00", unknown: "0.00" });
});

test("an error says what was paid before it", async () => {
  const ann = await service.register();
  respond = () => openaiResponse({ text: "no JSON" });
  const failed = await writeScenario(ann);
  respond = () => openaiResponse({ text: JSON.stringify(scenarioOutput) });
  // the output is asked for twice
  expect([failed.status, failed.headers.get("x-cost")]).toEqual([502, "0.108 USD"]);

  respond = () => new Response(null, { status: 400 });
  const refused = await writeScenario(ann);
  respond = () => openaiResponse({ text: JSON.stringify(scenarioOutput) });
  expect([refused.status, refused.headers.get("x-cost")]).toEqual([422, "0.00 USD"]);
  expect((await spendOf(ann)).body).toMatchObject({ total: "0.108", unknown: "0.00" });
});

test("an operation holds the cost of its request", async () => {
  const ann = await service.register();
  const accepted = await writeScenario(ann, { prefer: "respond-async" });
  const operation = await ends.operation(accepted.headers.get("location")!, jsonClient(ann));
  expect(operation).toMatchObject({ status: "done", cost: `${scenarioCost} USD` });
});

test("spend is added up by day, project and model, as JSON and as CSV", async () => {
  const ann = await service.register();
  const target = await workOf(ann);
  expect((await generateImage(ann, target)).headers.get("x-cost")).toBe("0.05 USD");
  await generateImage(ann);
  await writeScenario(ann);

  const today = new Date().toISOString().slice(0, 10);
  const none = { reserved: "0.00", unknown: "0.00" };
  const total = { currency: "USD", total: "0.154", ...none };
  expect((await spendOf(ann)).body).toEqual({ ...total, groups: [{ key: today, amount: "0.154", ...none, calls: 3 }] });
  expect((await spendOf(ann, "?groupBy=project")).body.groups).toEqual([
    { key: target.projectId, amount: "0.05", ...none, calls: 1 },
    { key: null, amount: "0.104", ...none, calls: 2 },
  ]);
  expect((await spendOf(ann, `?projectId=${target.projectId}&groupBy=model`)).body).toMatchObject({
    total: "0.05",
    groups: [{ key: "openai/gpt-image-2.6-flare" }],
  });
  const csv = await ann.request("/api/spend?groupBy=model", { headers: { accept: "text/csv" } });
  expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(await csv.text()).toBe(
    [
      "key,amount,reserved,unknown,calls,currency",
      "openai/gpt-6-luna,0.054,0.00,0.00,1,USD",
      "openai/gpt-image-2.6-flare,0.10,0.00,0.00,2,USD",
      "",
    ].join("\r\n"),
  );
  const bob = await service.register();
  expect((await spendOf(bob)).body).toMatchObject({ total: "0.00", groups: [] });
  expect((await spendOf(bob, `?projectId=${target.projectId}`)).status).toBe(404);
  expect((await spendOf(ann, "?groupBy=user")).status).toBe(400);
  expect((await spendOf(ann, `?from=${Date.now() + 60_000}`)).body.groups).toEqual([]);
});

test("what a removed project has cost stays, without its name", async () => {
  const ann = await service.register();
  const target = await workOf(ann);
  await generateImage(ann, target);
  expect((await ann.json("DELETE", `/api/projects/${target.projectId}`)).status).toBe(204);
  expect((await spendOf(ann, "?groupBy=project")).body.groups).toMatchObject([{ key: null, amount: "0.05" }]);
  while (await service.services.removals.removeBatch()) {}
  expect((await spendOf(ann, "?groupBy=project")).body.groups).toMatchObject([{ key: null, amount: "0.05" }]);
});

test("a project's budget refuses the call that could pass it, before the provider is called", async () => {
  const ann = await service.register();
  const target = await workOf(ann);
  const budget = `/api/projects/${target.projectId}/budget`;
  expect((await ann.request(budget)).status).toBe(404);
  const set = await ann.json("PUT", budget, { limit: "0.12", period: "month" });
  expect([set.status, await set.json()]).toEqual([
    200,
    {
      ...{ limit: "0.12", currency: "USD", period: "month", spent: "0.00", reserved: "0.00" },
      periodStart: expect.any(Number),
    },
  ]);

  // both images at once fit; a third one does not
  const twice = await Promise.all([generateImage(ann, target), generateImage(ann)]);
  expect(twice.map(({ status }) => status)).toEqual([200, 200]);
  expect((await generateImage(ann, target)).status).toBe(200);
  const before = provider.requests.length;
  const refused = await generateImage(ann, target, { "idempotency-key": "the-third" });
  expect([refused.status, await refused.json()]).toMatchObject([
    402,
    {
      code: "budget_exceeded",
      details: { scope: "project", limit: "0.12", spent: "0.10", reserved: "0.00", estimate: "0.05", currency: "USD" },
    },
  ]);
  expect(provider.requests).toHaveLength(before);
  expect(await (await ann.request(budget)).json()).toMatchObject({ spent: "0.10" });

  await ann.json("PUT", budget, { limit: 1, period: "total" });
  expect((await generateImage(ann, target, { "idempotency-key": "the-third" })).status).toBe(200);
  expect((await ann.json("DELETE", budget)).status).toBe(204);
  expect((await ann.json("DELETE", budget)).status).toBe(404);
});

test.each([
  [{ limit: -1 }, "limit"],
  [{ limit: 1e300 }, "limit"],
  [{ limit: "1000000.01" }, "limit"],
  [{ limit: "0.0000001" }, "limit"],
  [{ limit: "1", currency: "EUR" }, "currency"],
  [{ limit: "1", period: "week" }, "period"],
])("%j is no budget", async (fields, path) => {
  const ann = await service.register();
  const { projectId } = await workOf(ann);
  const response = await ann.json("PUT", `/api/projects/${projectId}/budget`, { period: "total", ...fields });
  expect([response.status, (await response.json()).details[0].path]).toEqual([400, path]);
});

test("the operator's limit holds for each user, in projects and outside of them", async () => {
  const bounded = await testService({ ...variables, MAX_USER_SPEND_PER_MONTH: "0.09" });
  const ann = await bounded.register();
  expect((await generateImage(ann)).status).toBe(200);
  const refused = await generateImage(ann, await workOf(ann));
  expect([refused.status, (await refused.json()).details]).toMatchObject([402, { scope: "user", limit: "0.09" }]);
  expect((await generateImage(await bounded.register())).status).toBe(200);
  await bounded.close();
});
