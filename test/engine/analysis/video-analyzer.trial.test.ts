import { afterAll, describe, test } from "bun:test";
import { rm } from "node:fs/promises";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { bars, expectCuts, fractal, still, test2 } from "./joined-scenes.ts";

const folder = await temporaryFolder();
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("finds no cut in", () => {
  test.each([
    ["the ends of fades", [[`${test2},fade=t=in:s=0:n=15,fade=t=out:s=60:n=15`, 80]], []],
    [
      "grain",
      [
        [`${still},noise=alls=30:allf=t`, 50],
        [`${bars},noise=alls=30:allf=t`, 40],
      ],
      [50],
    ],
    [
      "the black between two fades, except its middle",
      [
        [`${test2},fade=t=out:s=30:n=15`, 50],
        [`${fractal},fade=t=in:s=5:n=15`, 50],
      ],
      [50],
    ],
  ] as const)("%s", (_, pieces, cuts) => expectCuts(`${folder}/joined.mp4`, pieces, cuts));
});
