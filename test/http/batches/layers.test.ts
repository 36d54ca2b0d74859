import { afterAll, expect, test } from "bun:test";
import { restedBatch } from "../../support/batches.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { requireJson } from "../../support/work-videos.ts";
import { pictureShop } from "./picture-shop.ts";
import { pictureTable } from "./picture-tables.ts";

const { pictures, at, settings, stop } = pictureShop();
const service = await testService(settings, undefined, instantExports);
const ann = await service.register("Ann");
const { path, workId, row, picture } = await pictureTable(ann);
afterAll(async () => {
  await service.close();
  await stop();
});

const image = { type: "image", assetId: "{{picture}}", end: 1, width: 8, height: 8 };
const words = { type: "text", text: "{{name}} for {{price}}", end: 1, enter: "pop" };
const base = { workId, export: { layers: [{ type: "group", layers: [image, words] }] } };
const validate = (body: object) => requireJson(ann.json("POST", `${path}/validate`, { base, ...body }));

test("rows fill the texts and pictures of layers, in groups too", async () => {
  pictures.set("/a.png", png(8, 8, "#00ffff"));
  const rows = [row(at("/a.png")), row(await picture("#ff0000"))];
  const { id } = await requireJson(ann.json("POST", path, { base, rows }));
  const batch = await restedBatch(ann, `${path}/${id}`);
  expect(batch).toMatchObject({ status: "done", counts: { done: 2 } });
});

test("a picture of a layer that does not exist is an error of its row", async () => {
  const { errors } = await validate({ rows: [row("asset_gone")] });
  expect(errors).toMatchObject([
    { row: 1, column: "picture", path: "layers.0.layers.0.assetId", code: "asset_missing" },
  ]);
});

test("a film whose layers changed is made again", async () => {
  const rows = [row(await picture("#00ff00"))];
  const made = async (layers: object[]) => {
    const { id } = await requireJson(ann.json("POST", path, { base: { workId, export: { layers } }, rows }));
    const { films } = await restedBatch(ann, `${path}/${id}`).then(() =>
      requireJson(ann.request(`${path}/${id}/films`)),
    );
    return films[0];
  };
  const first = await made([image, words]);
  const same = await made([image, words]);
  const other = await made([image, { ...words, enter: "fade" }]);
  expect(same.exportId ?? same.url).toEqual(first.exportId ?? first.url);
  expect(other.exportId ?? other.url).not.toEqual(first.exportId ?? first.url);
});
