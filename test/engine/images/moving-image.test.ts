import { describe, expect, test } from "bun:test";
import { bitmapBudget, movingFrames } from "../../../src/engine/images/moving-frames.ts";
import { readMovingImage } from "../../../src/engine/images/moving-image.ts";
import {
  type MovingFormat,
  movingFile,
  movingFormats,
  type Picture,
  threePictures,
} from "../../support/media/moving.ts";

type Point = readonly [x: number, y: number];

/** What is seen at points of some pictures, in the order in which these are asked for. */
async function seen(
  format: MovingFormat,
  pictures: readonly Picture[],
  order: readonly number[],
  budget = bitmapBudget(),
) {
  const image = readMovingImage(await movingFile(format, pictures), format)!;
  const bitmapAt = movingFrames(image, budget);
  const rows = [];
  for (const index of order) {
    const { bitmap, free } = await bitmapAt(index);
    const context = bitmap.getContext("2d");
    rows.push(
      (
        [
          [35, 35],
          [20, 20],
          [2, 2],
        ] as Point[]
      ).map(([x, y]) => nameOf(context.getImageData(x, y, 1, 1).data)),
    );
    free();
  }
  return rows;
}

function nameOf([red = 0, green = 0, blue = 0, alpha = 0]: Uint8ClampedArray): string {
  if (alpha < 20) return "-";
  return red > 200 ? "red" : green > 200 ? "green" : blue > 200 ? "blue" : "other";
}

describe.each([...movingFormats])("%s", (format) => {
  test("pictures have their durations and lie over each other", async () => {
    const file = await movingFile(format, threePictures());
    expect(readMovingImage(file, format)!.parts.map(({ milliseconds }) => milliseconds)).toEqual([100, 200, 300]);
    expect(await seen(format, threePictures(), [0, 1, 2])).toEqual([
      ["red", "red", "red"],
      ["red", "green", "red"],
      ["red", "green", "blue"],
    ]);
  });

  test("a part is cleared after its picture if the file says so", async () => {
    expect(await seen(format, threePictures({ after: "cleared" }), [1, 2])).toEqual([
      ["red", "green", "red"],
      ["red", "-", "blue"],
    ]);
  });

  test("transparent pixels show the picture before, and its part stays transparent where it replaces", async () => {
    const through = threePictures({ color: undefined });
    expect((await seen(format, through, [1]))[0]).toEqual(["red", "red", "red"]);
    if (format === "gif") return;
    expect((await seen(format, threePictures({ color: undefined, replaces: true }), [1]))[0]).toEqual([
      "red",
      "-",
      "red",
    ]);
  });

  test("any order shows the same, also where no bitmap is kept", async () => {
    const inOrder = await seen(format, threePictures({ after: "cleared" }), [0, 1, 2]);
    const others = [2, 0, 1, 1, 2].map((index) => inOrder[index]!);
    expect(await seen(format, threePictures({ after: "cleared" }), [2, 0, 1, 1, 2])).toEqual(others);
    expect(await seen(format, threePictures({ after: "cleared" }), [2, 0, 1, 1, 2], { bytes: 0 })).toEqual(others);
  });

  test("one picture is no animation, and neither are too many", async () => {
    expect(readMovingImage(await movingFile(format, threePictures().slice(0, 1)), format)).toBeUndefined();
    const many = Array.from({ length: 1001 }, () => ({ ...threePictures()[2]!, size: 2 }));
    expect(readMovingImage(await movingFile(format, many), format)).toBeUndefined();
  });

  test("pictures without a duration are shown as browsers show them", async () => {
    const file = await movingFile(format, threePictures({ milliseconds: 0 }));
    expect(readMovingImage(file, format)!.parts.map(({ milliseconds }) => milliseconds)).toEqual([100, 100, 300]);
  });

  test("a cut file shows what it has, or is no animation", async () => {
    const file = await movingFile(format, threePictures());
    for (let length = 0; length < file.length; length += 7) {
      expect(readMovingImage(file.subarray(0, length), format)?.parts.length ?? 0).toBeLessThanOrEqual(3);
    }
  });
});

test("an animation whose pictures have too many pixels in all stands still", async () => {
  const file = await movingFile("gif", [...threePictures(), ...threePictures()]);
  file.writeUInt16LE(8000, 6);
  file.writeUInt16LE(6000, 8);
  expect(readMovingImage(file, "gif")).toBeUndefined();
});

test.each(["gif", "png"] as const)(
  "a part of a %s is restored after its picture if the file says so",
  async (format) => {
    expect(await seen(format, threePictures({ after: "restored" }), [1, 2])).toEqual([
      ["red", "green", "red"],
      ["red", "red", "blue"],
    ]);
  },
);
