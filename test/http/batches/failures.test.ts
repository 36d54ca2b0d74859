import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { advanceBatch } from "../../../src/domain/batches/advance/advance.ts";
import { DomainError } from "../../../src/errors.ts";
import { productTable, restedBatch } from "../../support/batches.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { testService } from "../../support/service.ts";
import { formOf, png } from "../../support/uploads.ts";
import { numberedVideo, requireJson } from "../../support/work-videos.ts";

// biome-ignore lint/suspicious/noExplicitAny: JSON of a response
type Json = any;

let beforeExport: (exportId: string) => Promise<unknown> = async () => {};
let onRemoval: (exportId: string) => void = () => {};
let isFull = false;
const service = await testService({}, undefined, ({ exports, files }) => ({
  files: {
    ...files,
    async store(...file) {
      if (isFull) throw new DomainError("storage_full", {});
      return await files.store(...file);
    },
  },
  exports: {
    ...exports,
    async add(job, webhook) {
      await beforeExport(job.id);
      await exports.add(job, webhook);
    },
    async remove(userId, exportId, now) {
      const keys = await exports.remove(userId, exportId, now);
      onRemoval(exportId);
      return keys;
    },
  },
}));
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const { projectId, workId, path } = await productTable(ann, await numberedVideo(folder, 10));
const assets = `/api/projects/${projectId}/assets`;
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const picture = async (color: string): Promise<string> =>
  (await requireJson(ann.request(assets, { method: "POST", body: formOf({ file: png(8, 8, color) }) }))).id;

const image = { assetId: "{{picture}}", position: 0, end: 1, width: 8, height: 8, x: 0, y: 0 };
const base = { workId, export: { images: [image] } };

const order = async (body: object) => `${path}/${(await requireJson(ann.json("POST", path, { base, ...body }))).id}`;
const filmsOf = async (batch: string): Promise<Json[]> => (await requireJson(ann.request(`${batch}/films`))).films;

test("a picture that is removed in the middle costs its films, and no other", async () => {
  const [kept, removed] = [await picture("#ff0000"), await picture("#0000ff")];
  const rows = [0, 1, 2, 3, 4].map((price) => ({ name: "x", price, picture: kept }));
  const table = { rows: [...rows, { name: "", price: "", picture: removed }], stopAt: ["preview"], force: true };
  const batch = await order(table);
  expect(await restedBatch(ann, batch)).toMatchObject({ waitingAt: "preview", counts: { done: 3 } });
  const before = await filmsOf(batch);
  const [waiting] = before.filter(({ status }) => status === "waiting");
  expect(waiting).toBeDefined();
  const gone = before[5].status === "waiting" ? removed : kept;
  expect((await ann.request(`${assets}/${gone}`, { method: "DELETE" })).status).toBe(204);
  await ann.json("POST", `${batch}/approve`);
  const ended = await restedBatch(ann, batch);
  const films = await filmsOf(batch);
  const failed = films.filter(({ status }) => status === "error");
  expect(ended.status).toBe("partial");
  expect(failed.length).toBeGreaterThan(0);
  for (const { error } of failed) expect(error.code).toBe("asset_missing");
  expect(films.filter(({ status }) => status === "done")).toHaveLength(6 - failed.length);

  await ann.json("POST", `${batch}/retry`, { only: "failed" });
  await restedBatch(ann, batch);
  for (const { row } of failed) {
    expect((await filmsOf(batch))[row - 1]).toMatchObject({
      status: "invalid",
      error: { row, column: "picture", code: "asset_missing" },
    });
  }
});

test("three bad rows cost the others nothing, and are made by a retry once they are right", async () => {
  const pictures = [await picture("#00ff00"), await picture("#00ffff")];
  const rows = Array.from({ length: 20 }, (_, price) => ({ name: "y", price, picture: pictures[price % 2] }));
  const bad = [3, 9, 14];
  for (const at of bad) rows[at]!.picture = "asset_none";
  const batch = await order({ rows, concurrency: 8 });
  expect(await restedBatch(ann, batch)).toMatchObject({ status: "partial", counts: { done: 17, invalid: 3 } });
  const invalid = (await filmsOf(batch)).filter(({ status }) => status === "invalid");
  expect(invalid.map(({ row, error }) => [row - 1, error.column, error.code])).toEqual(
    bad.map((at) => [at, "picture", "asset_missing"]),
  );
  for (const at of bad) rows[at]!.picture = pictures[0];
  const corrected = await restedBatch(ann, await order({ rows, concurrency: 8 }));
  expect(corrected.counts).toMatchObject({ done: 3, unchanged: 17 });
});

