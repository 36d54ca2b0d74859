import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { draw, lumaFrames } from "../../support/media/draw-media.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { pixelsOf } from "../../support/media/rgb.ts";
import { testService } from "../../support/service.ts";
import { countUp, newWork, numberedVideo, readNumbers, requireJson, saveResponse } from "../../support/work-videos.ts";

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
await work.scene(2, await numberedVideo(folder, 0, 180));
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

const numbered = { sceneIndex: 2, position: 0, end: 2, cutFrom: 1 };
const small = { ...options, width: 64, height: 36, fps: 30 };
const timed = (clip: object) => ({ ...film(), options: small, clips: [{ ...numbered, ...clip }] });

test("a clip plays at its speed, at one that changes, and backwards", async () => {
  const numbersOf = async (clip: object) => {
    const response = await ann.json("POST", "/api/export", timed(clip));
    return await readNumbers(ffmpegs()[0]!, await saveResponse(folder, response));
  };
  const frames = countUp(0, 60);
  expect(await numbersOf({ speed: 1.5 })).toEqual(frames.map((frame) => 30 + Math.floor(frame * 1.5)));
  expect(await numbersOf({ reverse: true, speed: 2 })).toEqual(frames.map((frame) => 30 + 2 * (59 - frame)));
  const freeze = {
    speed: [
      { at: "50%", value: 1 },
      { at: "50%", value: 0 },
    ],
  };
  expect(await numbersOf({ keyframes: freeze, speed: 5 })).toEqual(frames.map((frame) => 30 + Math.min(30, frame)));
});

test("a source that ends early because of its speed is told in frames of the video", async () => {
  const warningsOf = async (clip: object) => {
    const { warnings } = await requireJson(ann.json("POST", "/api/export/validate", timed(clip)));
    return warnings.filter(({ code }: { code: string }) => code === "source_too_short");
  };
  expect(await warningsOf({ speed: 2.5 })).toEqual([]);
  // five seconds at four times their speed last for 37.5 frames
  expect((await warningsOf({ speed: 4 }))[0].message).toContain("ends 22 frame(s) early");
  expect((await warningsOf({ speed: 4, reverse: true }))[0].message).toContain("for the first 23 frame(s)");
  expect(
    await warningsOf({
      keyframes: {
        speed: [
          { at: 0, value: 9 },
          { at: 1, value: 0 },
        ],
      },
    }),
  ).toEqual([]);
});

test("speeds have bounds", async () => {
  for (const [clip, path] of [
    [{ speed: 0 }, "clips.0.speed"],
    [{ speed: 10.1 }, "clips.0.speed"],
    [{ reverse: "yes" }, "clips.0.reverse"],
    [{ keyframes: { speed: [{ at: 0, value: -1 }] } }, "clips.0.keyframes.speed.0.value"],
  ] as const) {
    const response = await ann.json("POST", "/api/export", timed(clip));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(`"${path}"`);
  }
});
