import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { productTable, restedBatch } from "../../support/batches.ts";
import { callTool, failureOf, newClient } from "../../support/mcp-clients.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { listen } from "../../support/uploads.ts";
import { numberedVideo } from "../../support/work-videos.ts";

const service = await sharedService();
const ann = await service.register("Ann");
const server = listen(service);
const folder = await temporaryFolder();
const { projectId, base, path } = await productTable(ann, await numberedVideo(folder, 10));
const client = await newClient(server, ann.accessToken);
afterAll(async () => {
  await client.close();
  server.stop();
  await rm(folder, { recursive: true, force: true });
});

test("a table is checked, ordered, looked at and made by tools", async () => {
  const call = (name: string, args: object = {}) => callTool(client, name, { projectId, ...args });
  const rows = [1, 2, 3, 4].map((price) => ({ name: "Bike", price }));
  const order = { base, rows: [...rows, { name: "Bike" }], stopAt: ["preview"] };
  expect(await call("batch_validate", order)).toMatchObject({ ok: false, counts: { films: 5, invalid: 1 } });

  const { id: batchId } = await call("batch_order", order);
  const settled = async () => {
    await restedBatch(ann, `${path}/${batchId}`);
    return await call("batch_status", { batchId });
  };
  expect(await settled()).toMatchObject({ status: "waiting", waitingAt: "preview", counts: { done: 3 } });
  const { films } = await call("batch_films", { batchId, status: "done" });
  expect(films).toMatchObject(Array(3).fill({ url: expect.stringMatching(/^http.*\/api\/exports\//) }));
  const mark = { batchId, itemId: films[0].id, approval: "rejected", note: "too dark" };
  expect(await call("batch_mark_film", mark)).toMatchObject({ approval: "rejected", note: "too dark" });

  await call("batch_approve", { batchId });
  expect(await settled()).toMatchObject({ status: "partial", counts: { done: 4, invalid: 1 } });
  expect((await call("batch_list")).batches).toMatchObject([{ id: batchId }]);
  await call("batch_retry", { batchId });
  expect((await settled()).status).toBe("partial");
  expect((await call("batch_cancel", { batchId })).status).toBe("partial");
  expect(await failureOf(client, "batch_approve", { projectId, batchId })).toStartWith("not_waiting: ");
});
