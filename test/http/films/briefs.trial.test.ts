import { expect, test } from "bun:test";
import { createCanvas } from "@napi-rs/canvas";
import { filmProject, restedFilm } from "../../support/films.ts";
import { pixelsOf } from "../../support/media/rgb.ts";
import { sharedService, type TestUser } from "../../support/service.ts";
import { formOf, mp4 } from "../../support/uploads.ts";
import { requireJson } from "../../support/work-videos.ts";

const service = await sharedService();

const upload = async (user: TestUser, projectId: string, file: File): Promise<string> =>
  (await requireJson(user.request(`/api/projects/${projectId}/assets`, { method: "POST", body: formOf({ file }) }))).id;

test("a picture of the product is as large as all formats show it, below the words", async () => {
  const ann = await service.register();
  const { projectId, base } = await filmProject(ann);
  await ann.json("PUT", `/api/projects/${projectId}`, { styleGuide: { color_palette: ["#204060"] } });
  const context = createCanvas(160, 90).getContext("2d");
  context.fillStyle = "red";
  context.fillRect(0, 0, 160, 90);
  const picture = new File([new Uint8Array(await context.canvas.encode("png"))], "cup.png", { type: "image/png" });
  const brief = { text: "Cup: it keeps warm.", assetIds: [await upload(ann, projectId, picture)] };
  const order = { brief, resolution: { width: 180, height: 320 }, targets: ["9:16", "16:9"], scenes: 2, seconds: 4 };
  const { id, workId } = await (await ann.json("POST", base, order)).json();
  expect((await restedFilm(ann, `${base}/${id}`)).status).toBe("done");
  /** The most red columns in a row of the frame. */
  const redIn = async (target: string, width: number) => {
    const frame = await ann.json("POST", `/api/export/frame?t=1&target=${target}`, { projectId, workId });
    const pixels = await pixelsOf(await frame.bytes());
    const isRed = (at: number) => pixels[3 * at]! > 180 && pixels[3 * at + 2]! < 90;
    const rows = Array.from({ length: pixels.length / 3 / width }, (_, y) => y * width);
    return Math.max(
      ...rows.map((start) => Array.from({ length: width }, (_, x) => isRed(start + x)).filter(Boolean).length),
    );
  };
  // both show the middle square of 180 pixels, and the picture takes most of its width
  const found = [await redIn("16:9", 320), await redIn("9:16", 180)];
  for (const columns of found) expect(columns).toBeWithin(0.55 * 180, 180 + 1);
});

test("a brief may be a reference alone", async () => {
  const ann = await service.register();
  const { projectId, base } = await filmProject(ann);
  const brief = { reference: { assetId: await upload(ann, projectId, await mp4()) } };
  const order = { brief, name: "Velo", resolution: { width: 90, height: 160 }, scenes: 2 };
  const film = await (await ann.json("POST", base, order)).json();
  expect((await restedFilm(ann, `${base}/${film.id}`)).status).toBe("done");
  const work = await requireJson(ann.request(`/api/projects/${projectId}/works/${film.workId}`));
  expect(work).toMatchObject({ productName: "Velo", videoDuration: 3 });
});
