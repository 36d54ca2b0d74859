import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import fc from "fast-check";
import { filter, input, type Video } from "../../../../src/engine/compiler/graph/graph.ts";
import { printGraph, printNumber } from "../../../../src/engine/compiler/graph/print.ts";
import { runFfmpeg, temporaryFolder, testedFfmpegs } from "../../../support/media/ffmpeg.ts";

const step = (video: Video, name = "null") => filter("video", name, [video]);

test("filters in a row print as one chain", () => {
  const scaled = filter("video", "scale", [input("video", 3)], { w: 32, h: 18 });
  expect(printGraph(step(scaled))).toEqual({ text: "[3:V:0]scale=w=32:h=18,null[s0]", map: "[s0]" });
});

test("a stream with several readers is split, and so is an input", () => {
  const shared = step(input("video", 0));
  const { text } = printGraph(filter("video", "overlay", [step(shared, "hflip"), step(shared, "vflip")]));
  expect(text.split("\n")).toEqual([
    "[0:V:0]null,split=outputs=2[s0][s1];",
    "[s0]hflip[s2];",
    "[s1]vflip[s3];",
    "[s2][s3]overlay[s4]",
  ]);
  const source = input("audio", 1);
  expect(printGraph(filter("audio", "amix", [source, source])).text.split("\n")).toEqual([
    "[1:a:0]asplit=outputs=2[s0][s1];",
    "[s0][s1]amix[s2]",
  ]);
});

test("an unused input is read and discarded", () => {
  expect(printGraph(step(input("video", 0)), [input("video", 0)]).text).toBe("[0:V:0]null[s0];\n[0:V:0]nullsink");
});

test("numbers are printed with at most six decimals and never an exponent", () => {
  expect([1, 0.1 + 0.2, 1e-7, -0.5, 1e9, 100].map(printNumber)).toEqual(["1", "0.3", "0", "-0.5", "1000000000", "100"]);
  expect(() => printNumber(Number.NaN)).toThrow();
});

test.each(testedFfmpegs.map((ffmpeg) => [ffmpeg.name, ffmpeg] as const))(
  "any text reaches a filter of the %s ffmpeg unchanged",
  async (_, ffmpeg) => {
    const texts = fc.sample(
      fc.string({ unit: fc.constantFrom(..."ab\\':,;[]= %{}\"|&é漢"), minLength: 1, maxLength: 12 }),
      { numRuns: 60, seed: 7 },
    );
    const folder = await temporaryFolder();
    const written = `${folder}/printed.txt`;
    const blank = filter("video", "trim", [filter("video", "color", [], { s: "16x16" })], { end_frame: 1 });
    // the ffmpeg of 2018 adds metadata only to frames that have some already
    const measured = filter("video", "signalstats", [blank]);
    const marked = texts.reduce<Video>(
      (video, text, index) =>
        filter("video", "metadata", [video], { mode: "add", key: `text${index}`, value: `<${text}>` }),
      measured,
    );
    const printed = filter("video", "metadata", [marked], { mode: "print", file: written });
    const { text, map } = printGraph(printed);
    await runFfmpeg(ffmpeg, ["-filter_complex", text, "-map", map, "-f", "null", "/dev/null"]);
    const output = await Bun.file(written).text();
    await rm(folder, { recursive: true });
    for (const [index, wanted] of texts.entries()) expect(output).toContain(`text${index}=<${wanted}>\n`);
  },
);
