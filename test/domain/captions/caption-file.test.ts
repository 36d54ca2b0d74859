import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { blocksOf, type CaptionFormat, linesOf } from "../../../src/domain/captions/caption-blocks.ts";
import { readCaptionFile } from "../../../src/domain/captions/caption-file.ts";
import { isDomainError } from "../../../src/errors.ts";

const readFile = (format: CaptionFormat, text: string) => readCaptionFile({ text, format, path: `captions.${format}` });

const read = async (format: CaptionFormat, text: string) => (await readFile(format, text)).cues;

/** Cues as [start, end, lines]; a word with a plus follows without a space. */
const cuesOf = async (format: CaptionFormat, text: string) =>
  (await read(format, text)).map(({ start, end, lines }) => [
    start,
    end,
    lines.map((line) => line.map(({ text: word, glued }) => (glued ? `+${word}` : word)).join(" ")).join("/"),
  ]);

const faultsOf = async (format: CaptionFormat, text: string) => {
  const error = await read(format, text).catch((thrown) => thrown);
  if (!isDomainError(error) || !("issues" in error.facts)) throw error;
  return error.facts.issues.map(({ path, message }) => `${path}: ${message}`);
};

test("reads a SubRip file as other programs write it", async () => {
  const text = [
    "\uFEFF1",
    "00:00:01,000 --> 00:00:02,500 X1:40 X2:600 Y1:20 Y2:50",
    "<i>Hello</i> {\\an8}there",
    "a < b & c",
    "  ",
    "00:00:03.250-->00:00:04,000",
    "今天的咖啡",
    "",
    "",
    "7",
    "00:05 --> 00:06",
    "last",
  ].join("\r\n");
  expect(await cuesOf("srt", text)).toEqual([
    [1, 2.5, "Hello there/a < b & c"],
    [3.25, 4, "今天 +的 +咖啡"],
    [5, 6, "last"],
  ]);
});

test("reads a WebVTT file with tags, notes, settings and times of words", async () => {
  const text = `WEBVTT - Title
Kind: captions

NOTE no --> cue
of any kind

STYLE
::cue { color: red }

id
00:01.000 --> 00:05.000 align:start bogus:1
<v Bob>Hi <c.yellow>there &amp; &lt;you&gt;</c>, <00:00:02.000>big <00:00:03.500>wor<00:00:04.000>ld
<ruby>漢<rt>かん</rt></ruby>`;
  expect(await cuesOf("vtt", text)).toEqual([[1, 5, "Hi there & <you>, big wor +ld/漢"]]);
  const [cue] = await read("vtt", text);
  const times = cue!.lines[0]!.map(({ text: word, start, end }) => [word, start, end]);
  expect(times.slice(-3)).toEqual([
    ["big", 2, 3.5],
    ["wor", 3.5, 4],
    ["ld", 4, expect.closeTo(4.47, 2)],
  ]);
});

test("a WebVTT text counts as such in the field srt too, but not the other way round", async () => {
  expect(await cuesOf("srt", "WEBVTT\n\n00:01.000 --> 00:02.000\nHi")).toEqual([[1, 2, "Hi"]]);
  expect(await faultsOf("vtt", "1\n00:00:01,000 --> 00:00:02,000\nHi")).toEqual([
    "captions.vtt: Line 1 must be WEBVTT.",
  ]);
});

test("names each line that is no caption", async () => {
  const text = [
    ...["1", "00:00:01,000 -> 00:00:02,500", "Hello", ""],
    ...["2", "00:00:03,000 --> 00:00:04,000", "fine", ""],
    ...["what is this", ""],
  ].join("\n");
  const example = "must be a time like 00:00:01,000 --> 00:00:02,500.";
  expect(await faultsOf("srt", text)).toEqual([`captions.srt: Line 2 ${example}`, `captions.srt: Line 9 ${example}`]);
  expect(await faultsOf("srt", "1\n00:00:61 --> ever\nHi\n\n2\n00:00:05,000 --> 00:00:04,000\nHi")).toEqual([
    `captions.srt: Line 2 ${example}`,
    "captions.srt: Line 6 must have an end after its start.",
  ]);
  expect(await faultsOf("vtt", "WEBVTT\n\nlost")).toEqual([
    "captions.vtt: Line 3 must be a time like 00:00:01.000 --> 00:00:02.500.",
  ]);
  expect(await faultsOf("srt", "")).toEqual(["captions.srt: SRT file must have at least one caption."]);
});

