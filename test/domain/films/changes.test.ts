import { afterAll, expect, test } from "bun:test";
import { approveFilm, cancelFilm } from "../../../src/domain/films/changes.ts";
import { requireFilm } from "../../../src/domain/films/film.ts";
import { orderFilm, restedFilm } from "../../support/films.ts";
import { testService } from "../../support/service.ts";

let beforeExport = async () => {};
const removed = Promise.withResolvers<string>();
const service = await testService({}, undefined, ({ exports }) => ({
  exports: {
    ...exports,
    async add(job, webhook) {
      await beforeExport();
      await exports.add(job, webhook);
    },
    async remove(userId, exportId, now) {
      const keys = await exports.remove(userId, exportId, now);
      removed.resolve(exportId);
      return keys;
    },
  },
}));
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

test("a video that is requested while its film is cancelled is removed", async () => {
  const ann = await service.register();
  const begun = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  beforeExport = async () => {
    begun.resolve();
    await cancelled.promise;
  };
  const { path } = await orderFilm(ann);
  await begun.promise;
  expect((await ann.request(`${path}/cancel`, { method: "POST" })).status).toBe(200);
  cancelled.resolve();
  expect((await ann.request(`/api/exports/${await removed.promise}`)).status).toBe(404);
});
