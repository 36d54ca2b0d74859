import { boxOf, stblPath, versionOf } from "./boxes.ts";
import { changeBoxes, printBox, printNumbers, printRuns, printWithout } from "./print-boxes.ts";
import type { Sample } from "./sample-table.ts";

/** A sample as it lies in the new file. */
export type PlacedSample = Sample & { readonly placedAt: number };

/** A `moov` box whose tracks list other samples. `tracks` has the samples of each track. */
export function rewriteTables(movie: Buffer, tracks: readonly (readonly PlacedSample[])[]): Buffer {
  const left = [...tracks];
  // safe because there are samples for each track
  const rewriteNext = (table: Buffer) => rewriteTable(table, left.shift()!);
  return printBox("moov", changeBoxes(movie, ["trak", ...stblPath], rewriteNext));
}

/** Boxes that refer to samples by number. Some are rewritten; the others only describe groups of samples. */
const sampleBoxes: ReadonlySet<string> = new Set([
  "stts",
  "ctts",
  "stsc",
  "stsz",
  "stz2",
  "stco",
  "co64",
  "stss",
  "stps",
  "sdtp",
  "sbgp",
  "stsh",
  "padb",
  "subs",
]);

function rewriteTable(table: Buffer, samples: readonly PlacedSample[]): Buffer {
  const shiftList = boxOf(table, "ctts");
  const shifts = samples.map(({ shiftTicks }) => shiftTicks);
  const sync = samples.flatMap(({ isSync }, index) => (isSync ? [index + 1] : []));
  const durations = samples.map((_, index) => durationAt(samples, index));
  return Buffer.concat([
    printWithout(table, sampleBoxes),
    printBox("stts", printRuns(durations)),
    ...(shiftList ? [printBox("ctts", printRuns(shifts, versionOf(shiftList)))] : []),
    printBox("stsc", printNumbers([1, 1, 1, 1])),
    printBox("stsz", printNumbers([0, samples.length, ...samples.map(({ length }) => length)])),
    printBox("stco", printNumbers([samples.length, ...samples.map(({ placedAt }) => placedAt)])),
    ...(boxOf(table, "stss") ? [printBox("stss", printNumbers([sync.length, ...sync]))] : []),
  ]);
}

/** Lasts until the next sample, so that every sample keeps its time. */
function durationAt(samples: readonly Sample[], index: number): number {
  const [sample, next] = [samples[index]!, samples[index + 1]];
  return next ? next.decodeTicks - sample.decodeTicks : sample.durationTicks;
}
