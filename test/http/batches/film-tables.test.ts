import { afterAll, beforeAll, expect, test } from "bun:test";
import { DomainError } from "../../../src/errors.ts";
import { restedBatch } from "../../support/batches.ts";
import { eventsOf } from "../../support/events.ts";
import { smallFilm } from "../../support/films.ts";
import { type Json, paidFilms, paidOrder, secret } from "../../support/paid-films.ts";
import type { TestUser } from "../../support/service.ts";
import { requireJson } from "../../support/work-videos.ts";

/** Runs when the order of a batch is stored. */
let beforeStored = () => {};
let hasEnded = false;
/** Runs when a batch has looked for films that can begin. */
let afterLook = async () => {};
/** Runs the change with which somebody lets a film go on. */
let wakeFilm = <T>(wake: () => Promise<T>) => wake();
const { provider, service, counts, close } = await paidFilms({}, ({ models, batches, films }) => ({
  models: {
    ...models,
    select(kind, choice) {
      if (!hasEnded || kind !== "image") return models.select(kind, choice);
      throw new DomainError("provider_model_unavailable", {
        provider: "OpenAI",
        model: "m",
        models: [],
        byDefault: false,
      });
    },
  },
  batches: {
    ...batches,
    async add(...added) {
      beforeStored();
      await batches.add(...added);
    },
    async itemsWith(id, status, limit, onlyPreview) {
      const items = await batches.itemsWith(id, status, limit, onlyPreview);
      if (status === "waiting") await afterLook();
      return items;
    },
  },
  films: {
    ...films,
    change(film, edit, options) {
      const change = () => films.change(film, edit, options);
      return options?.wake ? wakeFilm(change) : change();
    },
  },
}));
let ann: TestUser;
let path: string;

beforeAll(async () => {
  ann = await service.register();
  provider.scenes = 1;
  const { id } = await requireJson(ann.json("POST", "/api/projects", { name: "Cups" }));
  path = `/api/projects/${id}/batches`;
});

afterAll(close);

const llmKeys = { "x-api-key": secret };
const models = { llm: { provider: "openai" }, image: { provider: "openai" }, video: false };
const order = { ...paidOrder, scenes: 1, models, brief: { text: "{{name}}: {{fact}}" } };
const rows = [
  { name: "Cup", fact: "it keeps warm." },
  { name: "Pot", fact: "it pours well." },
];
const table = { base: { film: order }, rows, keyColumn: "name", targets: ["9:16", "1:1"] };

const send = (body: object) => ann.json("POST", path, body, llmKeys);
const ordered = async (body: object): Promise<string> => `${path}/${(await requireJson(send(body))).id}`;
const filmsOf = async (batch: string): Promise<Json[]> => (await requireJson(ann.request(`${batch}/films`))).films;

test("each row is a film from a brief, in all targets, paid once; the same rows are unchanged", async () => {
  const report = await requireJson(ann.json("POST", `${path}/validate`, table, llmKeys));
  expect(report.counts).toEqual({ rows: 2, films: 4, valid: 4, invalid: 0, unchanged: 0 });
  expect(Number(report.estimate.low)).toBeGreaterThan(0);
  expect(counts().scenario).toBe(0);

  const batch = await ordered(table);
  const rested = await restedBatch(ann, batch);
  expect(rested).toMatchObject({ status: "done", counts: { done: 4 }, spent: { amount: `${provider.billed()}` } });
  expect(rested.workId).toBeUndefined();
  expect(counts()).toMatchObject({ scenario: 2, image: 2, video: 0 });
  const films = await filmsOf(batch);
  expect(films.map(({ key, target }) => `${key} ${target}`)).toEqual(["Cup 9:16", "Cup 1:1", "Pot 9:16", "Pot 1:1"]);
  expect(films[0].filmId).toBe(films[1].filmId);
  expect(films[1].cost).toBe("0.00");
  expect(Number(films[0].cost) + Number(films[2].cost)).toBeCloseTo(provider.billed(), 6);
  expect((await ann.request(films[3].url)).headers.get("content-type")).toBe("video/mp4");
  const film = await requireJson(ann.request(`${path.replace("/batches", "/films")}/${films[0].filmId}`));
  expect(film).toMatchObject({ status: "done", name: "Cup" });

  const before = counts();
  const again = await ordered(table);
  expect((await restedBatch(ann, again)).counts).toMatchObject({ unchanged: 4 });
  expect(counts()).toEqual(before);
  const project = path.replace("/batches", "");
  await requireJson(ann.json("PUT", project, { imageSystemPrompt: "Photograph it at night." }));
  const prompted = await requireJson(ann.json("POST", `${path}/validate`, table, llmKeys));
  expect(prompted.counts).toMatchObject({ valid: 4, unchanged: 0 });
  expect((await ann.json("DELETE", batch)).status).toBe(204);
  expect((await ann.request(films[0].url)).status).toBe(200);
});

