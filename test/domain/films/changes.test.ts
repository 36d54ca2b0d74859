import { afterAll, expect, test } from "bun:test";
import { approveFilm, cancelFilm } from "../../../src/domain/films/changes.ts";
import { requireFilm } from "../../../src/domain/films/film.ts";
import { orderFilm, restedFilm } from "../../support/films.ts";
import { testService } from "../../support/service.ts";

const service = await testService();
afterAll(() => service.close());

test("a change by the user holds although another attempt began since the film was read", async () => {
  const ann = await service.register();
  const { path, film, projectId } = await orderFilm(ann, { stopAt: ["scenario"] });
  expect(await restedFilm(ann, path)).toMatchObject({ waitingFor: "approval" });
  const { services } = service;
  const read = await requireFilm(services.films, projectId, film.id);
  await services.films.acquire(read.id);
  expect(await approveFilm(services, read, {})).toMatchObject({ id: read.id, approved: ["scenario"] });
  expect(await cancelFilm(services, read)).toMatchObject({ id: read.id, status: "cancelled" });
});
