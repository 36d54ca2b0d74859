import { afterAll, afterEach, expect, test } from "bun:test";
import { resumeUnderBudgets } from "../../../src/domain/films/budget-waits.ts";
import { monthStart } from "../../../src/domain/ledger/ledger.ts";
import { eventsOf } from "../../support/events.ts";
import { filmKeys, type Json, paidFilms } from "../../support/paid-films.ts";
import type { TestUser } from "../../support/service.ts";
import { formOf, wav } from "../../support/uploads.ts";

const films = await paidFilms({ MAX_USER_BYTES: "500000" });
const { service, provider } = films;
afterAll(films.close);
afterEach(provider.reset);

const models = { llm: { provider: "openai" }, image: { provider: "openai" }, video: false };
const tooLittle = { limit: "0.14", period: "total" };

/** The film once it has ended, whatever it waits for before. */
async function ended(user: TestUser, path: string): Promise<Json> {
  for await (const { event, data } of eventsOf(await user.request(`${path}/events`))) {
    if (event !== "step" && data.endedAt !== undefined) return data;
  }
}

/** A film of a project that has too little for its last picture. */
async function waitingFilm() {
  const ann = await films.register();
  const { id: projectId } = await (await ann.json("POST", "/api/projects", { name: "Cups" })).json();
  const budget = `/api/projects/${projectId}/budget`;
  expect((await ann.json("PUT", budget, tooLittle)).status).toBe(200);
  const { path, film } = await films.order(ann, { models, fresh: true }, projectId);
  expect(await films.rested(ann, path)).toMatchObject({ waitingFor: "budget", spent: { amount: "0.100047" } });
  return { ann, budget, path, film };
}

test.each([
  ["raised", "PUT", { limit: "0.16", period: "total" }],
  ["removed", "DELETE", undefined],
] as const)("a film that waits for its project's budget goes on once that is %s", async (_, method, body) => {
  const { ann, budget, path } = await waitingFilm();
  expect((await ann.json(method, budget, body)).ok).toBe(true);
  expect(await films.rested(ann, path)).toMatchObject({ status: "done", spent: { amount: "0.150047" } });
});

test("films that wait for what others have reserved go on once these have cost less", async () => {
  const ann = await films.register();
  const { id: projectId } = await (await ann.json("POST", "/api/projects", { name: "Cups" })).json();
  // a scenario costs 0.000047, and has more than half of this reserved
  await ann.json("PUT", `/api/projects/${projectId}/budget`, { limit: "0.06", period: "total" });
  const order = { models: { llm: { provider: "openai" }, video: false }, fresh: true };
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  provider.before = async () => {
    begun.resolve();
    await released.promise;
  };
  const first = await films.order(ann, order, projectId);
  await begun.promise;
  const others = [await films.order(ann, order, projectId), await films.order(ann, order, projectId)];
  for (const { path } of others) expect(await films.rested(ann, path)).toMatchObject({ waitingFor: "budget" });
  released.resolve();
  expect(await films.rested(ann, first.path)).toMatchObject({ status: "done" });
  for (const { path } of others) {
    expect(await ended(ann, path)).toMatchObject({ status: "done", spent: { amount: "0.000047" } });
  }
  expect(await (await ann.request(`/api/projects/${projectId}/budget`)).json()).toMatchObject({ spent: "0.000141" });
});

test("a film that waits for the budget of a month goes on in the next one", async () => {
  const { ann, budget, path, film } = await waitingFilm();
  await ann.json("PUT", budget, { ...tooLittle, period: "month" });
  const waiting = await films.rested(ann, path);
  expect(waiting).toMatchObject({ waitingFor: "budget" });
  expect(await resumeUnderBudgets(service.services, { before: monthStart(waiting.updatedAt) })).toBe(0);
  expect(await resumeUnderBudgets(service.services, { before: waiting.updatedAt + 1 })).toBeGreaterThan(0);
  expect(await films.rested(ann, path)).toMatchObject({ waitingFor: "budget", id: film.id } satisfies Json);
});

test("a film that has no room for its video waits, and goes on by itself once there is some", async () => {
  const ann = await films.register();
  const { id: projectId } = await (await ann.json("POST", "/api/projects", { name: "Cups" })).json();
  const assets = `/api/projects/${projectId}/assets`;
  const file = new File([await wav().bytes(), new Uint8Array(491_500)], "sound.wav");
  const upload = await ann.request(assets, { method: "POST", body: formOf({ file }) });
  const before = films.counts();
  const { path, film } = await films.order(ann, { models, fresh: true }, projectId);
  expect(await films.rested(ann, path)).toMatchObject({ waitingFor: "storage", spent: { amount: "0.150047" } });
  await expect(films.poll(film.id)).rejects.toMatchObject({ seconds: 15 });
  await ann.json("DELETE", `${assets}/${(await upload.json()).id}`);
  await films.poll(film.id);
  expect(await films.rested(ann, path)).toMatchObject({ status: "done", spent: { amount: "0.150047" } });
  expect(films.counts().image - before.image).toBe(3);
});

test("a film whose provider stays away loses its keys and then ends, however often it looks again", async () => {
  const ann = await films.register();
  provider.answer = (kind) => (kind === "image" ? Response.json({}, { status: 503 }) : undefined);
  const { path, film } = await films.order(ann, { models, fresh: true });
  const waiting = await films.rested(ann, path);
  const begun = waiting.steps.flatMap(({ attempts }: Json) => attempts.map(({ startedAt }: Json) => startedAt));
  const since = Math.max(...begun);
  expect([waiting.waitingFor, waiting.updatedAt > since]).toEqual(["provider", true]);
  await service.services.films.expireKeys(since + 1);
  expect(await service.services.films.keys(film.id)).toEqual({});
  expect(await films.rested(ann, path)).toMatchObject({ status: "waiting", waitingFor: "key" });

  await ann.json("POST", `${path}/keys`, undefined, filmKeys);
  expect(await films.rested(ann, path)).toMatchObject({ waitingFor: "provider" });
  await service.services.films.endWaiting(since + 1);
  expect(await films.rested(ann, path)).toMatchObject({ status: "error", code: "waited_too_long" });
});

test("a film that goes on after a wait no longer says what it waited for", async () => {
  const ann = await films.register();
  provider.answer = (kind) => (kind === "image" ? Response.json({}, { status: 503 }) : undefined);
  const { path, film } = await films.order(ann, { models, fresh: true });
  expect(await films.rested(ann, path)).toMatchObject({ waitingFor: "provider" });
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<undefined>();
  provider.answer = (kind) => {
    if (kind === "image") asked.resolve();
    return answered.promise;
  };
  const polled = films.poll(film.id);
  await asked.promise;
  const running = await (await ann.request(path)).json();
  answered.resolve(undefined);
  await polled;
  expect([running.status, running.waitingFor, running.waitingReason]).toEqual(["running", undefined, undefined]);
});
