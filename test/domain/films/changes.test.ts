import { expect, test } from "bun:test";
import { approveFilm, cancelFilm, changeFilm } from "../../../src/domain/films/changes.ts";
import { requireFilm } from "../../../src/domain/films/film.ts";
import { newId } from "../../../src/domain/shared/ids.ts";
import { orderFilm, restedFilm } from "../../support/films.ts";
import { sharedService } from "../../support/service.ts";

const service = await sharedService();

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

test("a budget is not set below what is reserved while it is changed", async () => {
  const ann = await service.register();
  const { path, film, projectId } = await orderFilm(ann, { stopAt: ["scenario"], budget: { limit: 1 } });
  await restedFilm(ann, path);
  const { films, ledger } = service.services;
  const read = await requireFilm(films, projectId, film.id);
  const call = { id: newId("call"), userId: ann.user.id, projectId, filmId: film.id, stepId: "scene-0-image" };
  const reserve = () =>
    ledger.reserve({
      ...{ ...call, provider: "openai", model: "gpt-image-2.6-flare", purpose: "image" },
      ...{ estimate: 50_000n, holderId: "one", createdAt: Date.now() },
    });
  const change: typeof films.change = async (...args) => {
    await reserve();
    return await films.change(...args);
  };
  const lower = (maxSpend: bigint, changed = films) => changeFilm({ films: changed }, read, { maxSpend }, undefined);
  await expect(lower(49_999n, { ...films, change })).rejects.toMatchObject({ code: "validation_error" });
  expect(await lower(50_000n)).toMatchObject({ maxSpend: 50_000n });
});
