import { boxesIn, boxHeaderBytes } from "./boxes.ts";

export function printBox(type: string, ...contents: readonly Uint8Array[]): Buffer {
  const header = Buffer.alloc(boxHeaderBytes);
  header.writeUInt32BE(contents.reduce((sum, { length }) => sum + length, boxHeaderBytes));
  header.write(type, 4, "latin1");
  return Buffer.concat([header, ...contents]);
}

/** A position in a file, in the form that C2PA hashes. */
export function printPosition(bytes: number): Buffer {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(bytes));
  return number;
}

/** Prints a container's content with changed content in all boxes at a path of types. */
export const changeBoxes = (
  content: Buffer,
  [type, ...path]: readonly string[],
  change: (content: Buffer) => Buffer,
): Buffer => {
  if (type === undefined) return change(content);
  const boxes = [...boxesIn(content)].map((box) =>
    printBox(box.type, box.type === type ? changeBoxes(box.content, path, change) : box.content),
  );
  return Buffer.concat(boxes);
};

/** Prints a container's content without the boxes of some types. */
export const printWithout = (content: Buffer, types: ReadonlySet<string>): Buffer =>
  Buffer.concat(
    [...boxesIn(content)].filter(({ type }) => !types.has(type)).map(({ type, content }) => printBox(type, content)),
  );

/** The content of a box of 32-bit numbers, which may be negative, without flags. */
export function printNumbers(numbers: readonly number[], version = 0): Buffer {
  const content = Buffer.alloc(4 + 4 * numbers.length);
  content[0] = version;
  for (const [index, number] of numbers.entries()) content.writeUInt32BE(number >>> 0, 4 + 4 * index);
  return content;
}

/** A copy of a box's content with some of its 32-bit numbers, by their byte offsets. */
export function withNumbers(content: Buffer, numbers: Readonly<Record<number, number>>): Buffer {
  const copy = Buffer.from(content);
  for (const [offset, number] of Object.entries(numbers)) copy.writeUInt32BE(number, Number(offset));
  return copy;
}

/** The content of `ctts`, `stts` and similar boxes: runs of equal values, each with its length. */
export function printRuns(values: readonly number[], version = 0): Buffer {
  const runs: number[] = [];
  for (const value of values) {
    if (runs.length > 0 && runs.at(-1) === value) runs[runs.length - 2]!++;
    else runs.push(1, value);
  }
  return printNumbers([runs.length / 2, ...runs], version);
}