test("cues need no empty lines between them, and lines of spaces end none of WebVTT", async () => {
  const times = (from: number, separator: string) =>
    `00:00:0${from}${separator}000 --> 00:00:0${from + 1}${separator}000`;
  const numbered = ["1", times(1, ","), "Hello.", "2", times(3, ","), "5 --> 10 €", "7", "3", times(5, ","), "Bye."];
  expect(await cuesOf("srt", numbered.join("\n"))).toEqual([
    [1, 2, "Hello."],
    [3, 4, "5 --> 10 €/7"],
    [5, 6, "Bye."],
  ]);
  expect(await cuesOf("srt", [times(1, ","), "Top", "10", times(3, ","), "Bye."].join("\r\n"))).toEqual([
    [1, 2, "Top/10"],
    [3, 4, "Bye."],
  ]);
  expect(await cuesOf("vtt", ["WEBVTT", times(1, "."), "Hi", times(3, "."), " ", "Ho", "\t", "ho"].join("\n"))).toEqual(
    [
      [1, 2, "Hi"],
      [3, 4, "Ho/ho"],
    ],
  );
  expect(
    await cuesOf("vtt", ["WEBVTT", " ", "1", times(1, "."), "Hi", " ", "2", times(3, "."), "Ho"].join("\n")),
  ).toEqual([
    [1, 2, "Hi"],
    [3, 4, "Ho"],
  ]);
});

test("tells captions that roll up once", async () => {
  const automatic = `WEBVTT
Kind: captions

00:00.160 --> 00:03.429 align:start position:0%
 
We<00:00.960><c> grind</c><00:01.520><c> beans</c>

00:03.429 --> 00:03.439 align:start position:0%
We grind beans
 

00:03.439 --> 00:05.749 align:start position:0%
We grind beans
every<00:03.760><c> day</c>

00:05.749 --> 00:05.759 align:start position:0%
every day
 

00:05.759 --> 00:08.000 align:start position:0%
every day
here`;
  expect(await cuesOf("vtt", automatic)).toEqual([
    [0.16, 3.439, "We grind beans"],
    [3.439, 5.759, "every day"],
    [5.759, 8, "here"],
  ]);
  const srt = (cues: readonly (readonly [from: number, to: number, text: string])[]) =>
    cues.map(([from, to, text], at) => `${at + 1}\n00:00:0${from},000 --> 00:00:0${to},000\n${text}\n`).join("\n");
  // of television, without times of words, and with overlaps
  const rolled = srt([
    [1, 3, "ONE"],
    [2, 5, "ONE\nTWO"],
    [5, 6, "TWO\nTHREE"],
  ]);
  expect(await cuesOf("srt", rolled)).toEqual([
    [1, 3, "ONE"],
    [2, 5, "TWO"],
    [5, 6, "THREE"],
  ]);
});

test("repeats what an author repeats", async () => {
  const cue = (from: number, text: string) => `00:00:0${from},000 --> 00:00:0${from + 1},000\n${text}`;
  const texts = ["Buy", "Buy", "Buy\nnow", "Buy\nnow\nhere"];
  const written = texts.map((text, at) => cue(at + 1, text)).join("\n\n");
  expect((await cuesOf("srt", written)).map(([, , text]) => text)).toEqual(["Buy", "Buy", "Buy/now", "Buy/now/here"]);
  const apart = [cue(1, "A\nB"), cue(5, "B\nC")].join("\n\n");
  expect((await cuesOf("srt", apart)).map(([, , text]) => text)).toEqual(["A/B", "B/C"]);
});

test("one line that is no caption is left out of many, and named", async () => {
  const cue = (from: number) => `${from}\n00:00:0${from},000 --> 00:00:0${from + 1},000\nHi ${from}\n\n`;
  const many = [1, 2, 3, 4, 5].map(cue).join("");
  for (const bad of [
    "00:00:61 --> ever\nno",
    "00:00:07,000 --> 00:00:06,000\nno",
    "lost words",
    "6\n00:00:07,000 -> 00:00:08,000\nno",
  ]) {
    const { cues, leftOut } = await readFile("srt", `${many}${bad}`);
    expect(cues).toHaveLength(5);
    expect(leftOut).toEqual([expect.stringMatching(/^Line 2[12] must /)]);
  }
});

test("decodes entities, which programs leave in SubRip, and encode twice in WebVTT", async () => {
  const cue = "00:00:01.000 --> 00:00:02.000\nTom &amp;amp; Jerry&#39;s &quot;&gt;&gt; tea&quot;";
  const sentence = `Tom & Jerry's ">> tea"`;
  expect(await cuesOf("srt", cue)).toEqual([[1, 2, sentence]]);
  expect(await cuesOf("vtt", `WEBVTT\n\n${cue}`)).toEqual([[1, 2, sentence]]);
});

