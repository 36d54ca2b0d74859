import fc from "fast-check";

const codePoint = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0x80, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0x10ffff }),
);

/** As `fc.string({ unit: "binary" })`, whose table of all characters takes half a second of CPU time in each process. */
export const textUpTo = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(codePoint, { maxLength }).map((points) => String.fromCodePoint(...points));
