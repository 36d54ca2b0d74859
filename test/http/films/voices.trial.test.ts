import { afterAll, expect, test } from "bun:test";
import { filmModels } from "../../support/models/film-provider.ts";
import { type Json, paidFilms } from "../../support/paid-films.ts";

const films = await paidFilms();
afterAll(films.close);

test("a film whose voices fit its scenes is as long as its order, and says nothing of it", async () => {
  const ann = await films.register();
  const { path } = await films.order(ann, { models: { ...filmModels, video: false } });
  const film = await films.rested(ann, path);
  expect([film.status, film.warnings.filter(({ path }: Json) => path === "seconds")]).toEqual(["done", []]);
});
