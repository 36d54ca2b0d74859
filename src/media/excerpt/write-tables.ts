import { boxesIn } from "../inspect/structure/boxes.ts";
import type { Sample } from "./sample-table.ts";

/** A sample as it lies in the new file. */
export type PlacedSample = Sample & { readonly placedAt: number };

export const box = (type: string, ...content: readonly Uint8Array[]): Buffer => {
  const head = Buffer.alloc(8, type, "latin1");
  const bytes = Buffer.concat([head, ...content]);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.write(type, 4, "latin1");
  return bytes;
};

/** A `moov` box whose tracks list other samples. `tracks` has the samples of each track. */
export function rewriteTables(movie: Buffer, tracks: readonly (readonly PlacedSample[])[]): Buffer {
  const left = [...tracks];
  // safe because there are samples for each track
  const listIn = (table: Buffer) => rewriteTable(table, left.shift()!);
  return box("moov", replaceIn(movie, ["trak", "mdia", "minf", "stbl"], listIn));
}

/** Replaces the content of all boxes at a path. */
function replaceIn(content: Buffer, [type, ...path]: readonly string[], replace: (content: Buffer) => Buffer): Buffer {
  if (type === undefined) return replace(content);
  const boxes = [...boxesIn(content)].map((each) =>
    box(each.type, each.type === type ? replaceIn(each.content, path, replace) : each.content),
  );
  return Buffer.concat(boxes);
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
  const old = [...boxesIn(table)];
  const kept = old.filter(({ type }) => !sampleBoxes.has(type));
  const shifts = old.find(({ type }) => type === "ctts");
  const hasSync = old.some(({ type }) => type === "stss");
  const sync = samples.flatMap(({ isSync }, index) => (isSync ? [index + 1] : []));
  return Buffer.concat([
    ...kept.map(({ type, content }) => box(type, content)),
    list(
      "stts",
      samples.length,
      samples.flatMap((_, index) => [1, durationAt(samples, index)]),
    ),
    // the first byte is the version: later ones have signed numbers
    ...(shifts
      ? [
          list(
            "ctts",
            samples.length,
            samples.flatMap(({ shiftTicks }) => [1, shiftTicks]),
            shifts.content[0],
          ),
        ]
      : []),
    list("stsc", 1, [1, 1, 1]),
    box("stsz", words([0, 0, samples.length, ...samples.map(({ length }) => length)])),
    list(
      "stco",
      samples.length,
      samples.map(({ placedAt }) => placedAt),
    ),
    ...(hasSync ? [list("stss", sync.length, sync)] : []),
  ]);
}

/** Lasts until the next sample, so that every sample keeps its time. */
function durationAt(samples: readonly Sample[], index: number): number {
  const [sample, next] = [samples[index]!, samples[index + 1]];
  return next ? next.decodeTicks - sample.decodeTicks : sample.durationTicks;
}

const list = (type: string, count: number, values: readonly number[], version = 0): Buffer =>
  box(type, words([version * 2 ** 24, count, ...values]));

function words(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeInt32BE(value | 0, 4 * index);
  return bytes;
}
