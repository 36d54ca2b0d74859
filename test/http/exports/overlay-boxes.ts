import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { createCanvas } from "@napi-rs/canvas";
import { type GrayFrame, lumaFrames } from "../../support/media/draw-media.ts";
import { ffmpegs, temporaryFolder } from "../../support/media/ffmpeg.ts";
import { sharedService } from "../../support/service.ts";
import { png } from "../../support/uploads.ts";
import { newWork, saveResponse } from "../../support/work-videos.ts";

const size = { width: 320, height: 568 };
const fps = 10;
const fontSize = 24;

type Place = { readonly centerX: number; readonly centerY: number };

async function whitePng(width: number, height: number): Promise<File> {
  const context = createCanvas(width, height).getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  return new File([new Uint8Array(await context.canvas.encode("png"))], "white.png", { type: "image/png" });
}

const isNear = (one: number, other: number) => Math.abs(one - other) <= 2;

/** What `object-fit: contain` shows of an image, as the bounding box after its rotation about the center. */
function containedSize(ratio: number, { box, rotation }: { box: typeof size; rotation: number }) {
  const width = Math.min(box.width, box.height * ratio);
  const height = width / ratio;
  const radians = (rotation * Math.PI) / 180;
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
  return { width: width * cos + height * sin, height: width * sin + height * cos };
}

/** Texts and images at these places of a film, each on a frame of its own, because an export takes longer than a frame. */
export async function describeOverlayBoxes(places: readonly Place[]): Promise<void> {
  const service = await sharedService();
  const ann = await service.register("Ann");
  const folder = await temporaryFolder();
  const [ffmpeg] = ffmpegs();

  const work = await newWork(ann);
  await work.image(0, png(size.width, size.height));
  const { id: wide } = await work.asset(await whitePng(200, 50));
  const { id: tall } = await work.asset(await whitePng(60, 240));

  const textCases = [
    { name: "one line", text: "A single line", lines: 1 },
    { name: "three lines", text: "First\nsecond one\nthird", lines: 3 },
    { name: "a line that wraps", text: "A line longer than nine tenths of the frame", lines: 2 },
  ].flatMap((each) =>
    places.map((place) => ({ ...each, name: `${each.name} at ${place.centerX}, ${place.centerY}`, place })),
  );

  const imageCases = [
    { name: "a wide image in a square box", assetId: wide, box: { width: 120, height: 120 }, rotation: 0 },
    { name: "a tall image in a wide box", assetId: tall, box: { width: 200, height: 90 }, rotation: 0 },
    { name: "a wide image in a square box, rotated", assetId: wide, box: { width: 120, height: 120 }, rotation: 30 },
    { name: "a tall image in a wide box, rotated", assetId: tall, box: { width: 200, height: 90 }, rotation: 30 },
  ].flatMap((each) =>
    places.map((place) => ({ ...each, name: `${each.name}, at ${place.centerX}, ${place.centerY}`, place })),
  );

  /** The frame of each case, by its name. */
  const frames = new Map<string, GrayFrame>();

  beforeAll(async () => {
    const shownAt = (frame: number) => ({ position: frame / fps, end: (frame + 1) / fps });
    const plain = textCases.map(({ text, place }, index) => ({ text, fontSize, ...place, ...shownAt(index) }));
    const boxed = plain.map((text, index) => ({ ...text, background: "white", ...shownAt(plain.length + index) }));
    const images = imageCases.map(({ assetId, box, rotation, place }, index) => ({
      ...{ assetId, ...box, rotation, ...place },
      ...shownAt(2 * plain.length + index),
    }));
    const names = [
      ...textCases.map(({ name }) => `${name}: glyphs`),
      ...textCases.map(({ name }) => `${name}: box`),
      ...imageCases.map(({ name }) => name),
    ];
    const response = await ann.json("POST", "/api/export", {
      projectId: work.projectId,
      workId: work.workId,
      clips: [{ sceneIndex: 0, position: 0, end: names.length / fps }],
      texts: [...plain, ...boxed],
      images,
      options: { ...size, fps, quality: "high" },
    });
    const decoded = await lumaFrames(ffmpeg!, await saveResponse(folder, response), size);
    for (const [index, name] of names.entries()) frames.set(name, decoded[index]!);
  });

  /** The bounding box of all bright pixels. */
  function brightBox(name: string) {
    const { levels, width } = frames.get(name)!;
    const xs: number[] = [];
    const ys: number[] = [];
    for (const [index, level] of levels.entries()) {
      if (level <= 128) continue;
      xs.push(index % width);
      ys.push(Math.floor(index / width));
    }
    const [left, right] = [Math.min(...xs), Math.max(...xs) + 1];
    const [top, bottom] = [Math.min(...ys), Math.max(...ys) + 1];
    const center = { x: (left + right) / 2 - size.width / 2, y: (top + bottom) / 2 - size.height / 2 };
    return { left, right, top, bottom, center, width: right - left, height: bottom - top };
  }

  describe.each(textCases)("a text with $name", ({ name, lines, place }) => {
    test("has the center of its layout box there", () => {
      const { center, width, height } = brightBox(`${name}: box`);
      expect([isNear(center.x, place.centerX), isNear(center.y, place.centerY)]).toEqual([true, true]);
      expect(width).toBeLessThanOrEqual(0.9 * size.width + 1);
      expect(isNear(height, lines * fontSize * 1.2)).toBe(true);
    });

    test("has its glyphs inside that box, centered in its width", () => {
      const box = brightBox(`${name}: box`);
      const glyphs = brightBox(`${name}: glyphs`);
      expect(isNear(glyphs.center.x, place.centerX)).toBe(true);
      expect([glyphs.left >= box.left - 1, glyphs.right <= box.right + 1]).toEqual([true, true]);
      expect([glyphs.top >= box.top, glyphs.bottom <= box.bottom]).toEqual([true, true]);
    });
  });

  test.each(imageCases)("$name is contained in its box", ({ name, place, ...image }) => {
    const { center, width, height } = brightBox(name);
    const expected = containedSize(image.assetId === wide ? 200 / 50 : 60 / 240, image);
    expect([isNear(center.x, place.centerX), isNear(center.y, place.centerY)]).toEqual([true, true]);
    expect([isNear(width, expected.width), isNear(height, expected.height)]).toEqual([true, true]);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
}
