import { afterAll, expect, test } from "bun:test";
import { restedBatch } from "../../support/batches.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { testService } from "../../support/service.ts";
import { requireJson } from "../../support/work-videos.ts";
import { pictureTable } from "./picture-tables.ts";

const service = await testService({}, undefined, instantExports);
const ann = await service.register("Ann");
const { projectId, workId, path, assets, picture, order, filmsOf } = await pictureTable(ann);
afterAll(service.close);

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
