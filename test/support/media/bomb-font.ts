/** The components of each composite glyph, and how many composites contain each other. */
const components = 60;
const depth = 8;

const blank = 0;

type FontOptions = {
  /** Code points of a square. */
  readonly plain: readonly number[];
  /** Code points of a glyph with 60 ** 8 blank parts, which reading takes hours. */
  readonly bombs: readonly number[];
};

const u16 = (...values: number[]) =>
  Buffer.concat(values.map((value) => Buffer.from([(value >> 8) & 0xff, value & 0xff])));
const u32 = (...values: number[]) => Buffer.concat(values.map((value) => u16(value >>> 16, value & 0xffff)));

/** A TrueType font of 4 KB. */
export function bombFont({ plain, bombs }: FontOptions): Buffer {
  const composites = Array.from({ length: depth }, (_, level) => composite(level === 0 ? blank : level + 1));
  const glyphs = [Buffer.alloc(0), square(), ...composites];
  const glyphOf = [...plain.map((code) => [code, 1] as const), ...bombs.map((code) => [code, depth + 1] as const)];
  const ends = glyphs.map((_, index) => glyphs.slice(0, index + 1).reduce((sum, glyph) => sum + glyph.length, 0));
  return sfnt({
    "OS/2": u16(4, ...Array(47).fill(0)),
    cmap: cmap(glyphOf.toSorted(([one], [other]) => one - other)),
    glyf: Buffer.concat(glyphs),
    head: Buffer.concat([
      u32(0x10000, 0x10000, 0, 0x5f0f3cf5),
      u16(0, 1000),
      u32(0, 0, 0, 0),
      u16(0, 0, 1000, 1000, 0, 8, 2, 1, 0),
    ]),
    hhea: Buffer.concat([u32(0x10000), u16(800, -200, 0, 1000, 0, 0, 1000, 1, 0, 0, 0, 0, 0, 0, 0, glyphs.length)]),
    hmtx: u16(...glyphs.flatMap(() => [1000, 0])),
    loca: u32(0, ...ends),
    maxp: Buffer.concat([u32(0x10000), u16(glyphs.length, 4, 1, 65535, 65535, 1, 0, 0, 0, 0, 0, 0, components, depth)]),
    name: u16(0, 0, 6),
    post: Buffer.concat([u32(0x30000, 0, 0, 0, 0, 0, 0, 0)]),
  });
}

/** The outline of a square. */
const square = () =>
  Buffer.concat([u16(1, 100, 0, 800, 700, 3, 0), Buffer.from([1, 1, 1, 1]), u16(100, 700, 0, -700, 0, 0, 700, 0)]);

/** A glyph that consists of the same glyph over and over. */
const composite = (glyph: number): Buffer =>
  Buffer.concat([
    u16(-1, 0, 0, 1000, 1000),
    ...Array.from({ length: components }, (_, index) => {
      const flags = 0x0002 | (index < components - 1 ? 0x0020 : 0);
      return Buffer.concat([u16(flags, glyph), Buffer.from([index % 10, 0])]);
    }),
  ]);

/** One group of format 12 for each code point. */
function cmap(glyphOf: readonly (readonly [code: number, glyph: number])[]): Buffer {
  const groups = glyphOf.map(([code, glyph]) => u32(code, code, glyph));
  const table = [u16(12, 0), u32(16 + 12 * groups.length, 0, groups.length), ...groups];
  return Buffer.concat([u16(0, 1, 3, 10), u32(12), ...table]);
}

function sfnt(tables: Readonly<Record<string, Buffer>>): Buffer {
  const entries = Object.entries(tables);
  let offset = 12 + 16 * entries.length;
  const bodies = entries.map(([, body]) => Buffer.concat([body, Buffer.alloc(-body.length & 3)]));
  const directory = entries.map(([tag, body], index) => {
    const entry = Buffer.concat([Buffer.from(tag), u32(0, offset, body.length)]);
    offset += bodies[index]!.length;
    return entry;
  });
  return Buffer.concat([u32(0x10000), u16(entries.length, 128, 3, 32), ...directory, ...bodies]);
}