test("all rows are read as orders before one is paid, and fields without a column are wrong at once", async () => {
  const before = counts();
  const wrong = await send({ ...table, base: { film: { ...order, seconds: 1 } } });
  expect([wrong.status, (await wrong.json()).details[0].path]).toEqual([400, "base.film.seconds"]);
  const missing = await ordered({
    ...table,
    rows: [
      { name: "Jug", fact: "x" },
      { name: "Mug", fact: "y" },
    ],
    budget: { limit: 0 },
  });
  const batch = await restedBatch(ann, missing);
  expect(batch).toMatchObject({ status: "waiting", waitingFor: "budget", counts: { invalid: 0 } });
  expect(counts()).toEqual(before);
});

test("a film that waits is told with its sentence, and goes on with a higher budget, or ends with its table", async () => {
  const waiting = await ordered({
    ...table,
    rows: [{ name: "Vase", fact: "it stands." }],
    targets: ["9:16"],
    budget: { limit: 0 },
  });
  expect(await restedBatch(ann, waiting)).toMatchObject({ status: "waiting", waitingFor: "budget" });
  const [film] = await filmsOf(waiting);
  expect(film).toMatchObject({
    status: "waiting",
    waitingFor: "budget",
    waitingReason: expect.stringContaining("batch"),
  });
  await requireJson(ann.json("PUT", waiting, { budget: { limit: 5 } }));
  const told = await Array.fromAsync(eventsOf(await ann.request(`${waiting}/events`)));
  expect(told.at(-1)!.data).toMatchObject({ status: "done", budget: { limit: "5.00" } });

  const stopped = await ordered({
    ...table,
    base: { film: { ...order, stopAt: ["scenario"] } },
    rows: [{ name: "Bowl", fact: "it is round." }],
  });
  expect(await restedBatch(ann, stopped)).toMatchObject({ status: "waiting", waitingFor: "approval" });
  const [bowl] = await filmsOf(stopped);
  expect((await ann.json("POST", `${stopped}/cancel`)).status).toBe(200);
  const filmPath = `${path.replace("/batches", "/films")}/${bowl.filmId}`;
  expect(await requireJson(ann.request(filmPath))).toMatchObject({ status: "cancelled" });
});

test("a film that goes on while its table looks for films that can begin is made, and the table asks for no approval", async () => {
  const rows = [{ name: "Jar", fact: "it closes." }];
  const waiting = await ordered({ ...table, rows, targets: ["9:16"], budget: { limit: 0 } });
  expect(await restedBatch(ann, waiting)).toMatchObject({ waitingFor: "budget" });
  const looked = Promise.withResolvers<void>();
  const woken = Promise.withResolvers<void>();
  afterLook = () => {
    looked.resolve();
    return woken.promise;
  };
  wakeFilm = (wake) => looked.promise.then(wake).finally(woken.resolve);
  await requireJson(ann.json("PUT", waiting, { budget: { limit: 5 } }));
  expect(await restedBatch(ann, waiting)).toMatchObject({ status: "done", counts: { done: 1 } });
  afterLook = async () => {};
  wakeFilm = (wake) => wake();
});

test("a check of a table names what the films of its rows will not tell", async () => {
  const fact = "the city bike that folds. Made in Leeds. £890. Ships in two days to every town.";
  const base = { film: { ...smallFilm, brief: { text: "{{name}}: {{fact}}" } } };
  const rows = [
    { name: "Velo Nord", fact },
    { name: "Velo Nord Mini", fact: "the city bike that folds." },
  ];
  const { warnings } = await requireJson(ann.json("POST", `${path}/validate`, { base, rows, keyColumn: "name" }));
  const message = 'Neither shown nor said in the film: "Ships in two days to every town."';
  const untold = { row: 1, key: "Velo Nord", column: "name", path: "brief.text", code: "brief_not_shown", message };
  expect(warnings.filter(({ code }: Json) => code === "brief_not_shown")).toEqual([untold]);
});

test("a retry of a table that waits for a step of its films makes the failed steps again", async () => {
  provider.answer = (kind) =>
    kind === "image" ? Response.json({ error: { message: "No." } }, { status: 400 }) : undefined;
  const rows = [
    { name: "Lid", fact: "it fits." },
    { name: "Tray", fact: "it carries." },
  ];
  const base = { film: { ...order, fresh: true } };
  const batch = await ordered({ ...table, base, rows, targets: ["9:16"] });
  expect(await restedBatch(ann, batch)).toMatchObject({ status: "waiting", waitingFor: "step" });
  provider.answer = () => undefined;
  const before = counts();
  await requireJson(ann.json("POST", `${batch}/retry`, undefined, llmKeys));
  const told = await Array.fromAsync(eventsOf(await ann.request(`${batch}/events`)));
  expect(told.at(-1)!.data).toMatchObject({ status: "done", counts: { done: 2 } });
  expect([counts().scenario - before.scenario, counts().image - before.image]).toEqual([0, 2]);
});

test("where a model has ended since the order, its rows say so", async () => {
  beforeStored = () => {
    hasEnded = true;
  };
  const batch = await ordered(table);
  const rested = await restedBatch(ann, batch);
  [hasEnded, beforeStored] = [false, () => {}];
  expect(rested).toMatchObject({ status: "error", counts: { invalid: 4 } });
  const [film] = await filmsOf(batch);
  expect(film.error).toMatchObject({ row: 1, path: "models", code: "provider_model_unavailable" });
});
