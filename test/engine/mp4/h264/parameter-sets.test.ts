import { expect, test } from "bun:test";
import { declaresDelay } from "../../../../src/engine/mp4/h264/parameter-sets.ts";

const bits = (value: number, count: number) => value.toString(2).padStart(count, "0");
/** Exp-Golomb code. */
const exponential = (value: number) => "0".repeat(Math.floor(Math.log2(value + 1))) + (value + 1).toString(2);

/** A baseline sequence parameter set of 16 × 16 pixels; `buffers` is its description of buffers, in bits. */
function sequence(buffers: string): Uint8Array {
  const text = [
    ...[bits(0x67, 8), bits(66, 8), bits(30, 16)],
    // id, bits of frame numbers, order type, references
    ...[0, 0, 2, 1].map(exponential),
    ...["0", exponential(0), exponential(0)],
    // frames only, direct prediction, no cropping, usability information
    "1101",
    // none of the five first kinds of information, but buffers
    "000001",
    ...[buffers, "1"],
  ].join("");
  return Uint8Array.from(text.padEnd(Math.ceil(text.length / 8) * 8, "0").match(/.{8}/g)!, (byte) => parseInt(byte, 2));
}

const buffers = (count: number) => {
  const all = `${exponential(0)}${exponential(0)}0`.repeat(count);
  // no second description, low delay, no structure, a delay is declared
  return [exponential(count - 1), bits(0, 8), all, bits(0, 20), "0001"].join("");
};

test("a sequence describes up to 32 buffers", () => {
  expect(declaresDelay([sequence(buffers(32))])).toBe(true);
  expect(() => declaresDelay([sequence(buffers(33))])).toThrow("too many buffers");
});

test("a number of buffers that would take minutes to read is refused", () => {
  const huge = sequence("0".repeat(31) + "1".repeat(32));
  expect(() => declaresDelay([huge])).toThrow("too many buffers");
});

test("reading ends with the bytes of a unit", () => {
  expect(() => declaresDelay([sequence(buffers(32)).subarray(0, 12)])).toThrow("behind the end");
});

test("a stream without a sequence declares nothing", () => {
  expect(declaresDelay([])).toBe(false);
});
