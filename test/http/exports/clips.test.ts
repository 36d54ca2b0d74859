import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { draw, lumaFrames } from "../../support/media/draw-media.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { pixelsOf } from "../../support/media/rgb.ts";
import { testService } from "../../support/service.ts";
import { newWork, requireJson, saveResponse } from "../../support/work-videos.ts";

const service = await testService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const work = await newWork(ann);
const { projectId, workId } = work;

async function picture(name: string, levels: string) {
  const drawing = `color=c=black:s=64x48,format=gray,geq=lum='${levels}'`;
  const path = await draw(`${folder}/${name}.png`, drawing, "-frames:v", "1");
  return new File([await Bun.file(path).bytes()], `${name}.png`, { type: "image/png" });
}

await work.image(0, await picture("white", "255"));
await work.image(1, await picture("black", "0"));
const { id: leftFirst } = await work.asset(await picture("left", "255*gte(X,32)"));

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const options = { width: 64, height: 48, fps: 10 };
const film = (...clips: readonly object[]) => ({
  projectId,
  workId,
  options,
  clips: clips.map((clip, index) => ({ sceneIndex: index, position: index, end: index + 1, ...clip })),
});

/** The red channel of a pixel, by the fractions of both sides. */
async function frameAt(seconds: number, request: object) {
  const response = await ann.json("POST", `/api/export/frame?t=${seconds}`, request);
  if (response.status !== 200) throw new Error(await response.text());
  const pixels = await pixelsOf(new Uint8Array(await response.arrayBuffer()));
  return (x: number, y: number) => pixels[3 * (y * options.width + x)]!;
}

test("a clip is scaled, moved and faded over the background", async () => {
  const keyframes = { centerX: [{ at: "50%", value: -16 }], opacity: [{ at: 0, value: 0.5 }] };
  const request = film({ scale: 0.5, keyframes });
  const at = await frameAt(0.5, { ...request, options: { ...options, background: "#640000" } });
  expect(Math.abs(at(16, 24) - (255 + 100) / 2)).toBeLessThan(5);
  expect(Math.abs(at(48, 24) - 100)).toBeLessThan(5);
});

test("an export shows a move and a transition by the brightness of a picture", async () => {
  const luma = { transition: "luma", transitionAssetId: leftFirst, transitionDuration: 1 };
  const request = film({ move: "zoom-in", ...luma }, { filter: { invert: 0.5 } });
  const response = await ann.json("POST", "/api/export", request);
  const path = await saveResponse(folder, response);
  const frames = await lumaFrames(ffmpegs()[0]!, path, options);
  expect(frames).toHaveLength(20);
  const [left, right] = [8, 56].map((x) => frames[14]!.levels[24 * 64 + x]!);
  // half inverted is gray
  expect(Math.abs(left! - 126)).toBeLessThan(8);
  expect(right!).toBeGreaterThan(225);
  const frame = await frameAt(1.4, request);
  expect(Math.abs(frame(8, 24) - 128)).toBeLessThan(10);
});

test("what is wrong with a clip is reported with its path", async () => {
  const late = [
    { at: 0.5, value: 1 },
    { at: "10%", value: 2 },
  ];
  const body = await requireJson(
    ann.json(
      "POST",
      "/api/export/validate",
      film({ transition: "luma", transitionAssetId: "asset_1" }, { keyframes: { scale: late } }),
    ),
  );
  expect(JSON.stringify(body.errors)).toContain("clips.0.transitionAssetId");
  expect(JSON.stringify(body.errors)).toContain("clips.1.keyframes.scale.1.at");
});
