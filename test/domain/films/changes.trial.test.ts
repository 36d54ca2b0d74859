import { afterAll, expect, test } from "bun:test";
import { orderFilm } from "../../support/films.ts";
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

const onePicture = { scenes: 1, captions: false, models: { video: false }, resolution: { width: 36, height: 64 } };

test("a video that is requested while its film is cancelled is removed", async () => {
  const ann = await service.register();
  const begun = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  beforeExport = async () => {
    begun.resolve();
    await cancelled.promise;
  };
  const { path, response } = await orderFilm(ann, onePicture);
  expect(response.status).toBe(202);
  await begun.promise;
  expect((await ann.request(`${path}/cancel`, { method: "POST" })).status).toBe(200);
  cancelled.resolve();
  expect((await ann.request(`/api/exports/${await removed.promise}`)).status).toBe(404);
});
