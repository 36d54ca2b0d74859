import { afterAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ffmpegs, temporaryFolder } from "../helpers/ffmpeg.ts";
import { draw, lumaFrames } from "../helpers/media.ts";
import { testService } from "../helpers/service.ts";
import { newWork, saved } from "../helpers/work-films.ts";

const service = await testService();
const ann = await service.register("Ann");
const folder = await temporaryFolder();
const [ffmpeg] = ffmpegs();

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

/** A second of a gray ramp with a white bar that stands at three quarters of the width. */
const drawing =
  "color=black:s=320x180:r=30:d=1,format=yuv420p,geq=lum='if(between(X,236,243),235,16+X/4)':cb=128:cr=128";
const film = await newWork(ann, { name: "Film" });
const path = await draw(join(folder, "ramp.mp4"), drawing, "-c:v", "libx264", "-qp", "0");
await film.scene(0, new File([await Bun.file(path).bytes()], "ramp.mp4", { type: "video/mp4" }));

const order = (options: object, clip: object = {}) => ({
  ...{ projectId: film.projectId, workId: film.workId, options: { width: 160, height: 120, fps: 10, ...options } },
  clips: [{ sceneIndex: 0, position: 0, end: 0.5, ...clip }],
  texts: [{ text: "■", position: 0, end: 0.5, fontSize: 40, centerX: 30, centerY: 20, background: "white" }],
});

const exported = async (body: object, size: { width: number; height: number }) =>
  lumaFrames(ffmpeg!, await saved(folder, await ann.json("POST", "/api/export", body)), size);

describe("the quality", () => {
  test("draft is the same picture at half its size", async () => {
    const [whole, half] = [
      await exported(order({ quality: "high" }), { width: 160, height: 120 }),
      await exported(order({ quality: "draft" }), { width: 80, height: 60 }),
    ];
    expect([whole.length, half.length]).toEqual([5, 5]);
    const differences = Array.from({ length: 80 * 60 }, (_, index) => {
      const [x, y] = [index % 80, Math.floor(index / 80)];
      const four = [0, 1].flatMap((dx) => [0, 1].map((dy) => whole[2]!.levels[(2 * y + dy) * 160 + 2 * x + dx]!));
      return Math.abs(four.reduce((sum, level) => sum + level, 0) / 4 - half[2]!.levels[index]!);
    });
    expect(differences.reduce((sum, each) => sum + each, 0) / differences.length).toBeLessThan(4);
  });

  test("of a film changes nothing of what it is", async () => {
    for (const quality of ["draft", "standard", "high"]) {
      const path = await saved(folder, await ann.json("POST", "/api/export", order({ quality })));
      const bytes = Buffer.from(await Bun.file(path).bytes());
      // the profile of H.264 that the header of the track names: 100 is High
      expect([quality, bytes[bytes.indexOf("avcC") + 5]]).toEqual([quality, 100]);
    }
  });
});

test("a clip that covers the frame shows its focus", async () => {
  const size = { width: 64, height: 120 };
  const brightest = async (focus?: object) => {
    const { texts: _, ...body } = order(size, { fit: "cover", focus });
    const [frame] = await exported(body, size);
    const row = frame!.levels.subarray(60 * 64, 61 * 64);
    return Math.max(...row) > 200 ? row.indexOf(Math.max(...row)) : undefined;
  };
  expect(await brightest()).toBeUndefined();
  expect(Math.abs((await brightest({ x: 0.75, y: 0.5 }))! - 32)).toBeLessThan(5);
});

test("a focus lies in the picture", async () => {
  const answer = await ann.json("POST", "/api/export", order({}, { focus: { x: 1.5, y: 0 } }));
  expect([answer.status, (await answer.json()).details[0].path]).toEqual([400, "clips.0.focus.x"]);
});