test("a batch that is removed while it runs cancels its exports, and leaves nothing", async () => {
  const own = await picture("#ffff00");
  const rows = Array.from({ length: 20 }, (_, price) => ({ name: "z", price, picture: own }));
  const batch = await order({ rows, concurrency: 2 });
  const events = await ann.request(`${batch}/events`);
  const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; !/"done":[1-9]/.test(text); text = (await reader.read()).value ?? '"done":9');
  const urls = (await filmsOf(batch)).flatMap(({ url }) => url ?? []);
  expect((await ann.json("DELETE", batch)).status).toBe(204);
  await reader.cancel();
  expect(urls.length).toBeGreaterThan(0);
  for (const url of [batch, `${batch}/films`, ...urls]) expect((await ann.request(url)).status).toBe(404);
  // one that began at that moment is removed by who began it
  const openExports = async () => {
    const { exports } = await requireJson(ann.request("/api/exports?limit=100"));
    return exports.filter(({ status }: Json) => status === "queued" || status === "rendering");
  };
  while ((await openExports()).length > 0) await Bun.sleep(20);
});

test.each([
  ["DELETE", ""],
  ["POST", "/cancel"],
])("an export whose batch ends before it is there is not rendered (%s%s)", async (method, end) => {
  const own = await picture("#ff00ff");
  const begun = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<void>();
  const removed = Promise.withResolvers<string>();
  beforeExport = async (exportId) => {
    begun.resolve(exportId);
    await ended.promise;
  };
  onRemoval = removed.resolve;
  const batch = await order({ rows: [{ name: "w", price: end.length, picture: own }], force: true });
  const exportId = await begun.promise;
  expect((await ann.request(`${batch}${end}`, { method })).ok).toBe(true);
  ended.resolve();
  expect(await removed.promise).toBe(exportId);
  beforeExport = async () => {};
  expect((await ann.request(`/api/exports/${exportId}`)).status).toBe(404);
});

test("a batch whose disk is full waits, and makes all its films once there is room", async () => {
  const own = await picture("#00ff00");
  isFull = true;
  const batch = await order({
    rows: [1, 2, 3].map((price) => ({ name: "full", price, picture: own })),
    concurrency: 2,
  });
  const waiting = await restedBatch(ann, batch);
  expect(waiting).toMatchObject({ status: "waiting", waitingFor: "storage", counts: { waiting: 3, error: 0 } });
  isFull = false;
  await advanceBatch(service.services, waiting.id, new AbortController().signal);
  expect(await restedBatch(ann, batch)).toMatchObject({ status: "done", counts: { done: 3 } });
});

test("a template is laid over the work in the language of each film, with texts of the order and of columns", async () => {
  const timing = { timingMode: "relative", fontSize: 8 };
  const textOverlays = [
    { ...timing, id: "a", text: "{{claim}}", centerY: -8 },
    { ...timing, id: "b", text: "{{label}} {{name}}", centerY: 8 },
  ];
  await requireJson(ann.json("PUT", `/api/projects/${projectId}/works/${workId}`, { videoDuration: 1 }));
  const template = { name: "Sale", content: { textOverlays } };
  const { id: templateId } = await requireJson(ann.json("POST", `/api/projects/${projectId}/templates`, template));
  const values = { claim: { de: "Neu: {{name}}", en: "New: {{name}}" }, label: "#" };
  const table = {
    base: { workId, templateId, values },
    rows: [
      { name: "Rad", price: 1 },
      { name: "Helm", price: 2 },
    ],
  };
  const report = await requireJson(ann.json("POST", `${path}/validate`, { ...table, languages: ["de", "en"] }));
  expect([report.ok, report.errors]).toEqual([true, []]);
  const batch = await order({ ...table, languages: ["de", "en"] });
  expect(await restedBatch(ann, batch)).toMatchObject({ status: "done", counts: { done: 4 } });
  const films = await filmsOf(batch);
  expect(new Set(films.map(({ sha256 }) => sha256)).size).toBe(4);

  await requireJson(ann.json("PUT", `/api/projects/${projectId}/templates/${templateId}`, { name: "Sale 2" }));
  expect((await restedBatch(ann, await order({ ...table, languages: ["de", "en"] }))).counts.unchanged).toBe(4);
  const french = await requireJson(ann.json("POST", `${path}/validate`, { ...table, languages: ["fr"] }));
  expect(french.errors).toMatchObject([
    { row: 1, column: "claim", language: "fr", code: "missing_column" },
    { row: 2, column: "claim", language: "fr", code: "missing_column" },
  ]);
});
