import { afterAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import fc from "fast-check";
import type { Checkpoint } from "../../../src/domain/idempotency/checkpoints.ts";
import { userStore } from "../../../src/storage/accounts/users.ts";
import { withEntries, withMissingEntries } from "../../../src/storage/database/json-entries.ts";
import { filmStore } from "../../../src/storage/films/store.ts";
import { projectStore } from "../../../src/storage/projects/store.ts";
import { filmSteps } from "../../../src/storage/tables/films.ts";
import { freshDatabase } from "../../support/database.ts";
import { aFilm, aProject, aUser } from "../samples.ts";

const database = await freshDatabase();
afterAll(() => database.close());
const { db } = database;

const queues = { ready: async () => {}, send: async () => {} };
const films = filmStore(db, queues, { enqueueChange: async (_, __, after) => after });
const { id: userId } = (await userStore(db).add(aUser()))!;
const { id: projectId } = await projectStore(db).add(aProject(userId));
const film = { ...aFilm({ userId, projectId }), attempt: 1, status: "running" as const };
const step = { id: "one", kind: "image" as const, scene: 0, status: "running" as const, dependsOn: [], attempts: [] };
await films.add({ ...film, steps: [{ ...step, checkpoints: {} }] }, {});
const isStep = eq(filmSteps.id, "one");

type Entries = Record<string, Checkpoint | undefined>;
const stored = async () => (await films.find(projectId, film.id))!.steps[0]!.checkpoints;
const put = (checkpoints: Record<string, Checkpoint>) => db.update(filmSteps).set({ checkpoints }).where(isStep);

const names = fc.constantFrom("a", "b/again", "__proto__", "quote'\"", "ü");
const checkpoint: fc.Arbitrary<Checkpoint> = fc.oneof(
  fc.record({ state: fc.constant("started" as const), at: fc.nat() }),
  fc.record({ state: fc.constant("done" as const), result: fc.constantFrom("", "\ufffd", 1.5, null) }),
);
const entries = fc.array(fc.tuple(names, checkpoint), { maxLength: 4 }).map((all) => Object.fromEntries(all));

test("changed entries replace those of their names, undefined ones go, and all others stay", async () => {
  await fc.assert(
    fc.asyncProperty(entries, entries, fc.subarray(["a", "b/again"]), async (before, changed, removed) => {
      await put(before);
      const all: Entries = { ...changed, ...Object.fromEntries(removed.map((name) => [name, undefined])) };
      await db
        .update(filmSteps)
        .set({ checkpoints: withEntries(filmSteps.checkpoints, all) })
        .where(isStep);
      const expected = Object.entries({ ...before, ...all }).filter(([, value]) => value !== undefined);
      expect(await stored()).toEqual(Object.fromEntries(expected) as Record<string, Checkpoint>);
    }),
    { numRuns: 30 },
  );
});

test("missing entries are added, and those that are there stay as they are", async () => {
  await fc.assert(
    fc.asyncProperty(entries, entries, async (before, added) => {
      await put(before);
      await db
        .update(filmSteps)
        .set({ checkpoints: withMissingEntries(filmSteps.checkpoints, added) })
        .where(isStep);
      expect(await stored()).toEqual({ ...added, ...before });
    }),
    { numRuns: 30 },
  );
});

test("calls that begin in one moment each keep their checkpoint, in any order of their writes", async () => {
  await put({});
  const named = Array.from({ length: 8 }, (_, index) => `call ${index}`);
  await Promise.all(named.map((name) => films.saveCheckpoints(film, "one", { [name]: { state: "started", at: 1 } })));
  expect(Object.keys(await stored()).sort()).toEqual(named);
});
