import { expect } from "bun:test";
import { eq, inArray } from "drizzle-orm";
import type { Film } from "../../../src/domain/films/film.ts";
import { newId } from "../../../src/domain/shared/ids.ts";
import { assetStore } from "../../../src/storage/assets/store.ts";
import type { Database } from "../../../src/storage/database/database.ts";
import { readTotal, storageUsageStore } from "../../../src/storage/database/storage-usage.ts";
import { isOfUser } from "../../../src/storage/exports/job-rows.ts";
import { filmStore } from "../../../src/storage/films/store.ts";
import { generatedMediaStore } from "../../../src/storage/generated-media/store.ts";
import { projectStore } from "../../../src/storage/projects/store.ts";
import { removalStore } from "../../../src/storage/removals/store.ts";
import { users } from "../../../src/storage/tables/accounts.ts";
import { exportFiles, exportJobs } from "../../../src/storage/tables/exports.ts";
import { films } from "../../../src/storage/tables/films.ts";
import { idempotencyKeys } from "../../../src/storage/tables/idempotency.ts";
import { projects, templates, works } from "../../../src/storage/tables/projects.ts";
import { sharedFiles, storageTotals } from "../../../src/storage/tables/usage.ts";
import { templateStore } from "../../../src/storage/templates/store.ts";
import { workMediaStore } from "../../../src/storage/works/media-store.ts";
import { workStore } from "../../../src/storage/works/store.ts";
import { summedStorage } from "../../support/summed-storage.ts";
import { addUser, aFile, aFilm, anAsset, aProject, aTemplate, aWork, queuedExport } from "../samples.ts";

const queues = { ready: async () => {}, send: async () => {} };
const outbox = { enqueueChange: async (_: unknown, __: unknown, after: Film) => after };

/** What a random number chooses of the rows that are there. */
export type Choice = { readonly operation: string; readonly at: number; readonly size: number };

