import { afterAll, expect, test } from "bun:test";
import { restedBatch } from "../../support/batches.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { testService } from "../../support/service.ts";
import { formOf, png } from "../../support/uploads.ts";
import { requireJson } from "../../support/work-videos.ts";
import { pictureShop } from "./picture-shop.ts";
import { pictureTable } from "./picture-tables.ts";

const { pictures, asked, at, settings, stop } = pictureShop();
const service = await testService(settings, undefined, instantExports);
const ann = await service.register("Ann");
const { projectId, path, base, row, order, filmsOf } = await pictureTable(ann);
afterAll(async () => {
  await service.close();
  await stop();
});

const images = async () => (await requireJson(ann.request(`/api/projects/${projectId}/assets?type=image`))).assets;

async function made(rows: object[]) {
  const path = await order({ rows, concurrency: 1 });
  return { batch: await restedBatch(ann, path), films: await filmsOf(path) };
}

test("pictures by URL are fetched once each, and become assets once", async () => {
  const upload = { method: "POST", body: formOf({ file: png(8, 8, "#00ff00") }) };
  const { id: own } = await requireJson(ann.request(`/api/projects/${projectId}/assets`, upload));
  const rows = [row(at("/red.png")), row(at("/blue.png")), row(own), row(at("/red.png")), row(at("/none.png"))];
  const report = await requireJson(ann.json("POST", `${path}/validate`, { base, rows }));
  expect([report.counts.valid, report.counts.unchanged, asked]).toEqual([5, 0, []]);
  expect(await images()).toHaveLength(1);

  const { batch, films } = await made(rows);
  expect(batch.counts).toMatchObject({ invalid: 1, done: 3, unchanged: 1 });
  expect(asked.toSorted()).toEqual(["/blue.png", "/none.png", "/red.png"]);
  expect(films[4]).toMatchObject({
    status: "invalid",
    error: { row: 5, column: "picture", code: "url_unreachable", path: "images.0.assetId" },
  });
  expect(films[0].sha256).toBe(films[3].sha256);
  expect(new Set(films.slice(0, 3).map(({ sha256 }: { sha256: string }) => sha256)).size).toBe(3);
  expect(await images()).toHaveLength(3);

  const again = await made(rows.slice(0, 4));
  expect(again.batch.counts).toMatchObject({ done: 0, unchanged: 4 });
  expect(await images()).toHaveLength(3);

  pictures.set("/red.png", png(8, 8, "#ffff00"));
  expect((await made(rows.slice(0, 3))).batch.counts).toMatchObject({ done: 1, unchanged: 2 });
  expect(await images()).toHaveLength(4);
});
