import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Film, FilmStep, FilmStore } from "../../../src/domain/films/film.ts";
import { newId } from "../../../src/domain/shared/ids.ts";
import { userStore } from "../../../src/storage/accounts/users.ts";
import { filmStore } from "../../../src/storage/films/store.ts";
import { projectStore } from "../../../src/storage/projects/store.ts";
import { workStore } from "../../../src/storage/works/store.ts";
import { type FreshDatabase, freshDatabase } from "../../support/database.ts";
import { aFilm, aProject, aUser, aWork } from "../samples.ts";

let database: FreshDatabase;
let films: FilmStore;
let statements: number;

beforeAll(async () => {
  database = await freshDatabase();
  const queues = { ready: async () => void statements++, send: async () => {} };
  const outbox = { enqueueChange: async (_: unknown, __: unknown, after: Film) => after };
  films = filmStore(database.db, queues, outbox);
});
afterAll(() => database.close());

const stepNamed = (id: string, changes: Partial<FilmStep> = {}): FilmStep => ({
  ...{ id, kind: "image", scene: 0, status: "waiting", dependsOn: [], attempts: [], checkpoints: {} },
  ...changes,
});

async function aStoredFilm(): Promise<Film> {
  const user = await userStore(database.db).add(aUser());
  const project = await projectStore(database.db).add(aProject(user!.id));
  const film: Film = { ...aFilm({ userId: user!.id, projectId: project.id }), attempt: 1 };
  await films.add({ ...film, status: "running", steps: [stepNamed("one"), stepNamed("two")] }, {});
  // what was counted until here waited for the queues
  statements = 0;
  return (await films.find(project.id, film.id))!;
}

test("a film is added with its work, or neither is", async () => {
  const user = await userStore(database.db).add(aUser());
  const project = await projectStore(database.db).add(aProject(user!.id));
  const send = async () => {
    throw new Error("away");
  };
  const broken = filmStore(
    database.db,
    { ready: async () => {}, send },
    { enqueueChange: async (_, __, after) => after },
  );
  const works = workStore(database.db);
  const work = aWork(project.id);
  const film = { ...aFilm({ userId: user!.id, projectId: project.id }), workId: work.id, steps: [] };
  await expect(broken.add(film, {}, work)).rejects.toThrow();
  expect([await works.find(project.id, work.id), await films.find(project.id, film.id)]).toEqual([
    undefined,
    undefined,
  ]);
  expect(await films.add(film, {}, work)).toBe(true);
  expect((await works.find(project.id, work.id))?.id).toBe(work.id);
  const gone = { ...film, id: newId("film"), projectId: newId("proj") };
  expect(await films.add(gone, {}, aWork(gone.projectId))).toBe(false);
});

const withStep = (film: Film, id: string, changes: Partial<FilmStep>): Film => ({
  ...film,
  steps: film.steps.map((step) => (step.id === id ? { ...step, ...changes } : step)),
});

test("a film that nobody else has changed is written as it was seen, with its new steps and what later films find", async () => {
  const seen = await aStoredFilm();
  const { id, projectId } = seen;
  const wish = { seed: 7 };
  const changed = await films.change(
    { id, projectId, attempt: 1 },
    (film) => {
      const edited = withStep(film, "one", { status: "running", wish, force: true });
      return { ...edited, steps: [...edited.steps, stepNamed("three", { dependsOn: ["one"] })] };
    },
    { seen, results: [{ hash: "h", output: ["made"] }] },
  );
  // no transaction, which waits for the queues
  expect([statements, changed?.revision]).toEqual([0, seen.revision + 1]);
  const found = await films.find(projectId, id);
  expect(found).toEqual(changed!);
  expect(found?.steps.map(({ id, status }) => [id, status])).toEqual([
    ["one", "running"],
    ["two", "waiting"],
    ["three", "waiting"],
  ]);
  expect(await films.findResult({ id: "film_of_another", projectId }, "h")).toEqual({ output: ["made"] });
});

test("a film that has changed since it was seen loses nothing of that, and a lost attempt writes nothing", async () => {
  const seen = await aStoredFilm();
  const { id, projectId } = seen;
  await films.change({ id, projectId }, (film) => withStep({ ...film, name: "Other" }, "two", { status: "stale" }));
  const own = { id, projectId, attempt: 1 };
  const changed = await films.change(own, (film) => withStep(film, "one", { status: "done" }), { seen });
  expect(changed).toMatchObject({ name: "Other", steps: [{ status: "done" }, { status: "stale" }] });
  expect(await films.find(projectId, id)).toEqual(changed!);

  await films.acquire(id);
  expect(await films.change(own, (film) => ({ ...film, name: "Lost" }), { seen: changed })).toBeUndefined();
  expect(await films.find(projectId, id)).toMatchObject({ name: "Other" });
});
