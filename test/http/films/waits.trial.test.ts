import { afterAll, expect, test } from "bun:test";
import { paidFilms } from "../../support/paid-films.ts";

const films = await paidFilms();
afterAll(films.close);

test("what is too much beside running calls begins once these have cost less than was reserved", async () => {
  const ann = await films.register();
  // a clip is reserved with the 15 seconds that it may have, 1.50, and costs 0.30
  const budget = { limit: "2.60" };
  const { path } = await films.order(ann, { fresh: true, budget });
  expect(await films.rested(ann, path)).toMatchObject({ status: "done", spent: { amount: "1.050452" } });
});
