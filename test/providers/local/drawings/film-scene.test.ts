import { afterAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { drawSceneLayers } from "../../../../src/providers/local/drawings/film-scene.ts";
import { partPath } from "../../../../src/providers/local/drawings/scene-frame.ts";
import { temporaryFolder } from "../../../support/media/ffmpeg.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

const colors = { ground: "#ff6b35", accent: "#fff8f0", second: "#1b1b3a", dark: "#1b1b3a", light: "#fff8f0" };
const scenes = (["cup", "bottle", "phone", undefined] as const).flatMap((object) =>
  (["opening", "middle", "end"] as const).flatMap((place) =>
    [0, 1, 2, 3].map((variant) => ({ object, place, variant })),
  ),
);

async function layersOf(scene: (typeof scenes)[number], size: { width: number; height: number }) {
  const { object, ...rest } = scene;
  const design = {
    ...colors,
    ...rest,
    begins: "left" as const,
    ...(object && { object }),
    core: { width: 1, height: 1 },
    axis: 0.47,
  };
  const files = { output: `${folder}/ground.rgba`, pathPrefix: `${folder}/part`, groundSize: size };
  return await drawSceneLayers(size, design, files);
}

test("something moves by itself in every scene of a tall film, and is drawn as pixels of even sides", async () => {
  for (const scene of scenes) {
    const parts = await layersOf(scene, { width: 36, height: 64 });
    const moves = parts.some(({ frames, motion: { from, sway } }) => frames > 1 || from.x || from.y || sway);
    expect([scene, moves]).toEqual([scene, true]);
    for (const [index, { box, frames }] of parts.entries()) {
      expect([box.width % 2, box.height % 2]).toEqual([0, 0]);
      expect(Bun.file(partPath(`${folder}/part`, index)).size).toBe(4 * box.width * box.height * frames);
    }
  }
});

test("steam rises from a cup: the pictures of its loop differ", async () => {
  const [steam] = (
    await layersOf({ object: "cup", place: "opening", variant: 0 }, { width: 108, height: 192 })
  ).flatMap((part, index) => (part.frames > 1 ? [{ ...part, index }] : []));
  const pixels = await Bun.file(partPath(`${folder}/part`, steam!.index)).bytes();
  const length = 4 * steam!.box.width * steam!.box.height;
  const pictureAt = (at: number) => pixels.subarray(at * length, (at + 1) * length).toHex();
  expect(pictureAt(0)).not.toBe(pictureAt(8));
});

test("shapes below the words go from edge to edge, and into the ground", async () => {
  const size = { width: 108, height: 192 };
  const tiles = await layersOf({ object: undefined, place: "middle", variant: 2 }, size);
  const still = tiles.filter(({ frames }) => frames === 1).map(({ box }) => box);
  expect(Math.min(...still.map(({ x }) => x))).toBeLessThanOrEqual(0);
  expect(Math.max(...still.map(({ x, width }) => x + width))).toBeGreaterThanOrEqual(size.width);
  expect(Math.max(...still.map(({ y, height }) => y + height))).toBeGreaterThanOrEqual(size.height);
});

test("things that are not there are dots with a cross", async () => {
  const layers = async (isCrossed: boolean) => {
    const amount = { filled: 3, total: 3, isCrossed };
    const scene = { object: undefined, place: "middle", variant: 0, amount } as never;
    await layersOf(scene, { width: 108, height: 192 });
    return (await Bun.file(partPath(`${folder}/part`, 0)).bytes()).toHex();
  };
  expect(await layers(true)).not.toBe(await layers(false));
});

test("a number of the words is drawn as so many dots", async () => {
  const amount = { filled: 46, total: 46 };
  const parts = await layersOf({ object: undefined, place: "middle", variant: 0, amount } as never, {
    width: 108,
    height: 192,
  });
  expect(parts.length).toBeGreaterThan(4);
  expect(parts.every(({ motion }) => motion.sway !== undefined)).toBe(true);
  const delays = parts.map(({ motion }) => motion.delay);
  expect(delays).toEqual(delays.toSorted((one, other) => one - other));
});
