import { expect, test } from "bun:test";
import { productTable, restedBatch } from "../../support/batches.ts";
import { sharedService } from "../../support/service.ts";
import { requireJson } from "../../support/work-videos.ts";

const service = await sharedService();

test("films of a batch are held against the palette of the brand, and blocked if they break it", async () => {
  const ann = await service.register("Ann");
  const { base, path, projectId } = await productTable(ann);
  const brand = { palette: { text: "#123456" } };
  await requireJson(ann.json("PUT", `/api/projects/${projectId}`, { styleGuide: { brand } }));
  const gated = { ...base, export: { options: { brand: true }, gate: "block", platforms: ["youtube"] } };
  const order = { base: gated, rows: [{ name: "Rad", price: 19 }] };
  const { id } = await requireJson(ann.json("POST", path, order));
  await restedBatch(ann, `${path}/${id}`);
  const { films } = await requireJson(ann.request(`${path}/${id}/films`));
  expect(films).toMatchObject([{ status: "error", error: { code: "gate_failed" } }]);
  expect(JSON.stringify(films)).toContain("palette");
});
