import { afterAll, expect, test } from "bun:test";
import { advanceBatch } from "../../../src/domain/batches/advance/advance.ts";
import { DomainError } from "../../../src/errors.ts";
import { restedBatch } from "../../support/batches.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { watchedLeases } from "../../support/watched-leases.ts";
import { requireJson } from "../../support/work-videos.ts";
import { pictureShop } from "./picture-shop.ts";
import { pictureTable } from "./picture-tables.ts";

const { pictures, at, settings, stop } = pictureShop();
let isFull = false;
const { watched, whenFree } = watchedLeases();
const service = await testService(settings, undefined, ({ assets, ...services }) => ({
  ...instantExports(services),
  leases: watched(services),
  assets: {
    ...assets,
    async add(...asset) {
      if (isFull) throw new DomainError("storage_full", {});
      return await assets.add(...asset);
    },
  },
}));
const ann = await service.register("Ann");
const { path, base, row, order, filmsOf } = await pictureTable(ann);
afterAll(async () => {
  await service.close();
  await stop();
});

test("addresses that nobody may fetch, and files that are no pictures, are errors of their rows", async () => {
  pictures.set("/page.html", new File(["<p>none</p>"], "page.html"));
  const report = await requireJson(ann.json("POST", `${path}/validate`, { base, rows: [row("https://a:b@c.d/")] }));
  expect(report.errors).toMatchObject([{ row: 1, column: "picture", code: "url_not_allowed" }]);
  const batch = await order({ rows: [row("https://a:b@c.d/"), row(at("/page.html"))], concurrency: 1 });
  await restedBatch(ann, batch);
  const films = await filmsOf(batch);
  expect(films.map(({ error }: { error: { code: string } }) => error.code)).toEqual([
    "url_not_allowed",
    "unsupported_media_type",
  ]);
});

test("a batch without room for its pictures waits during its check, and goes on with it", async () => {
  pictures.set("/c.png", png(8, 8, "#00ffff"));
  const rows = [row(at("/c.png"))];
  isFull = true;
  const { id } = await requireJson(ann.json("POST", path, { base, rows }));
  const waiting = await restedBatch(ann, `${path}/${id}`);
  expect(waiting).toMatchObject({ status: "waiting", waitingFor: "storage", checkedRows: 0 });
  isFull = false;
  await whenFree(`batch/${id}`, () => advanceBatch(service.services, id, new AbortController().signal));
  expect(await restedBatch(ann, `${path}/${id}`)).toMatchObject({ status: "done", counts: { done: 1 } });
});
