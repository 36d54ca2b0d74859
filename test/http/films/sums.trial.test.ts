import { afterAll, afterEach, expect, test } from "bun:test";
import { allPaid, type Json, paidFilms } from "../../support/paid-films.ts";
import type { TestUser } from "../../support/service.ts";

const films = await paidFilms();
const { provider } = films;
afterAll(films.close);
afterEach(provider.reset);

const spendOf = async (user: TestUser, groupBy: string) =>
  (await user.request(`/api/spend?groupBy=${groupBy}`)).json() as Promise<Json>;

const sumOf = (amounts: readonly string[]) => amounts.reduce((sum, amount) => sum + Number(amount), 0);

test("what is settled is what films have spent, and what the provider's answers cost; what is unknown stands apart", async () => {
  const ann = await films.register();
  const { projectId, assetId } = await films.withPicture(ann);
  const before = provider.billed();
  const whole = await films.order(ann, { ...allPaid(assetId), fresh: true }, projectId);
  expect(await films.rested(ann, whole.path)).toMatchObject({ status: "done", spent: { amount: "1.080593" } });

  // a refusal, an error and a retry, which is paid
  let voices = 0;
  provider.answer = (kind) => {
    if (kind === "image") return Response.json({ error: { code: "moderation_blocked" } }, { status: 400 });
    if (kind === "voice" && voices++ === 0) return Response.json({ error: { message: "no" } }, { status: 503 });
    return undefined;
  };
  const refused = await films.order(ann, { fresh: true });
  let film = await films.rested(ann, refused.path, "provider");
  provider.reset();
  for (const { id, status } of film.steps) {
    if (status === "error") await ann.json("POST", `${refused.path}/steps/${id}/retry`);
  }
  film = await films.rested(ann, refused.path, "provider");
  expect(film.status).toBe("done");
  const scenario = `/api/projects/${projectId}/works/${whole.film.workId}/scenario`;
  const direct = await ann.json("POST", scenario, {}, { "x-llm-provider": "openai", "x-api-key": "sk" });
  expect([direct.status, direct.headers.get("x-cost")]).toEqual([200, "0.000047 USD"]);

  // cancelled while pictures are drawn: nobody knows what these cost
  let drawn = 0;
  let isDrawing = () => {};
  const areDrawn = new Promise<void>((resolve) => (isDrawing = resolve));
  provider.answer = (kind) => {
    if (kind !== "image") return undefined;
    if (++drawn === 3) isDrawing();
    return new Promise(() => {});
  };
  const models = { llm: { provider: "openai" }, image: { provider: "openai" }, video: false };
  const { path } = await films.order(ann, { models, fresh: true });
  await areDrawn;
  await ann.json("POST", `${path}/cancel`);
  const spend = await films.settledSpend(ann, "?groupBy=film");
  expect([spend.unknown, Number(spend.total)]).toEqual(["0.15", expect.closeTo(provider.billed() - before, 9)]);
  const spent = await Promise.all(
    [whole.path, refused.path, path].map(async (of) => (await (await ann.request(of)).json()).spent.amount),
  );
  const ofFilms = spend.groups.filter(({ key }: Json) => key !== null).map(({ amount }: Json) => amount);
  expect(sumOf(ofFilms)).toBeCloseTo(sumOf(spent), 9);
  for (const groupBy of ["day", "project", "model"]) {
    const { total, unknown, groups } = await spendOf(ann, groupBy);
    expect([total, unknown]).toEqual([spend.total, spend.unknown]);
    expect(sumOf(groups.map(({ amount }: Json) => amount))).toBeCloseTo(Number(total), 9);
  }
});
