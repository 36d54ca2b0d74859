import { afterAll, afterEach, expect, test } from "bun:test";
import { goOnUnderBudgets } from "../../../src/domain/films/budget-waits.ts";
import { monthStart } from "../../../src/domain/ledger/ledger.ts";
import { type Json, paidFilms } from "../../support/paid-films.ts";

const films = await paidFilms();
const { provider, service } = films;
afterAll(films.close);
afterEach(provider.reset);

const models = { llm: { provider: "openai" }, image: { provider: "openai" }, video: false };
const tooLittle = { limit: "0.14", period: "total" };

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

test("a film that waits for the budget of a month goes on in the next one", async () => {
  const { ann, budget, path, film } = await waitingFilm();
  await ann.json("PUT", budget, { ...tooLittle, period: "month" });
  const waiting = await films.rested(ann, path);
  expect(waiting).toMatchObject({ waitingFor: "budget" });
  expect(await goOnUnderBudgets(service.services, { before: monthStart(waiting.updatedAt) })).toBe(0);
  expect(await goOnUnderBudgets(service.services, { before: waiting.updatedAt + 1 })).toBeGreaterThan(0);
  expect(await films.rested(ann, path)).toMatchObject({ waitingFor: "budget", id: film.id } satisfies Json);
});
