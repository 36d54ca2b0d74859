import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requireBatch } from "../../../src/domain/batches/batch.ts";
import { cancelBatch } from "../../../src/domain/batches/changes.ts";
import { productTable, restedBatch } from "../../support/batches.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { sharedService, type TestUser, testService } from "../../support/service.ts";
import { formOf } from "../../support/uploads.ts";
import { requireJson } from "../../support/work-videos.ts";

// biome-ignore lint/suspicious/noExplicitAny: JSON of a response
type Json = any;

/** Renders. */
const shared = await sharedService();
const service = await testService({}, undefined, instantExports);
let folder: string;
let ann: TestUser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "batches-"));
  ann = await service.register();
});

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const productWork = (user: TestUser = ann, words?: string) => productTable(user, undefined, words);

const rows = [
  { sku: "a", name_de: "Rad", name_en: "Bike", price: 19 },
  { sku: "b", name_de: "Helm", name_en: "Helmet", price: "29,50" },
];

async function order(path: string, body: object, user: TestUser = ann) {
  return await requireJson(user.json("POST", path, body));
}

const rested = (path: string, user: TestUser = ann) => restedBatch(user, path);

async function made(path: string, body: object, user: TestUser = ann) {
  const { id } = await order(path, body, user);
  const batch = await rested(`${path}/${id}`, user);
  const { films } = await requireJson(user.request(`${path}/${id}/films`));
  return { batch, films: films as Json[], path: `${path}/${id}` };
}

test("a table becomes a film for each row, language and target; what did not change keeps its file", async () => {
  const { base, path } = await productWork();
  const table = { base, rows, keyColumn: "sku", languages: ["de", "en"], targets: ["16:9", "1:1"] };
  const report = await requireJson(ann.json("POST", `${path}/validate`, table));
  expect(report).toMatchObject({ ok: true, errors: [], truncated: false });
  const place = { row: 2, key: "b", column: "price", language: "de", targets: ["16:9", "1:1"], path: "texts.1" };
  const runsInto = expect.stringContaining('The text runs into "Helm" by');
  expect(report.warnings).toContainEqual({ ...place, code: "text_overlap", message: runsInto });
  expect(report.counts).toEqual({ rows: 2, films: 8, valid: 8, invalid: 0, unchanged: 0 });
  expect(report.estimate).toMatchObject({ films: 8, renderSeconds: 8, high: "0.00" });
  const read = await requireJson(ann.json("POST", `${path}/validate?checkRows=0`, table));
  expect(read.counts).toEqual({ rows: 2, films: 8, valid: 0, invalid: 0, unchanged: 0 });
  expect([read.placeholders, read.columns]).toEqual([
    ["name", "price"],
    ["sku", "name_de", "name_en", "price"],
  ]);
  expect(read.sample[0]).toEqual({ sku: "a", name_de: "Rad", name_en: "Bike", price: "19" });

  const first = await made(path, table);
  expect([first.batch.status, first.batch.counts.done]).toEqual(["done", 8]);
  expect(first.films.map(({ key, language, target }) => [key, language, target].join(" ")).slice(0, 4)).toEqual([
    ...["a de 16:9", "a de 1:1", "a en 16:9", "a en 1:1"],
  ]);
  const archived = await ann.request(`${first.path}/archive.zip`);
  const zip = await archived.bytes();
  expect(archived.headers.get("content-length")).toBe(`${zip.length}`);
  const zipped = join(folder, "films.zip");
  await Bun.write(zipped, zip);
  const listing = await Bun.$`python3 -m zipfile -l ${zipped}`.text();
  expect(listing.match(/^\S+/gm)?.slice(1)).toEqual([
    ...first.films.map(({ fileName }) => fileName),
    ...["manifest.json", "manifest.csv"],
  ]);
  const manifest = await requireJson(ann.request(`${first.path}/manifest.json`));
  expect(manifest.films).toEqual(first.films);
  const [film] = first.films;
  expect(film).toMatchObject({ status: "done", fileName: "a_de_16x9.mp4", approval: "none", cost: "0.00" });
  const video = await ann.request(film.url);
  const bytes = await video.bytes();
  expect(video.headers.get("content-disposition")).toContain("a_de_16x9.mp4");
  expect(new Bun.CryptoHasher("sha256").update(bytes).digest("hex")).toBe(film.sha256);

  const again = await made(path, table);
  expect([again.batch.status, again.batch.counts.unchanged]).toEqual(["done", 8]);
  expect(again.films.map(({ sha256 }) => sha256)).toEqual(first.films.map(({ sha256 }) => sha256));

  const dearer = [{ ...rows[0], price: 20 }, rows[1]];
  const third = await made(path, { ...table, rows: dearer });
  expect(third.batch.counts).toMatchObject({ done: 4, unchanged: 4 });

  expect((await ann.json("DELETE", first.path)).status).toBe(204);
  expect((await ann.request(first.path)).status).toBe(404);
  expect((await ann.request(again.films[0].url)).status).toBe(200);
  expect((await ann.json("DELETE", again.path)).status).toBe(204);
  expect((await ann.request(again.films[0].url)).status).toBe(404);
  expect((await ann.request(third.films[4].url)).status).toBe(200);
});

