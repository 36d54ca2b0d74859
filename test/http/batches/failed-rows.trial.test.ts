import { afterAll, expect, test } from "bun:test";
import { advanceBatch } from "../../../src/domain/batches/advance/advance.ts";
import { DomainError } from "../../../src/errors.ts";
import { restedBatch } from "../../support/batches.ts";
import { eventsOf } from "../../support/events.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { testService } from "../../support/service.ts";
import { watchedLeases } from "../../support/watched-leases.ts";
import { requireJson } from "../../support/work-videos.ts";
import { pictureTable } from "./picture-tables.ts";

// biome-ignore lint/suspicious/noExplicitAny: JSON of a response
type Json = any;

let beforeExport: (exportId: string) => Promise<unknown> = async () => {};
let onRemoval: (exportId: string) => void = () => {};
let isFull = false;
const { watched, whenFree } = watchedLeases();
const service = await testService({}, undefined, ({ exports, files, ...services }) => ({
  ...instantExports({ files, ...services }),
  leases: watched(services),
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
const { picture, order, filmsOf } = await pictureTable(ann);
afterAll(service.close);

test("three bad rows cost the others nothing, and are made by a retry once they are right", async () => {
  const pictures = [await picture("#00ff00"), await picture("#00ffff")];
  const rows = Array.from({ length: 5 }, (_, price) => ({ name: "y", price, picture: pictures[price % 2] }));
  const bad = [1, 2, 4];
  for (const at of bad) rows[at]!.picture = "asset_none";
  const batch = await order({ rows, concurrency: 4 });
  expect(await restedBatch(ann, batch)).toMatchObject({ status: "partial", counts: { done: 2, invalid: 3 } });
  const invalid = (await filmsOf(batch)).filter(({ status }) => status === "invalid");
  expect(invalid.map(({ row, error }) => [row - 1, error.column, error.code])).toEqual(
    bad.map((at) => [at, "picture", "asset_missing"]),
  );
  for (const at of bad) rows[at]!.picture = pictures[0];
  const corrected = await restedBatch(ann, await order({ rows, concurrency: 4 }));
  expect(corrected.counts).toMatchObject({ done: 3, unchanged: 2 });
});

test("a batch that is removed while it runs cancels its exports, and leaves nothing", async () => {
  const own = await picture("#ffff00");
  const rows = Array.from({ length: 20 }, (_, price) => ({ name: "z", price, picture: own }));
  const batch = await order({ rows, concurrency: 2 });
  for await (const { data } of eventsOf(await ann.request(`${batch}/events`))) {
    // safe because each event has the whole batch
    if ((data as Json).counts?.done > 0) break;
  }
  const urls = (await filmsOf(batch)).flatMap(({ url }) => url ?? []);
  expect((await ann.json("DELETE", batch)).status).toBe(204);
  expect(urls.length).toBeGreaterThan(0);
  for (const url of [batch, `${batch}/films`, ...urls]) expect((await ann.request(url)).status).toBe(404);
  // one that began at that moment is removed by who began it
  const openExports = async () => {
    const { exports } = await requireJson(ann.request("/api/exports?limit=100"));
    return exports.filter(({ status }: Json) => status === "queued" || status === "rendering");
  };
  for (let open = await openExports(); open.length > 0; open = await openExports())
    for (const { id } of open) await Array.fromAsync(eventsOf(await ann.request(`/api/exports/${id}/events`)));
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
  const advance = () => advanceBatch(service.services, waiting.id, new AbortController().signal);
  await whenFree(`batch/${waiting.id}`, advance);
  expect(await restedBatch(ann, batch)).toMatchObject({ status: "done", counts: { done: 3 } });
});
