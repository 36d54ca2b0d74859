import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { input } from "../../../../src/engine/compiler/graph/graph.ts";
import { printGraph } from "../../../../src/engine/compiler/graph/print.ts";
import { openFile } from "../../../../src/engine/compiler/sources.ts";
import { toRec709 } from "../../../../src/engine/compiler/video/rec709.ts";
import type { VideoFacts } from "../../../../src/engine/timeline/source.ts";
import { runCommand, type TestFfmpeg, temporaryFolder, testedFfmpegs } from "../../../support/media/ffmpeg.ts";

let folder: string;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => rm(folder, { recursive: true }));

type Color = readonly [number, number, number];
type Coding = { readonly matrix: "bt601" | "bt709" | "bt2020"; readonly fullRange: boolean };

/** Hues, saturations, grays, and levels that no color has. Coded as 8 bits. */
const lumas = [0, 16, 45, 81, 128, 180, 235, 255];
const chromas = [0, 16, 54, 90, 128, 160, 202, 240, 255];
const chart = lumas.flatMap((y) => chromas.flatMap((u) => chromas.map((v): Color => [y, u, v])));

// one chroma sample a color
const columns = 36;
const size = { width: 2 * columns, height: (2 * chart.length) / columns };

/** The chart as planar YUV with `levels` levels to one of 8 bits, which is 4 for 10 bits. */
function drawChart(levels: 1 | 4): Uint8Array {
  const sample = (value: number) => (levels === 1 ? [value] : [(value * 4) & 255, (value * 4) >> 8]);
  const rows = Array.from({ length: size.height / 2 }, (_, row) => chart.slice(row * columns, (row + 1) * columns));
  const luma = rows.flatMap((row) => {
    const line = row.flatMap(([y]) => [...sample(y), ...sample(y)]);
    return [...line, ...line];
  });
  const chroma = ([1, 2] as const).flatMap((plane) => chart.flatMap((color) => sample(color[plane])));
  return Uint8Array.from([...luma, ...chroma]);
}

/** The colors of the chart after conversion, as ffmpeg outputs them. */
async function convertChart(ffmpeg: TestFfmpeg, pixelFormat: string, facts: Partial<VideoFacts>) {
  const source = `${folder}/chart-${pixelFormat}.yuv`;
  const output = `${folder}/converted.yuv`;
  await Bun.write(source, drawChart(pixelFormat.endsWith("10le") ? 4 : 1));
  const { text, map } = printGraph(toRec709(input("video", 0), { from: size, to: size }, facts, (video) => video));
  const raw = ["-f", "rawvideo", "-pixel_format", pixelFormat, "-video_size", `${size.width}x${size.height}`];
  await runCommand(ffmpeg, {
    inputArgs: openFile(source, "rawvideo", raw),
    graph: text,
    outputArgs: ["-map", map, "-c:v", "rawvideo", "-pix_fmt", "yuv420p", "-f", "rawvideo", "-y", `file:${output}`],
    writes: [output],
  });
  const bytes = await Bun.file(output).bytes();
  const { width, height } = size;
  return chart.map((_, index): Color => {
    const luma = 2 * Math.floor(index / columns) * width + 2 * (index % columns);
    return [bytes[luma]!, bytes[width * height + index]!, bytes[width * height + chart.length + index]!];
  });
}

/** The shares of red and blue in luma: Rec. ITU-R BT.601, BT.709 and BT.2020. */
const weights = { bt601: [0.299, 0.114], bt709: [0.2126, 0.0722], bt2020: [0.2627, 0.0593] } as const;

/** A color in BT.709 of limited range, by the standards' formulas, in fractions of a level. */
function convertExactly([y, u, v]: Color, { matrix, fullRange }: Coding): Color {
  const [red, blue] = weights[matrix];
  const luma = fullRange ? y / 255 : (y - 16) / 219;
  const chroma = (value: number) => (value - 128) / (fullRange ? 255 : 224);
  const r = luma + 2 * (1 - red) * chroma(v);
  const b = luma + 2 * (1 - blue) * chroma(u);
  const g = (luma - red * r - blue * b) / (1 - red - blue);

  const [red709, blue709] = weights.bt709;
  const luma709 = red709 * r + (1 - red709 - blue709) * g + blue709 * b;
  const level = (value: number) => Math.min(Math.max(value, 0), 255);
  return [
    level(16 + 219 * luma709),
    level(128 + (224 * (b - luma709)) / (2 * (1 - blue709))),
    level(128 + (224 * (r - luma709)) / (2 * (1 - red709))),
  ];
}

const largestDifference = (a: readonly Color[], b: readonly Color[]) =>
  Math.max(...a.flatMap((color, index) => color.map((level, plane) => Math.abs(level - b[index]![plane]!))));

describe.each(testedFfmpegs.map((ffmpeg) => [ffmpeg.name, ffmpeg] as const))("with the %s ffmpeg", (_, ffmpeg) => {
  test.each<[string, Coding["matrix"], boolean]>([
    ["yuv420p", "bt709", false],
    ["yuv420p", "bt601", false],
    ["yuv420p", "bt2020", false],
    ["yuv420p10le", "bt601", false],
    ["yuv420p", "bt709", true],
    ["yuv420p", "bt601", true],
    ["yuvj420p", "bt709", true],
    ["yuvj420p", "bt601", true],
    ["yuvj420p", "bt2020", true],
  ])(
    "every color in %s, %s, full range %p, stays within one level of the standard",
    async (pixelFormat, matrix, fullRange) => {
      const coding = { matrix, fullRange };
      const exact = chart.map((color) => convertExactly(color, coding));
      expect(largestDifference(await convertChart(ffmpeg, pixelFormat, coding), exact)).toBeLessThanOrEqual(1);
    },
  );
});
