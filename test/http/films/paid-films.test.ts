import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SQL, sql } from "drizzle-orm";
import { restedFilm } from "../../support/films.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { parseMetrics, sumOf } from "../../support/metrics-text.ts";
import { fakeServer } from "../../support/models/fake-server.ts";
import { openaiResponse, scenarioOutput } from "../../support/models/text-responses.ts";
import { password, type TestUser, testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";

const folder = await mkdtemp(join(tmpdir(), "reelwright-films-"));
const prices = [
  { model: "gpt-6-luna", category: "llm", unit: "input_token_million", price: "1" },
  { model: "gpt-6-luna", category: "llm", unit: "output_token_million", price: "1" },
  { model: "gpt-image-2.6-flare", category: "image", unit: "image", price: "0.05" },
].map((row) => ({ provider: "openai", ...row }));
await Bun.write(join(folder, "prices.json"), JSON.stringify(prices));

const [scene] = scenarioOutput.scenes;
const scenes = [0, 1, 2].map((scene_index) => ({ ...scene!, scene_index, duration_seconds: 1 }));
const image = await png(90, 160).bytes();
let drawImage = (_: number): Response | Promise<Response> => Response.json({ data: [{ b64_json: image.toBase64() }] });
let images = 0;
const provider = fakeServer({
  "POST /v1/responses": () => openaiResponse({ text: JSON.stringify({ scenes }) }),
  "POST /v1/images/generations": () => drawImage(++images),
});
const metricsToken = "a-token-of-operators";
const settings = { OPENAI_BASE_URL: `${provider.url}/v1`, PRICES_FILE: join(folder, "prices.json") };
const service = await testService({ ...settings, METRICS_TOKEN: metricsToken }, undefined, instantExports);
afterAll(async () => {
  await Promise.all([service.close(), provider.stop()]);
  await rm(folder, { recursive: true });
});

const secret = "sk-secret-of-the-caller";
const models = { llm: { provider: "openai" }, image: { provider: "openai" }, video: false };
const order = { brief: { text: "Cup: it keeps warm." }, seconds: 3, scenes: 3, models, captions: false };

// biome-ignore lint/suspicious/noExplicitAny: a film as JSON
type Json = any;

async function ordered(user: TestUser, body: object = {}) {
  const project = await (await user.json("POST", "/api/projects", { name: "Cups" })).json();
  const base = `/api/projects/${project.id}/films`;
  const resolution = { width: 90, height: 160 };
  const film = await (await user.json("POST", base, { ...order, resolution, ...body }, { "x-api-key": secret })).json();
  images = 0;
  return { path: `${base}/${film.id}`, projectId: project.id as string, film };
}

const spendOf = async (user: TestUser) => (await user.request("/api/spend?groupBy=film")).json();
const drawn = () => Response.json({ data: [{ b64_json: image.toBase64() }] });

test("an estimate follows from the plan and the prices: what is usual, and the most", async () => {
  const ann = await service.register();
  const { path } = await ordered(ann, { stopAt: ["scenario"] });
  const estimate = async (body: object) =>
    (await (await ann.json("POST", `${path.replace(/\/film_.*/, "")}/estimate`, { ...order, ...body })).json())
      .estimate;
  const [three, six, open] = [await estimate({}), await estimate({ scenes: 6 }), await estimate({ scenes: null })];
  expect(Number(three.low)).toBeGreaterThan(0.15);
  expect(Number(three.low)).toBeLessThan(Number(three.high));
  expect(Number(six.low) - Number(three.low)).toBeGreaterThan(0.15);
  // four scenes to six
  expect([Number(open.low) > Number(three.low), Number(open.high) === Number(six.high)]).toEqual([true, true]);
  // other tests count the requests of their film, and the films that wait
  await restedFilm(ann, path);
  await ann.request(path, { method: "DELETE" });
});

test("a film pays for each step once, and its sum is that of the ledger and of the provider's count", async () => {
  const ann = await service.register();
  const before = provider.requests.length;
  const { path, film } = await ordered(ann);
  const done = await restedFilm(ann, path);
  expect([done.status, done.waitingReason]).toEqual(["done", undefined]);
  expect(provider.requests.length - before).toBe(4);
  // 47 tokens and three pictures
  expect(done.spent).toEqual({ amount: "0.150047", currency: "USD" });
  const groups = [{ key: film.id, amount: "0.150047", calls: 4 }];
  expect(await spendOf(ann)).toMatchObject({ total: "0.150047", reserved: "0.00", unknown: "0.00", groups });
  const keys = provider.requests.slice(before + 1).map(({ headers }) => headers.get("idempotency-key"));
  expect(new Set(keys).size).toBe(3);

  expect(JSON.stringify(done)).not.toContain(secret);
  const { rows } = (await service.db.execute(sql`select * from film_keys`)) as unknown as { rows: Json[] };
  expect(rows.filter(({ film_id }) => film_id === film.id)).toEqual([]);

  await ann.json("DELETE", path);
  expect(await spendOf(ann)).toMatchObject({ total: "0.150047", groups: [{ key: null }] });
});

test("no model writes the scenario that an order has", async () => {
  const ann = await service.register();
  const before = provider.requests.length;
  const { path, film } = await ordered(ann, { seconds: null, scenes: null, scenario: scenes });
  expect(film.steps.find(({ kind }: Json) => kind === "scenario").estimate).toBe("0.00");
  const done = await restedFilm(ann, path);
  expect([done.status, done.spent.amount, provider.requests.length - before]).toEqual(["done", "0.15", 3]);
  expect(done.steps.find(({ kind }: Json) => kind === "scenario").attempts[0].provider).toBeUndefined();
});

test("sums that budgets are compared with go with their film, their project and their account", async () => {
  const ann = await service.register();
  const rowsOf = async (query: SQL) => ((await service.db.execute(query)) as unknown as { rows: Json[] }).rows;
  const scopes = async () => {
    const rows = await rowsOf(
      sql`select distinct scope from spend_totals where user_id = ${ann.user.id} order by scope`,
    );
    return rows.map(({ scope }) => scope);
  };
  const one = await ordered(ann);
  expect((await restedFilm(ann, one.path)).status).toBe("done");
  expect(await scopes()).toEqual(["film", "project", "user"]);
  await ann.json("DELETE", one.path);
  expect(await scopes()).toEqual(["project", "user"]);

  const other = await ordered(ann, { stopAt: ["scenario"] });
  await restedFilm(ann, other.path);
  expect(await scopes()).toEqual(["film", "project", "user"]);
  for (const { projectId } of [one, other]) await ann.json("DELETE", `/api/projects/${projectId}`);
  expect(await scopes()).toEqual(["user"]);
  expect(await spendOf(ann)).toMatchObject({ total: "0.150094", groups: [{ key: null }] });
  const calls = await rowsOf(
    sql`select project_id, film_id, step_id from upstream_calls where user_id = ${ann.user.id}`,
  );
  expect(new Set(calls.flatMap(Object.values))).toEqual(new Set([null]));
  await ann.json("DELETE", "/api/auth/me", { password });
  expect(await scopes()).toEqual([]);
});

test("a film stops at its budget with what it has, and goes on with a higher one", async () => {
  const ann = await service.register();
  const { path } = await ordered(ann, { budget: { limit: "0.14" } });
  const waiting = await restedFilm(ann, path);
  expect(waiting).toMatchObject({ status: "waiting", waitingFor: "budget", budget: { limit: "0.14" } });
  expect(images).toBe(2);
  expect((await ann.json("PUT", path, { budget: { limit: "0.05" } })).status).toBe(400);
  expect((await ann.json("PUT", path, { budget: { limit: "0.30" } })).status).toBe(200);
  expect(await restedFilm(ann, path)).toMatchObject({ status: "done", spent: { amount: "0.150047" } });
  expect(images).toBe(3);
});

test("a refused scene costs no other one, and the film is made without it", async () => {
  const ann = await service.register();
  drawImage = (count) =>
    count === 2 ? Response.json({ error: { code: "moderation_blocked", message: "no" } }, { status: 400 }) : drawn();
  const { path } = await ordered(ann);
  const waiting = await restedFilm(ann, path);
  drawImage = drawn;
  expect(waiting).toMatchObject({ status: "waiting", waitingFor: "step", spent: { amount: "0.100047" } });
  const failed = waiting.steps.find(({ status }: Json) => status === "error");
  expect(failed).toMatchObject({ kind: "image", attempts: [{ state: "error", error: { code: "content_refused" } }] });
  expect(waiting.waitingReason).toContain(failed.id);

  expect((await ann.json("POST", `${path}/approve`, { step: failed.id })).status).toBe(200);
  expect(await restedFilm(ann, path)).toMatchObject({ status: "done", spent: { amount: "0.100047" } });
});

test("an answer that is of no use is paid for, and only the owner of the film pays for another one", async () => {
  const ann = await service.register();
  drawImage = (count) => (count === 2 ? Response.json({ data: [{ b64_json: btoa("no picture") }] }) : drawn());
  const { path } = await ordered(ann, { budget: { limit: "0.30" } });
  const waiting = await restedFilm(ann, path);
  drawImage = drawn;
  expect(waiting).toMatchObject({ status: "waiting", waitingFor: "step", spent: { amount: "0.150047" } });
  const failed = waiting.steps.find(({ status }: Json) => status === "error");
  const error = { code: "provider_bad_response" };
  expect(failed).toMatchObject({ cost: "0.05", attempts: [{ state: "error", cost: "0.05", error }] });
  expect([images, (await spendOf(ann)).total]).toEqual([3, "0.150047"]);

  const retry = `${path}/steps/${failed.id}/retry`;
  const refused = await ann.json("POST", retry, { model: "gpt-0" });
  expect([refused.status, (await refused.json()).code]).toEqual([422, "price_unknown"]);
  await ann.json("POST", retry);
  expect(await restedFilm(ann, path)).toMatchObject({ status: "done", spent: { amount: "0.200047" } });
  expect(images).toBe(4);
});

test("a key that is refused makes the film wait, and another one lets it go on", async () => {
  const ann = await service.register();
  drawImage = () => Response.json({ error: { code: "invalid_api_key" } }, { status: 401 });
  const { path } = await ordered(ann);
  expect(await restedFilm(ann, path)).toMatchObject({ status: "waiting", waitingFor: "key" });
  drawImage = drawn;
  expect((await ann.json("POST", `${path}/keys`, undefined, { "x-api-key": "sk-other" })).status).toBe(200);
  expect(await restedFilm(ann, path)).toMatchObject({ status: "done", spent: { amount: "0.150047" } });
  expect(provider.requests.at(-1)!.headers.get("authorization")).toBe("Bearer sk-other");
});

test("the keys of a film that waits for long are erased, and it goes on with new ones", async () => {
  const ann = await service.register();
  const { path, film } = await ordered(ann, { stopAt: ["scenario"] });
  const { updatedAt } = await restedFilm(ann, path);
  expect(await service.services.films.expireKeys(updatedAt)).toBe(0);
  expect(await service.services.films.keys(film.id)).not.toEqual({});
  expect(await service.services.films.expireKeys(updatedAt + 1)).toBeGreaterThan(0);
  expect(await service.services.films.keys(film.id)).toEqual({});
  const waiting = await restedFilm(ann, path);
  expect(waiting).toMatchObject({ status: "waiting", waitingFor: "key" });
  expect(waiting.waitingReason).toContain("Send them again");
  expect(await service.services.films.expireKeys(Date.now() + 1000)).toBe(0);

  expect((await ann.json("POST", `${path}/keys`, undefined, { "x-api-key": secret })).status).toBe(200);
  expect(await restedFilm(ann, path)).toMatchObject({ waitingFor: "approval", waitingAt: "scenario" });
  expect((await ann.json("POST", `${path}/approve`)).status).toBe(200);
  expect(await restedFilm(ann, path)).toMatchObject({ status: "done", spent: { amount: "0.150047" } });
});

test("a step that a dead process left goes on if nothing was sent, and is unknown if a call was", async () => {
  const ann = await service.register();
  const { path, film, projectId } = await ordered(ann, { stopAt: ["scenario"] });
  await restedFilm(ann, path);
  const attempt = { state: "running", startedAt: Date.now() };
  const left = { checkpoints: JSON.stringify({ image: { state: "started" } }), attempts: JSON.stringify([attempt]) };
  const leave = (scene: number) =>
    service.db.execute(sql`update film_steps set status = 'running', checkpoints = ${left.checkpoints}::json,
      attempts = ${left.attempts}::json where film_id = ${film.id} and id = ${`scene-${scene}-image`}`);
  await leave(0);
  await leave(1);
  // the ledger has the call of the second one only
  const call = {
    id: `call_${crypto.randomUUID().replaceAll("-", "")}`,
    userId: ann.user.id,
    projectId,
    filmId: film.id,
  };
  await service.services.ledger.reserve({
    ...{ ...call, stepId: "scene-1-image", provider: "openai", model: "gpt-image-2.6-flare", purpose: "image" },
    ...{ estimate: 50_000n, holderId: "dead", createdAt: Date.now() },
  });
  await ann.json("POST", `${path}/approve`);
  const waiting = await restedFilm(ann, path);
  expect(waiting).toMatchObject({ status: "waiting", waitingFor: "step", unknown: { amount: "0.05" } });
  const byId = Object.fromEntries(waiting.steps.map(({ id, status }: Json) => [id, status]));
  expect(byId).toMatchObject({ "scene-0-image": "done", "scene-1-image": "unknown", "scene-2-image": "done" });
  expect(images).toBe(2);
  expect((await (await ann.request("/api/spend")).json()).unknown).toBe("0.05");

  await ann.json("POST", `${path}/steps/scene-1-image/retry`);
  expect((await restedFilm(ann, path)).status).toBe("done");
  expect(images).toBe(3);
});

async function scrape() {
  const response = await service.request("/metrics", { headers: { authorization: `Bearer ${metricsToken}` } });
  return { text: await response.clone().text(), samples: parseMetrics(await response.text()) };
}

test("the metrics have films by state, the time of their steps, what was spent and what budgets refused", async () => {
  const ann = await service.register();
  const before = await scrape();
  const { path, film, projectId } = await ordered(ann, { budget: { limit: 0 } });
  await restedFilm(ann, path);
  const waiting = await scrape();
  await ann.json("PUT", path, { budget: { limit: 1 } });
  expect(await restedFilm(ann, path)).toMatchObject({ status: "done", spent: { amount: "0.150047" } });
  // counted once its end is committed
  let after = await scrape();
  const grown = (name: string, labels = {}, now = after) =>
    sumOf(now.samples, name, labels) - sumOf(before.samples, name, labels);
  while (grown("films_ended_total", { outcome: "done" }) < 1) after = await scrape();

  const wait = { state: "waiting", waiting_for: "budget" };
  expect([grown("films", wait, waiting), grown("films", wait), grown("films")]).toEqual([1, 0, 0]);
  expect(grown("budget_refusals_total", { scope: "film" })).toBe(1);
  expect(grown("provider_spend_usd_total", { provider: "openai" })).toBeCloseTo(0.150047, 9);
  expect(grown("provider_spend_usd_total", { model: "gpt-image-2.6-flare" })).toBeCloseTo(0.15, 9);
  const steps = (kind: string, outcome = "done") => grown("film_step_duration_seconds_count", { kind, outcome });
  expect([steps("scenario", "waiting"), steps("scenario"), steps("image"), steps("export")]).toEqual([1, 1, 3, 1]);
  for (const id of [film.id, film.workId, projectId, ann.user.id]) expect(after.text).not.toContain(id);
});

test("what a model leaves out of the brief is named once it has written, before anything else is paid", async () => {
  const ann = await service.register();
  const brief = { text: "Cup: it keeps warm. Sold in Leeds for £18." };
  const { path, film } = await ordered(ann, { brief, stopAt: ["scenario"] });
  expect(film.warnings).toEqual([]);
  const { warnings } = await restedFilm(ann, path);
  const named = warnings.filter(({ code }: Json) => code === "brief_not_shown").map(({ message }: Json) => message);
  expect(named.join(" ")).toContain('"Sold in Leeds for £18."');
});
