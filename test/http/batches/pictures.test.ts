import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { advanceBatch } from "../../../src/domain/batches/advance/advance.ts";
import { DomainError } from "../../../src/errors.ts";
import { productTable, restedBatch } from "../../support/batches.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { testService } from "../../support/service.ts";
import { formOf, png } from "../../support/uploads.ts";
import { numberedVideo, requireJson } from "../../support/work-videos.ts";

const pictures = new Map<string, File>([
  ["/red.png", png(8, 8, "#ff0000")],
  ["/blue.png", png(8, 8, "#0000ff")],
]);
const asked: string[] = [];
const shop = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    const picture = pictures.get(pathname);
    return picture ? new Response(picture) : new Response("none", { status: 404 });
  },
});
const at = (path: string) => `http://127.0.0.1:${shop.port}${path}`;

let isFull = false;
const settings = { FETCH_EXTRA_PORTS: `${shop.port}`, ALLOW_PRIVATE_NETWORK: "true" };
const service = await testService(settings, undefined, ({ assets }) => ({
  assets: {
    ...assets,
    async add(...asset) {
      if (isFull) throw new DomainError("storage_full", {});
      return await assets.add(...asset);
    },
  },
}));
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const { projectId, workId, path } = await productTable(ann, await numberedVideo(folder, 10));
afterAll(async () => {
  await service.close();
  await shop.stop(true);
  await rm(folder, { recursive: true });
});

const image = { assetId: "{{picture}}", position: 0, end: 1, width: 8, height: 8, x: 0, y: 0 };
const base = { workId, export: { images: [image] } };
const row = (picture: string) => ({ name: "Bike", price: 1, picture });

const images = async () => (await requireJson(ann.request(`/api/projects/${projectId}/assets?type=image`))).assets;

async function made(rows: object[]) {
  const { id } = await requireJson(ann.json("POST", path, { base, rows, concurrency: 1 }));
  const batch = await restedBatch(ann, `${path}/${id}`);
  const { films } = await requireJson(ann.request(`${path}/${id}/films`));
  return { batch, films };
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

test("addresses that nobody may fetch, and files that are no pictures, are errors of their rows", async () => {
  pictures.set("/page.html", new File(["<p>none</p>"], "page.html"));
  const report = await requireJson(ann.json("POST", `${path}/validate`, { base, rows: [row("https://a:b@c.d/")] }));
  expect(report.errors).toMatchObject([{ row: 1, column: "picture", code: "url_not_allowed" }]);
  const { films } = await made([row("https://a:b@c.d/"), row(at("/page.html"))]);
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
  await advanceBatch(service.services, id, new AbortController().signal);
  expect(await restedBatch(ann, `${path}/${id}`)).toMatchObject({ status: "done", counts: { done: 1 } });
});
