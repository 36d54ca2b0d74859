import { afterAll, expect, test } from "bun:test";
import { productTable, restedBatch } from "../../support/batches.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { testService } from "../../support/service.ts";
import { requireJson } from "../../support/work-videos.ts";

const service = await testService({}, undefined, instantExports);
const ann = await service.register();
afterAll(service.close);

test("a table that is no larger than its preview waits, too", async () => {
  const { base, path } = await productTable(ann);
  const few = [1, 2, 3].map((price) => ({ name: "Small", price }));
  const table = { base, rows: few, stopAt: ["preview"], force: true };
  const own = `${path}/${(await requireJson(ann.json("POST", path, table))).id}`;
  expect(await restedBatch(ann, own)).toMatchObject({
    waitingFor: "approval",
    waitingAt: "preview",
    counts: { done: 3 },
  });
  expect((await ann.json("POST", `${own}/approve`)).status).toBe(200);
  expect(await restedBatch(ann, own)).toMatchObject({ status: "done", counts: { done: 3 } });
});
