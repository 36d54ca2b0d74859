import { afterAll, expect, test } from "bun:test";
import { pixelsOf } from "../../support/media/rgb.ts";
import { testService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, requireJson } from "../../support/work-videos.ts";

const service = await testService();
const ann = await service.register("Ann");
const work = await newWork(ann, { name: "Film", videoDuration: 2 });
const { projectId, workId } = work;
const base = `/api/projects/${projectId}/templates`;
await work.image(0, png(64, 36));
const { id: assetId } = await work.asset(png(8, 8));

afterAll(() => service.close());

const text = { id: "price", text: "Only {{price}}", fontSize: 10, timingMode: "relative" };

const moving = {
  ...text,
  spans: [{ text: "Only " }, { text: "{{price}}", color: "red" }],
  enter: { name: "reveal", by: "word", seconds: 0.5 },
  exit: "fade",
  keyframes: {
    rotation: [
      { at: 0, value: 0 },
      { at: "50%", value: 10, easing: "ease-out" },
    ],
  },
  mask: { layer: "window" },
};

const picture = {
  ...{ id: "logo", assetId, timingMode: "absolute", width: 16, height: 16, fit: "cover", radius: 4 },
  ...{ loop: { name: "pulse" }, scale: 2, mask: { assetId, by: "luma" } },
};

const window = { type: "shape", id: "window", shape: "rect" };

const newTemplate = (content: object) => requireJson(ann.json("POST", base, { name: "T", content }));

test("the texts and images of a template have motion, effects and spans, and keep them in a work", async () => {
  const content = { textOverlays: [moving], imageOverlays: [picture], layers: [window] };
  const { id, content: stored } = await newTemplate(content);
  expect(stored).toMatchObject(content);
  expect(await requireJson(ann.request(`${base}/${id}`))).toMatchObject({ content: stored });

  const values = { templateId: id, placeholderValues: { price: "€ 9" } };
  const applied = await requireJson(
    ann.json("POST", `/api/projects/${projectId}/works/${workId}/apply-template`, values),
  );
  const { textOverlays, imageOverlays } = applied.editorState;
  expect(textOverlays[`${id}-price`]).toMatchObject({
    text: "Only € 9",
    spans: [{ text: "Only " }, { text: "€ 9", color: "red" }],
    enter: moving.enter,
    keyframes: moving.keyframes,
    mask: { layer: `${id}-window` },
  });
  expect(imageOverlays[`${id}-logo`]).toMatchObject({ fit: "cover", loop: { name: "pulse" }, scale: 2, radius: 4 });
  const { ok, errors } = await requireJson(ann.json("POST", "/api/export/validate", { projectId, workId }));
  expect([ok, errors]).toEqual([true, []]);
});

test("what is wrong with them is said with its path", async () => {
  const wrong = { ...text, enter: "jump", animateIn: "fade", exit: "fade", spans: [{ text: "Other words" }] };
  const response = await ann.json("POST", base, { name: "T", content: { textOverlays: [wrong] } });
  expect(response.status).toBe(400);
  const { details } = await response.json();
  const fields = ["enter", "spans", "animateIn"];
  expect(details.map(({ path }: { path: string }) => path)).toEqual(
    fields.map((field) => `content.textOverlays.0.${field}`),
  );
});

test("the picture of a template shows them at rest", async () => {
  const pictureOf = async (overlay: object) => {
    const { id } = await newTemplate({ textOverlays: [{ ...text, fontSize: 300, ...overlay }] });
    const response = await ann.request(`${base}/${id}/thumbnail`);
    expect(response.status).toBe(200);
    return await pixelsOf(new Uint8Array(await response.arrayBuffer()));
  };
  const still = await pictureOf({});
  const rest = await pictureOf({ enter: "pop", exit: "fade" });
  const difference = still.reduce((sum, level, index) => sum + Math.abs(level - rest[index]!), 0) / still.length;
  expect(difference).toBeLessThan(1);
  expect(await pictureOf({ text: " " })).not.toEqual(still);
});

test("a template names its videos by their type", async () => {
  const { id } = await newTemplate({ layers: [{ type: "video", assetId: "asset_gone" }] });
  const file = await requireJson(ann.request(`${base}/${id}/export`));
  expect(file.assets).toMatchObject([{ id: "asset_gone", type: "video" }]);
});
