import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { productTable, restedBatch } from "../../support/batches.ts";
import { draw } from "../../support/media/draw-media.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { instantExports } from "../../support/media/instant-exports.ts";
import { testService } from "../../support/service.ts";
import { formOf, png } from "../../support/uploads.ts";
import { requireJson } from "../../support/work-videos.ts";

const service = await testService(undefined, undefined, instantExports);
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const { projectId, workId, path } = await productTable(ann);

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const upload = async (file: File): Promise<string> =>
  (await requireJson(ann.request(`/api/projects/${projectId}/assets`, { method: "POST", body: formOf({ file }) }))).id;

async function jingle(frequency: number): Promise<string> {
  const drawn = await draw(`${folder}/${frequency}.wav`, `aevalsrc='0.1*sin(2*PI*${frequency}*t)':s=48000:d=0.5`);
  return await upload(new File([await Bun.file(drawn).bytes()], "jingle.wav", { type: "audio/wav" }));
}

const row = (sound: string) => ({ name: "Bike", price: 1, sound });

const baseWith = (more: object = {}) => ({
  workId,
  export: { sounds: [{ assetId: "{{sound}}", position: 0.2, ...more }] },
});

test("rows fill the sounds of a film, and a film with another sound is made again", async () => {
  const [high, low] = [await jingle(900), await jingle(300)];
  const filmOf = async (sound: string, more?: object) => {
    const { id } = await requireJson(ann.json("POST", path, { base: baseWith(more), rows: [row(sound)] }));
    expect(await restedBatch(ann, `${path}/${id}`)).toMatchObject({ status: "done" });
    return (await requireJson(ann.request(`${path}/${id}/films`))).films[0].exportId;
  };
  const first = await filmOf(high);
  expect(await filmOf(high)).toBe(first);
  expect(await filmOf(low)).not.toBe(first);
  expect(await filmOf(high, { volume: 0.5 })).not.toBe(first);
});

test("a sound of a row that does not exist or has no sound is an error of its cell", async () => {
  const rows = [row("asset_gone"), row(await upload(png(8, 8)))];
  const { errors } = await requireJson(ann.json("POST", `${path}/validate`, { base: baseWith(), rows }));
  expect(errors).toMatchObject([
    { row: 1, column: "sound", path: "sounds.0.assetId", code: "asset_missing" },
    { row: 2, column: "sound", path: "sounds.0.assetId", code: "asset_wrong_type" },
  ]);
});