test("invalid rows are explained with their column, and the others are made", async () => {
  const eve = await shared.register("Eve");
  const { base, path } = await productWork(eve);
  const broken = [rows[0], { sku: "c", name_de: "Korb", price: 5 }, { sku: "d", name_de: "x", name_en: "y" }];
  const table = { base, rows: broken, keyColumn: "sku", languages: ["de", "en"] };
  const { errors } = await requireJson(eve.json("POST", `${path}/validate`, table));
  expect(errors.map(({ row, key, column, language, code }: Json) => [row, key, column, language, code])).toEqual([
    [2, "c", "name", "en", "translation_missing"],
    [3, "d", "price", "de", "missing_column"],
    [3, "d", "price", "en", "missing_column"],
  ]);
  const { batch, films, path: own } = await made(path, table, eve);
  expect([batch.status, batch.counts.done, batch.counts.invalid]).toEqual(["partial", 3, 3]);
  expect(films[3]).toMatchObject({ status: "invalid", error: { row: 2, column: "name", code: "translation_missing" } });
  expect((await eve.json("POST", `${own}/retry`, { only: "failed" })).status).toBe(200);
  expect((await rested(own, eve)).counts).toMatchObject({ done: 3, invalid: 3 });
});

test("equal rows that begin together are rendered once", async () => {
  const { base, path } = await productWork();
  const { batch, films } = await made(path, { base, rows: [rows[0], rows[0], rows[1]], languages: ["de"] });
  expect(batch.counts).toMatchObject({ done: 2, unchanged: 1 });
  expect(films[1].exportId).toBe(films[0].exportId);
});

test("beside an export that somebody waits for, films begin one after the other", async () => {
  const { base, path } = await productWork();
  const { awaited } = service.services.exportWorker;
  awaited.add("export");
  const { films } = await made(path, { base, rows: [1, 2, 3].map((price) => ({ name: "Turn", price })) });
  awaited.delete("export");
  const jobs = await Promise.all(films.map(({ exportId }) => requireJson(ann.request(`/api/exports/${exportId}`))));
  const [first, second, third] = jobs.sort((one, other) => one.createdAt - other.createdAt);
  expect(second.createdAt).toBeGreaterThanOrEqual(first.finishedAt);
  expect(third.createdAt).toBeGreaterThanOrEqual(second.finishedAt);
});

test("a preview makes three films, and waits", async () => {
  const { base, path } = await productWork();
  const many = [1, 2, 3, 4, 5].map((price) => ({ name: price === 4 ? "The longest one" : "Bike", price }));
  const { batch, films, path: own } = await made(path, { base, rows: many, stopAt: ["preview"], force: true });
  expect(batch).toMatchObject({ status: "waiting", waitingFor: "approval", waitingAt: "preview" });
  expect(films.filter(({ status }) => status === "done")).toHaveLength(3);
  expect([films[0].status, films[3].status]).toEqual(["done", "done"]);
  const early = await ann.request(`${own}/archive.zip`);
  const error = "The batch has not ended: wait until it has, then download its films.";
  expect([early.status, await early.json()]).toMatchObject([409, { code: "not_ready", error }]);

  const marked = await requireJson(ann.json("POST", `${own}/films/${films[0].id}/reject`, { note: "too dark" }));
  expect(marked).toMatchObject({ approval: "rejected", note: "too dark", status: "done" });
  expect((await ann.json("POST", `${own}/approve`)).status).toBe(200);
  expect((await rested(own)).counts).toMatchObject({ done: 5 });
  expect((await ann.json("POST", `${own}/approve`)).status).toBe(409);
});

test("a removed batch stops, and somebody else's is not found", async () => {
  const { base, path } = await productWork();
  const { id } = await order(path, { base, rows: rows.map((row) => ({ ...row, name: "x" })) });
  expect((await ann.json("POST", `${path}/${id}/cancel`)).status).toBe(200);
  const cancelled = await rested(`${path}/${id}`);
  expect(cancelled.status).toBe("cancelled");
  const bob = await service.register("Bob");
  expect((await bob.request(`${path}/${id}`)).status).toBe(404);
});