/** Two users, and what may happen to their rows. */
async function world(db: Database) {
  const owners = [(await addUser(db)).id, (await addUser(db)).id];
  const pick = <Value>(values: readonly Value[], { at }: Choice): Value | undefined => values[at % values.length];
  const projectOf = async (choice: Choice) => {
    const rows = await db.select().from(projects).where(inArray(projects.userId, owners)).orderBy(projects.id);
    return pick(rows, choice)?.id;
  };
  const workOf = async (choice: Choice) => {
    const projectId = await projectOf(choice);
    if (!projectId) return undefined;
    return pick(await db.select().from(works).where(eq(works.projectId, projectId)).orderBy(works.id), choice);
  };
  // few hashes and sizes, so that files are shared
  const fileIn = (folder: string, size: number) =>
    aFile(`${folder}/${newId("media")}.png`, { sizeBytes: 10 + (size % 3), sha256: `hash ${size % 3}` });
  const textOf = (size: number) => "x".repeat((size % 3) * 8_000);
  const owner = (choice: Choice) => owners[choice.at % 2]!;
  const slotOf = ({ at }: Choice) => `scene/${at % 3}/image` as const;
  const same = <Value>(value: Value) => value;

  const operations: { readonly [name: string]: (choice: Choice) => Promise<unknown> } = {
    addProject: (choice) => projectStore(db).add(aProject(owner(choice), { knowledge: textOf(choice.size) })),
    changeProject: async (choice) => {
      const id = await projectOf(choice);
      const edit = (found: ReturnType<typeof aProject>) => ({ ...found, knowledge: textOf(choice.size) });
      for (const user of owners) if (id) await projectStore(db).change(user, id, edit);
    },
    removeProject: async (choice) => {
      const id = await projectOf(choice);
      for (const user of owners) if (id) await projectStore(db).remove(user, id, () => {});
    },
    deleteProject: async (choice) => {
      const id = await projectOf(choice);
      if (id) await db.delete(projects).where(eq(projects.id, id));
    },
    removeBatch: () => removalStore(db, { ready: async () => {} }).removeBatch(),
    addWork: async (choice) => {
      const id = await projectOf(choice);
      if (id) await workStore(db).add(aWork(id, { productDescription: textOf(choice.size) }));
    },
    changeWork: async (choice) => {
      const work = await workOf(choice);
      const edit = (found: ReturnType<typeof aWork>) => ({ ...found, productDescription: textOf(choice.size) });
      if (work) await workStore(db).change(work.projectId, work.id, edit);
    },
    removeWork: async (choice) => {
      const work = await workOf(choice);
      if (work) await workStore(db).remove(work.projectId, work.id, () => {});
    },
    addTemplate: async (choice) => {
      const id = await projectOf(choice);
      if (id) await templateStore(db).add(aTemplate(id, { description: textOf(choice.size) }));
    },
    deleteTemplates: async (choice) => {
      const id = await projectOf(choice);
      if (id) await db.delete(templates).where(eq(templates.projectId, id));
    },
    addAsset: async (choice) => {
      const id = await projectOf(choice);
      if (id) await assetStore(db).add(anAsset(id, { file: fileIn(id, choice.size) }));
    },
    removeAsset: async (choice) => {
      const id = await projectOf(choice);
      const asset = id && pick((await assetStore(db).list(id, {}, { limit: 50 })).items, choice);
      if (id && asset) await assetStore(db).remove(id, asset.id, () => {});
    },
    putMedia: async (choice) => {
      const work = await workOf(choice);
      if (!work) return;
      const media = { slot: slotOf(choice), file: fileIn(work.projectId, choice.size), createdAt: 1 };
      await workMediaStore(db).put(work.projectId, work.id, media, same);
    },
    linkMedia: async (choice) => {
      const work = await workOf(choice);
      if (!work) return;
      const file = fileIn(work.projectId, choice.size);
      const media = { slot: slotOf(choice), file, createdAt: 1, origin: { inputHash: "hash" } };
      await workMediaStore(db).put(work.projectId, work.id, media, same);
    },
    removeMedia: async (choice) => {
      const work = await workOf(choice);
      if (work) await workMediaStore(db).remove(work.projectId, work.id, slotOf(choice), same);
    },
    addExport: async (choice) => {
      const project = pick(await db.select().from(projects).where(inArray(projects.userId, owners)), choice);
      if (!project) return;
      const { files: _, ...job } = queuedExport({ userId: project.userId!, projectId: project.id });
      await db.insert(exportJobs).values({ ...job, request: { ...job.request, name: textOf(choice.size) } });
      for (const target of ["9:16", "1:1"] as const) {
        const { key: fileKey, sizeBytes } = fileIn(project.id, choice.size);
        await db.insert(exportFiles).values({ exportId: job.id, target, fileKey, sizeBytes });
      }
    },
    deleteExports: async (choice) => {
      const id = await projectOf(choice);
      if (id) await db.delete(exportJobs).where(eq(exportJobs.projectId, id));
    },
    addFilm: async (choice) => {
      const project = pick(await db.select().from(projects).where(inArray(projects.userId, owners)), choice);
      if (!project) return;
      const { order, ...film } = aFilm({ userId: project.userId!, projectId: project.id });
      const text = textOf(choice.size);
      await filmStore(db, queues, outbox).add({ ...film, order: { ...order, brief: { text } } }, {});
    },
    removeFilm: async (choice) => {
      const film = pick(await db.select().from(films).where(inArray(films.userId, owners)), choice);
      if (film) await filmStore(db, queues, outbox).remove(film);
    },
    keepResponse: async (choice) => {
      const project = pick(await db.select().from(projects).where(inArray(projects.userId, owners)), choice);
      if (!project) return;
      const { key: fileKey, sizeBytes } = fileIn(project.id, choice.size);
      const key = { userId: project.userId!, key: newId("evt"), fingerprint: "f", claimId: "c" };
      await db.insert(idempotencyKeys).values({ ...key, leasedUntil: 0, checkpoints: {}, expiresAt: 1 });
      await db.update(idempotencyKeys).set({ fileKey, sizeBytes }).where(eq(idempotencyKeys.key, key.key));
    },
    expireResponses: (choice) => db.delete(idempotencyKeys).where(eq(idempotencyKeys.userId, owner(choice))),
    addMedia: (choice) => {
      const userId = owner(choice);
      const media = {
        id: newId("media"),
        userId,
        file: fileIn(userId, choice.size),
        createdAt: 1,
        expiresAt: choice.at,
      };
      return generatedMediaStore(db).add(media);
    },
    expireMedia: async ({ at }) => {
      const expired = await generatedMediaStore(db).listExpired(at);
      await generatedMediaStore(db).removeExpired(
        expired.map(({ id }) => id),
        at,
      );
    },
  };
  return { owners, operations };
}

export type StorageHistory = { readonly names: readonly string[]; run(chosen: readonly Choice[]): Promise<void> };

/** Runs operations on the rows of two new users, and compares the totals that are kept with the sums after each. */
export async function storageHistory(db: Database): Promise<StorageHistory> {
  const usage = storageUsageStore(db);
  const run = async (chosen: readonly Choice[]) => {
    const { owners, operations } = await world(db);
    const begin = ["addProject", "addProject", "addWork", "addWork", "addWork"].map((operation, at) => ({
      ...{ operation, at, size: at },
    }));
    for (const choice of [...begin, ...chosen]) {
      await operations[choice.operation]!(choice);
      for (const id of owners) expect([choice, await usage.read(id)]).toEqual([choice, await summedStorage(db, id)]);
      for (const id of owners) {
        const { files } = await readTotal(db, id, "exportJobs");
        expect([choice, files]).toEqual([choice, await db.$count(exportJobs, isOfUser(id))]);
      }
    }
    await db.delete(users).where(inArray(users.id, owners));
    const left = await db.select().from(storageTotals).where(inArray(storageTotals.ownerId, owners));
    expect(left).toEqual([]);
  };
  return { names: Object.keys((await world(db)).operations), run };
}

/** Nothing is kept of accounts that are gone. */
export async function keptTotals(db: Database): Promise<readonly number[]> {
  while ((await removalStore(db, { ready: async () => {} }).removeBatch()) !== undefined);
  return await Promise.all([db.$count(sharedFiles), db.$count(storageTotals)]);
}
