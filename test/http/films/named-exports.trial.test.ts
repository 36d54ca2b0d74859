import { afterAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import { cancelFilm, removeFilm } from "../../../src/domain/films/changes.ts";
import { requireFilm } from "../../../src/domain/films/film.ts";
import { sweepUnnamedExports } from "../../../src/storage/files/orphans.ts";
import { exportJobs } from "../../../src/storage/tables/exports.ts";
import { restedBatch } from "../../support/batches.ts";
import { filmProject, restedFilm, smallFilm } from "../../support/films.ts";
import { exportsOf } from "../../support/media/instant-exports.ts";
import { type TestUser, testService } from "../../support/service.ts";
import { requireJson } from "../../support/work-videos.ts";

/** Where an export is rendered, before it ends. */
let whileRendered = async () => {};
const service = await testService({}, undefined, (services) => {
  let videos = 0;
  const { renderer, ...exports } = exportsOf(() => `Video ${++videos}`)(services);
  const render: typeof renderer.render = async (...given) => {
    await whileRendered();
    return renderer.render(...given);
  };
  return { ...exports, renderer: { ...renderer, render } };
});
const { services, db, files } = { ...service, files: service.services.files };
afterAll(() => service.close());

const exportsLeft = async ({ user: { id } }: TestUser) =>
  (await db.select({ id: exportJobs.id }).from(exportJobs).where(eq(exportJobs.userId, id))).map((row) => row.id);

async function smallOrder(user: TestUser) {
  const { projectId, base } = await filmProject(user);
  const { id } = await requireJson(user.json("POST", base, smallFilm));
  return { projectId, path: `${base}/${id}`, read: () => requireFilm(services.films, projectId, id) };
}

test("a film that has ended since it was read is removed with its video", async () => {
  const ann = await service.register();
  const { path, read } = await smallOrder(ann);
  const early = await read();
  await restedFilm(ann, path);
  expect(await exportsLeft(ann)).toHaveLength(1);
  await removeFilm(services, early);
  expect(await exportsLeft(ann)).toEqual([]);
});

test("no film that is cancelled, retried, removed, or left by its process has a video that nobody names", async () => {
  const orders = fc.array(fc.constantFrom("cancel", "retry", "remove", "kill", "wait"), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(orders, fc.boolean(), async (actions, isEarly) => {
      const ann = await service.register();
      const rendering = Promise.withResolvers<void>();
      const goesOn = Promise.withResolvers<void>();
      whileRendered = async () => {
        rendering.resolve();
        await goesOn.promise;
      };
      const { path, read } = await smallOrder(ann);
      await rendering.promise;
      const begun = await read();
      let isKilled = false;
      let isRemoved = false;
      for (const action of actions) {
        // the process that asked for the export hears nothing of this
        if (action === "kill" && !isKilled) isKilled = (await services.films.acquire(begun.id)) !== undefined;
        if (action === "cancel" && !isRemoved) await cancelFilm(services, isEarly ? begun : await read());
        if (action === "retry") await ann.json("POST", `${path}/steps/export/retry`, {});
        if (action === "remove" && !isRemoved) {
          await removeFilm(services, begun);
          isRemoved = true;
        }
        if (action === "wait") goesOn.resolve();
        if (action === "wait" && !isKilled && !isRemoved) await restedFilm(ann, path);
      }
      goesOn.resolve();
      if (!isRemoved && isKilled) await cancelFilm(services, await read());
      if (!isRemoved) await restedFilm(ann, path);
      await ended(ann);
      await sweepUnnamedExports(db, files, Date.now());
      const named = isRemoved ? [] : ((await read()).exportId ?? []);
      expect(await exportsLeft(ann)).toEqual([named].flat());
    }),
    { numRuns: 8 },
  );
});

/** Once none of the user's exports runs. */
async function ended(user: TestUser): Promise<void> {
  for (const id of await exportsLeft(user)) await (await user.request(`/api/exports/${id}/events`)).text();
}

test("a table that has ended shows the video of a film that was made again, and takes it along", async () => {
  whileRendered = async () => {};
  const ann = await service.register();
  const { projectId } = await filmProject(ann);
  const base = `/api/projects/${projectId}/batches`;
  const film = { ...smallFilm, brief: { text: "{{name}}: it folds." } };
  const order = { rows: [{ name: "Velo" }], base: { film } };
  const { id } = await requireJson(ann.json("POST", base, order));
  expect((await restedBatch(ann, `${base}/${id}`)).status).toBe("done");
  const itemOf = async () => (await requireJson(ann.request(`${base}/${id}/films`))).films[0];
  const before = await itemOf();
  const path = `/api/projects/${projectId}/films/${before.filmId}`;
  await requireJson(ann.json("POST", `${path}/steps/export/retry`, {}));
  const made = await restedFilm(ann, path);
  await ended(ann);
  const after = await itemOf();
  expect([after.exportId, after.exportId === before.exportId]).toEqual([made.exportId, false]);
  const video = await (await ann.request(`${path}/file`)).text();
  expect(after.sha256).toBe(new Bun.CryptoHasher("sha256").update(video).digest("hex"));
  expect(await exportsLeft(ann)).toEqual([made.exportId]);
  await sweepUnnamedExports(db, files, Date.now());
  expect(await exportsLeft(ann)).toEqual([made.exportId]);
  expect((await ann.request(`${base}/${id}`, { method: "DELETE" })).status).toBe(204);
  expect(await exportsLeft(ann)).toEqual([]);
});
