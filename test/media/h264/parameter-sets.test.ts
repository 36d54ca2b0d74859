import { expect, test } from "bun:test";
import { bitWriter } from "../../../src/media/h264/bits.ts";
import { readSequence } from "../../../src/media/h264/parameter-sets.ts";
import { readSlice } from "../../../src/media/h264/slice.ts";

type Writer = ReturnType<typeof bitWriter>;

/** A baseline sequence parameter set of 16 × 16 pixels; `more` writes its description of buffers. */
function sequence(more: (writer: Writer) => void): Uint8Array {
  const writer = bitWriter();
  writer.bits(0x67, 8);
  writer.bits(66, 8);
  writer.bits(30, 16);
  // id, bits of frame numbers, order type, references
  for (const value of [0, 0, 2, 1]) writer.exponential(value);
  writer.bits(0, 1);
  for (const blocks of [0, 0]) writer.exponential(blocks);
  // frames only, direct prediction, no cropping, usability information
  writer.bits(0b1101, 4);
  // none of the five first kinds of information, but buffers
  writer.bits(0b000001, 6);
  more(writer);
  return writer.end();
}

const buffers = (count: number) => (writer: Writer) => {
  writer.exponential(count - 1);
  writer.bits(0, 8);
  for (let buffer = 0; buffer < count; buffer++) {
    writer.exponential(0);
    writer.exponential(0);
    writer.bits(0, 1);
  }
  writer.bits(0, 20);
  // no second description, low delay, no structure, a delay is declared
  writer.bits(0b0001, 4);
};

test("a sequence describes up to 32 buffers", () => {
  expect(readSequence(sequence(buffers(32)))?.declaresDelay).toBe(true);
  expect(() => readSequence(sequence(buffers(33)))).toThrow("too many buffers");
});

test("a number of buffers that would take minutes to read is refused", () => {
  // 31 zeros: a number of 32 bits
  const huge = sequence((writer) => [0, 0, 0xff].map((value) => writer.bits(value, 31)));
  expect(() => readSequence(huge)).toThrow("too many buffers");
});

test("reading ends with the bytes of a unit", () => {
  expect(() => readSequence(sequence(buffers(32)).subarray(0, 12))).toThrow("behind the end");
  const format = { ...readSequence(sequence(buffers(1)))!, frameNumberBits: 2 ** 31 };
  const settings = { id: 0, sequenceId: 0, isUnusual: false, listLengths: [1, 1] as const };
  const hasWeights = { forward: false, bidirectional: false };
  const slice = bitWriter();
  slice.bits(0x65, 8);
  for (const value of [0, 7, 0]) slice.exponential(value);
  const stream = { sequence: format, settings: new Map([[0, { ...settings, hasWeights }]]) };
  expect(() => readSlice(slice.end(), stream)).toThrow("behind the end");
});