test.each([
  ["seconds", "srt", "00:00:99,500 --> 00:01:41,500"],
  ["minutes", "srt", "00:60:00,000 --> 01:00:01,000"],
  ["an end of 60 seconds", "srt", "00:00:59,000 --> 00:00:60,000"],
  ["minutes without hours", "vtt", "75:10.000 --> 75:12.000"],
  ["commas", "vtt", "00:00:01,000 --> 00:00:02,000"],
] as const)("names a time with impossible %s, alone and between others", async (_, format, times) => {
  const example = { srt: "00:00:01,000 --> 00:00:02,500", vtt: "00:00:01.000 --> 00:00:02.500" }[format];
  const fault = (line: number) => [`captions.${format}: Line ${line} must be a time like ${example}.`];
  const header = format === "vtt" ? "WEBVTT\n\n" : "";
  const good = "00:00:01.000 --> 00:00:02.000\nfine\n\n";
  const first = header === "" ? 1 : 3;
  expect(await faultsOf(format, `${header}${times}\nHi`)).toEqual(fault(first));
  expect(await faultsOf(format, `${header}${good}${times}\nHi\n\n${good}`)).toEqual(fault(first + 3));
});

test("has bounds", async () => {
  const cue = (index: number) => `${index}\n00:00:01,000 --> 00:00:02,000\nHi\n`;
  const many = Array.from({ length: 5_001 }, (_, index) => cue(index)).join("\n");
  expect(await faultsOf("srt", many)).toEqual(["captions.srt: SRT file must have at most 5,000 captions."]);
  expect(await faultsOf("vtt", `WEBVTT\n\n${"é".repeat(600_000)}`)).toEqual([
    "captions.vtt: WebVTT file must not be larger than 1 MiB.",
  ]);
  expect(await faultsOf("srt", cue(1).replace("Hi", "x".repeat(2_001)))).toEqual([
    "captions.srt: Line 3 must have at most 2,000 characters.",
  ]);
});

test("other work goes on while a large file is read", async () => {
  const cue = (second: number) => `00:${String(second % 60).padStart(2, "0")}.000 --> 59:59.000\n<i>Hi</i> there`;
  const text = `WEBVTT\n\n${Array.from({ length: 5_000 }, (_, second) => `${cue(second)}${"\n".repeat(100)}`).join("")}`;
  let turns = 0;
  let isRunning = true;
  const reading = read("vtt", text).finally(() => {
    isRunning = false;
  });
  while (isRunning) {
    await setImmediate();
    turns++;
  }
  expect(await reading).toHaveLength(5_000);
  expect(turns).toBeGreaterThan(3);
});

test("a file of too many captions is read no further than it takes to refuse it", async () => {
  const lines = await linesOf("&\n\n".repeat(20_000));
  expect(await blocksOf(lines, { format: "vtt", maxCues: 100 })).toHaveLength(101);
  expect(await faultsOf("vtt", `WEBVTT\n\n${"&\n\n".repeat(20_000)}`)).toHaveLength(20);
});

test("a file with too much text is refused before it is cut into words", async () => {
  const sentence = ["captions.vtt: WebVTT file must have at most 100,000 characters of text."];
  const text = (line: string) => `WEBVTT\n\n00:01.000 --> 00:02.000\n${`${line}\n`.repeat(500)}`;
  expect(await faultsOf("vtt", text("&".repeat(1_900)))).toEqual(sentence);
  expect(await faultsOf("vtt", text("&amp;".repeat(390)))).toEqual(sentence);
  expect(await read("vtt", text(`<c>${"a&nbsp;b ".repeat(90)}</c>`))).toHaveLength(1);
});

test.each([
  ["spaces in the line of times", `00:01.000 --> 00:02.000${" ".repeat(900_000)}z\nHi`],
  ["tags inside each other", `00:01.000 --> 00:02.000\n${`${"<c>".repeat(600)}\n`.repeat(500)}Hi`],
  ["nothing but brackets", `00:01.000 --> 00:02.000\nHi\n${`${"<".repeat(1_900)}\n`.repeat(500)}`],
  ["times in each other", `00:01.000 --> 00:02.000\nHi\n${`${"<00:01.000>".repeat(150)}\n`.repeat(500)}`],
])("takes %s", async (_, cue) => {
  const [read1] = await cuesOf("vtt", `WEBVTT\n\n${cue}`);
  expect(read1).toEqual([1, 2, "Hi"]);
});
