import { expect, test } from "bun:test";
import { requireFileNames } from "../src/domain/batches/file-names.ts";
import { readRows } from "../src/domain/batches/rows.ts";
import { readCaptionFile } from "../src/domain/captions/caption-file.ts";
import { hasPhrase, phrasesIn } from "../src/domain/gate/phrases.ts";
import { canonicalJson } from "../src/domain/shared/json.ts";
import { fillBeginning, fillPlaceholders } from "../src/domain/templates/placeholders.ts";
import { editListOf } from "../src/domain/timelines/edit-list.ts";
import { parseOtio, readOtio } from "../src/domain/timelines/read-otio.ts";
import { cpuMilliseconds } from "../src/platform/cpu.ts";
import { audioSource, imageSource } from "./support/media/draw-media.ts";
import { clip, timeline } from "./support/media/timelines.ts";

/** What a caller sizes and the answering thread reads: the work for an input of so many units. */
const operations: {
  readonly [title: string]: { readonly units: number; readonly prepare: (units: number) => () => unknown };
} = {
  "a phrase in a long word": { units: 80_000, prepare: (units) => () => hasPhrase("a".repeat(units), "a") },
  "fifty phrases in a long text": {
    units: 80_000,
    prepare: (units) => () =>
      phrasesIn("ab ".repeat(units / 3), new Set(Array.from({ length: 50 }, (_, at) => "ab ".repeat(at + 1)))),
  },
  "captions of many cues": { units: 5_000, prepare: (units) => () => captions(cues(units, "Hello you")) },
  "captions of entities": { units: 40_000, prepare: (units) => () => captions(cues(units / 400, "&amp;".repeat(400))) },
  "captions of opened tags": {
    units: 40_000,
    prepare: (units) => () => captions(cues(units / 400, "<b>".repeat(400))),
  },
  "captions of lines between spaces": {
    units: 32_000,
    prepare: (units) => () => captions(`WEBVTT\n\n${"x\n".repeat(units)}-->\n${" \ny\n".repeat(units)}`),
  },
  "a placeholder many times": {
    units: 5_000,
    prepare: (units) => () => fillPlaceholders("{{name}}".repeat(units), { name: "x".repeat(100) }, 10_000_000),
  },
  "braces without an end": {
    units: 80_000,
    prepare: (units) => () => fillPlaceholders("{".repeat(units), {}, 100_000),
  },
  "the beginning of a long value": {
    units: 80_000,
    prepare: (units) => () => fillBeginning("{{name}}".repeat(400), { name: "x".repeat(units) }, 1_000),
  },
  "rows of a table": { units: 5_000, prepare: (units) => () => readRows(rowsOf(units), {}) },
  "file names of rows": {
    units: 2_000,
    prepare: (units) => {
      const rows = Array.from({ length: units }, (_, at) => ({
        row: at + 1,
        key: `${at}`,
        cells: { name: `Name ${at}` },
      }));
      return () => requireFileNames({ fileName: "{{row}}_{{name}}", languages: [""], targets: [""] }, rows);
    },
  },
  "music that repeats": { units: 1_000, prepare: (units) => () => editListOf(filmWithLoops(units)) },
  "clips of a timeline": { units: 2_000, prepare: (units) => async () => readOtio(await parseOtio(otioOf(units))) },
  "a wide value": { units: 16_000, prepare: (units) => () => canonicalJson(rowsOf(units)) },
};

const captions = (text: string) => readCaptionFile({ text, format: "vtt", path: "captions" }).catch(() => {});

const time = (second: number) => `${new Date(second * 1000).toISOString().slice(11, 23)}`;

const cues = (count: number, text: string): string =>
  `WEBVTT\n\n${Array.from({ length: count }, (_, at) => `${time(at)} --> ${time(at + 1)}\n${text}\n`).join("\n")}`;

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    key: `${at}`,
    name: `Name ${at}`,
    price: "24,90",
    text: "word ".repeat(20),
  }));

function filmWithLoops(count: number) {
  const music = {
    source: audioSource("song", { durationSeconds: 1 }),
    volume: 1,
    loop: true,
    fadeInFrames: 0,
    fadeOutFrames: 0,
  };
  const film = timeline([clip(imageSource("picture"), 0, count * 30)], { sound: { pieces: [], music } });
  return { name: "Film", timeline: film, scenes: [] };
}

function otioOf(count: number) {
  const duration = { OTIO_SCHEMA: "RationalTime.1", rate: 30, value: 30 };
  const range = { OTIO_SCHEMA: "TimeRange.1", start_time: { ...duration, value: 0 }, duration };
  const clips = Array.from({ length: count }, (_, at) => ({
    OTIO_SCHEMA: "Clip.2",
    name: `Clip ${at}`,
    source_range: range,
  }));
  const tracks = { OTIO_SCHEMA: "Stack.1", children: [{ OTIO_SCHEMA: "Track.1", kind: "Video", children: clips }] };
  return { OTIO_SCHEMA: "Timeline.1", name: "Film", tracks };
}

/** The system counts the time of a running thread in steps of 4 ms. */
const measuredMs = 60;

/** The CPU time of one run. */
async function cpuOf(work: () => unknown): Promise<number> {
  const means: number[] = [];
  for (let batch = 0; batch < 3; batch++) {
    const before = cpuMilliseconds();
    let [runs, spent] = [0, 0];
    for (; spent < measuredMs; runs++) {
      await work();
      spent = cpuMilliseconds() - before;
    }
    means.push(spent / runs);
  }
  // what else the thread does can only add to it
  return Math.min(...means);
}

/** Four doublings: linear work takes 16 times as long, quadratic work 256 times. */
const factor = 16;
const most = 64;

/** Less is the work of a compiler that has not seen the code often. */
const leastMs = 0.25;

test.each(Object.entries(operations))("%s costs in proportion to its size", async (_, { units, prepare }) => {
  const [part, whole] = [await cpuOf(prepare(Math.ceil(units / factor))), await cpuOf(prepare(units))];
  expect(whole).toBeLessThan(most * Math.max(part, leastMs));
});