const csvForm = (content: string | Uint8Array<ArrayBuffer>, batch: object) =>
  formOf({ batch: JSON.stringify(batch), table: new File([content], "products.csv") });

test("a table in a file is read as its spreadsheet saved it", async () => {
  const { base, path } = await productWork(ann, "{{__proto__}} {{price}}");
  const csv = '\ufeffSKU;name;Preis;__proto__\r\n007;"Rad\nneu";19,50;x\r\n008;=1+1;;y\r\n';
  const order = { base, keyColumn: "SKU", mapping: { Preis: "price", SKU: "sku" } };
  const sent = await ann.request(path, { method: "POST", body: csvForm(csv, order) });
  expect(sent.status).toBe(202);
  const { id } = await sent.json();
  expect((await rested(`${path}/${id}`)).counts).toMatchObject({ rows: 2, done: 2 });
  const { films } = await requireJson(ann.request(`${path}/${id}/films`));
  const events = await (await ann.request(`${path}/${id}/events`)).text();
  expect(events.match(/^event: .*/gm)).toEqual(["event: snapshot", "event: done"]);
  await ann.json("POST", `${path}/${id}/films/${films[1].id}/approve`, { note: "=1+1" });
  const csvManifest = await (await ann.request(`${path}/${id}/manifest.csv?approval=approved`)).text();
  expect(csvManifest.trim().split("\r\n")).toEqual([
    "id,key,row,language,target,status,fileName,url,sha256,size,approval,note,code,error",
    expect.stringMatching(/^item_\w+,008,2,,,done,008.mp4,\/api\/exports\/\S+,approved,'=1\+1,,$/),
  ]);
  expect(films.map(({ key, fileName }: Json) => [key, fileName])).toEqual([
    ["007", "007.mp4"],
    ["008", "008.mp4"],
  ]);

  const refused = async (body: FormData) => {
    const response = await ann.request(`${path}/validate`, { method: "POST", body });
    const { code, details, error } = await response.json();
    return details ? [response.status, code, details[0].path, error] : [response.status, code];
  };
  expect(await refused(csvForm("PK\x03\x04", { base }))).toEqual([415, "unsupported_media_type"]);
  const wide = Array.from({ length: 3_000 }, (_, at) => `c${at}`).join();
  expect(await refused(csvForm(wide, { base }))).toEqual([415, "unsupported_media_type"]);
  expect(await refused(csvForm("a,b\n1,2,3\n", { base }))).toEqual([
    ...[400, "validation_error", "table.0", "Row 1 of the table has 3 cells, and the header has 2."],
  ]);
  const twice = "Row 2: sku must differ from that of row 1: it names the row.";
  expect(await refused(csvForm("sku\n1\n1\n", { base, keyColumn: "sku" }))).toEqual([
    ...[400, "validation_error", "table.1.sku", twice],
  ]);
  expect(await refused(csvForm(`a\n${"x".repeat(21 * 1024 ** 2)}`, { base }))).toEqual([413, "payload_too_large"]);
});

let unused: ReturnType<typeof productWork> | undefined;

test.each([
  [{ rows: [] }, "rows"],
  [{ rows: [{ name: "x", price: [1] }] }, "rows.0.price"],
  [{ rows: [{ sku: "a" }, { sku: "a" }], keyColumn: "sku" }, "rows.1.sku"],
  [{ rows, keyColumn: "none" }, "keyColumn"],
  [{ rows, mapping: { none: "x" } }, "mapping.none"],
  [{ rows, fileName: "{{sku}}", targets: ["1:1", "16:9"] }, "fileName"],
  [{ rows, fileName: "{{none}}" }, "fileName"],
  [{ rows, concurrency: 9 }, "concurrency"],
  [{ rows, budget: { limit: -5 } }, "budget.limit"],
])("%j is no table", async (fields, path) => {
  unused ??= productWork();
  const work = await unused;
  const response = await ann.json("POST", work.path, { base: work.base, ...fields });
  const { details } = (await response.json()) as Json;
  expect([response.status, details?.[0].path]).toEqual([400, path]);
});

test("a cancellation holds although another attempt began since the batch was read", async () => {
  const { base, path } = await productWork();
  const { id } = await order(path, { base, rows, keyColumn: "sku", languages: ["de"], stopAt: ["preview"] });
  const projectId = path.split("/")[3]!;
  const { batches } = service.services;
  const read = { ...(await requireBatch(batches, projectId, id)), attempt: -1 };
  expect(await cancelBatch(service.services, read)).toMatchObject({ id, status: "cancelled" });
});
