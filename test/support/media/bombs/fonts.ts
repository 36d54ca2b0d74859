import { deflateSync } from "node:zlib";
import { join, repeat, text, u8, u16, u32 } from "./bytes.ts";

type Tables = Readonly<Record<string, Uint8Array>>;

const padded = (bytes: Uint8Array) => join(bytes, Buffer.alloc(-bytes.length & 3));

/** A font file of these tables. Their checksums are zero, which readers take. */
function sfnt(tables: Tables, signature: Uint8Array = u32(0x00010000)): Buffer {
  const names = Object.keys(tables).sort();
  let at = 12 + 16 * names.length;
  const entries = names.map((name) => {
    const entry = join(text(name), u32(0, at, tables[name]!.length));
    at += padded(tables[name]!).length;
    return entry;
  });
  return join(signature, u16(names.length, 0, 0, 0), ...entries, ...names.map((name) => padded(tables[name]!)));
}

const unitsPerEm = 1000;

const head = join(
  ...[u32(0x00010000, 0x00010000, 0, 0x5f0f3cf5), u16(0, unitsPerEm), Buffer.alloc(16)],
  // bounds, style, smallest size, direction, long offsets
  u16(0, 0, 1000, 1000, 0, 8, 2, 1, 0),
);

const maxp = (glyphs: number) =>
  // points, contours, zones, storage, functions, instructions, stack, sizes, components, depth
  join(u32(0x00010000), u16(glyphs, 100, 100, 100, 100, 1, 0, 0, 0, 0, 0, 0xffff, 16));

const hhea = (glyphs: number) =>
  join(u32(0x00010000), u16(800, -200, 0, 1000, 0, 0, 1000, 1, 0, 0, 0, 0, 0, 0, 0, glyphs));

/** Segments of code points that each map to a row of glyphs. */
const cmap = (segments: readonly (readonly [from: number, to: number, glyph: number])[]) => {
  const groups = segments.map((segment) => u32(...segment));
  const length = 16 + 12 * segments.length;
  return join(u16(0, 1, 3, 10), u32(12), u16(12, 0), u32(length, 0, segments.length), ...groups);
};

const name = (size = 0) => {
  const family = Buffer.from("\0B\0o\0m\0b", "latin1");
  return join(u16(0, 1, 18, 3, 1, 0x409, 1, family.length, 0), family, Buffer.alloc(size));
};

/** A triangle. */
export const triangle = join(u16(1, 100, 0, 900, 800), u16(2, 0), u8(1, 1, 1), u16(100, 800, -400), u16(0, 0, 800));

const empty = Buffer.alloc(0);
const letterA = 0x41;

/** The tables that every font has. Glyph 0 stands for missing ones. */
const tablesOf = (glyphCount: number, segments: Parameters<typeof cmap>[0]): Tables => ({
  head,
  maxp: maxp(glyphCount),
  hhea: hhea(glyphCount),
  hmtx: repeat(u16(1000, 0), glyphCount),
  cmap: cmap(segments),
  name: name(),
  post: join(u32(0x00030000), Buffer.alloc(28)),
  "OS/2": join(u16(4, 500, 400, 5, 0), Buffer.alloc(86)),
});

function outlines(glyphs: readonly Uint8Array[]): Tables {
  const even = glyphs.map(padded);
  let at = 0;
  const offsets = [0, ...even.map((glyph) => (at += glyph.length))];
  return { glyf: join(...even), loca: u32(...offsets) };
}

type GlyphFont = {
  readonly glyphs: readonly Uint8Array[];
  readonly segments?: Parameters<typeof cmap>[0];
  readonly more?: Tables;
};

/** A TrueType font, whose letter A shows glyph 1 unless `segments` tells otherwise. */
export const glyphFont = ({ glyphs, segments = [[letterA, letterA, 1]], more = {} }: GlyphFont): Buffer =>
  sfnt({ ...tablesOf(glyphs.length, segments), ...outlines(glyphs), ...more });

/** An index of CFF: a count, offsets of four bytes, the data. */
const cffIndex = (items: readonly Uint8Array[]): Buffer => {
  if (items.length === 0) return u16(0);
  let at = 1;
  const offsets = [1, ...items.map((item) => (at += item.length))];
  return join(u16(items.length), u8(4), u32(...offsets), ...items);
};

/** A number in a CFF dictionary, always five bytes. */
const dictNumber = (value: number) => join(u8(29), u32(value));
const charNumber = (value: number) => join(u8(28), u16(value));

const moveTo = 21;
const lineTo = 5;
const callSubroutine = 29;
const back = 11;
const endChar = 14;

const triangleStrokes = join(
  ...[charNumber(100), charNumber(0), u8(moveTo), charNumber(400), charNumber(800), u8(lineTo)],
  ...[charNumber(400), charNumber(-800), u8(lineTo)],
);

/** Subroutines that each call the next `fanOut` times; the last does nothing. */
export function subroutineBomb({ fanOut = 60, depth = 9 } = {}): Buffer {
  const bias = 107;
  const call = (index: number) => join(charNumber(index - bias), u8(callSubroutine));
  const subroutines = Array.from({ length: depth }, (_, index) =>
    join(index === depth - 1 ? empty : repeat(call(index + 1), fanOut), u8(back)),
  );
  return cffFont([u8(endChar), join(triangleStrokes, call(0), u8(endChar))], subroutines);
}

function cffFont(glyphs: readonly Uint8Array[], subroutines: readonly Uint8Array[]): Buffer {
  const header = u8(1, 0, 4, 4);
  const names = cffIndex([text("Bomb")]);
  const strings = cffIndex([]);
  const global = cffIndex(subroutines);
  const top = (charStrings: number, privateAt: number) =>
    cffIndex([join(dictNumber(charStrings), u8(17), dictNumber(0), dictNumber(privateAt), u8(18))]);
  const before = header.length + names.length + top(0, 0).length + strings.length + global.length;
  const charStrings = cffIndex(glyphs);
  const CFF = join(header, names, top(before, before + charStrings.length), strings, global, charStrings);
  return sfnt(
    {
      ...tablesOf(glyphs.length, [[letterA, letterA, 1]]),
      maxp: join(u32(0x00005000), u16(glyphs.length)),
      "CFF ": CFF,
    },
    text("OTTO"),
  );
}

/** Lookups that each replace one glyph by `fanOut` of the next, one after another: billions for one letter. */
export function substitutionBomb({ fanOut = 20, depth = 12 } = {}): Buffer {
  const glyphs = [empty, ...Array.from({ length: depth + 1 }, () => triangle)];
  const multiple = (index: number) => {
    // coverage of one glyph behind one sequence
    const sequence = u16(fanOut, ...Array(fanOut).fill(index + 2));
    return join(u16(1, 8 + sequence.length, 1, 8), sequence, u16(1, 1, index + 1));
  };
  const lookups = Array.from({ length: depth }, (_, index) => join(u16(2, 0, 1, 8), multiple(index)));
  return glyphFont({ glyphs, more: { GSUB: layoutTable(lookups, "ccmp") } });
}

/** A layout table with one feature for all scripts that applies all lookups. */
function layoutTable(lookups: readonly Uint8Array[], feature: string): Buffer {
  const scripts = join(u16(1), text("DFLT"), u16(8), u16(4, 0), u16(0, 0xffff, 1, 0));
  const features = join(u16(1), text(feature), u16(8), u16(0, lookups.length), u16(...lookups.keys()));
  let at = 2 + 2 * lookups.length;
  const offsets = lookups.map((lookup) => {
    const offset = at;
    at += lookup.length;
    return offset;
  });
  return join(
    ...[u16(1, 0, 10, 10 + scripts.length, 10 + scripts.length + features.length), scripts, features],
    ...[u16(lookups.length, ...offsets), ...lookups],
  );
}

/** A contextual lookup that calls itself and its neighbours for each glyph. */
export function contextBomb({ lookups = 60, records = 60 } = {}): Buffer {
  const glyphs = [empty, triangle];
  const context = (index: number) =>
    // format 3: coverage of glyph 1, records that apply the next lookup at position 0
    join(
      u16(3, 1, records, 8 + 4 * records),
      ...Array.from({ length: records }, () => u16(0, (index + 1) % lookups)),
      u16(1, 1, 1),
    );
  const table = Array.from({ length: lookups }, (_, index) => join(u16(5, 0, 1, 8), context(index)));
  return glyphFont({ glyphs, more: { GSUB: layoutTable(table, "ccmp") } });
}

const u24 = (value: number) => u32(value).subarray(1);

/** Color layers that are lists of the next layers: `fanOut` to the power of `depth` triangles. */
export function colorLayersBomb({ fanOut = 200, depth = 5, cycle = false } = {}): Buffer {
  // layer lists: level k shows `fanOut` layers, all of which are the list of level k + 1
  const listAt = (level: number) => join(u8(1, fanOut), u32(level * fanOut));
  const solid = join(u8(2), u16(0, 0x4000));
  const glyph = join(u8(10), u24(6), u16(1), solid);
  const paintOfLevel = (level: number) => (level < depth - 1 ? listAt(level + 1) : cycle ? listAt(0) : glyph);
  const layerCount = depth * fanOut;
  const paints = Array.from({ length: depth }, (_, level) => paintOfLevel(level));
  let at = 4 + 4 * layerCount;
  const paintOffsets = paints.map((paint) => {
    const offset = at;
    at += paint.length;
    return offset;
  });
  const layerList = join(
    u32(layerCount, ...Array.from({ length: layerCount }, (_, layer) => paintOffsets[Math.floor(layer / fanOut)]!)),
    ...paints,
  );
  return colorFont(listAt(0), layerList);
}

/** A font whose glyph 1 is painted. */
function colorFont(paint: Uint8Array, layerList: Uint8Array): Buffer {
  const headLength = 34;
  const glyphList = join(u32(1), u16(1), u32(10), paint);
  const COLR = join(
    ...[u16(1, 0), u32(0, 0), u16(0), u32(headLength, headLength + glyphList.length, 0, 0, 0)],
    ...[glyphList, layerList],
  );
  const CPAL = join(u16(0, 1, 1, 1), u32(14), u16(0), u8(0, 0, 255, 255));
  return glyphFont({ glyphs: [empty, triangle], more: { COLR, CPAL } });
}

/** Glyphs that are clipped by glyphs, or moved, again and again: `depth` paints one inside another. */
export function deepPaintBomb({ depth = 60_000, format = 10 as 10 | 14 } = {}): Buffer {
  const step = format === 10 ? join(u8(10), u24(6), u16(1)) : join(u8(14), u24(8), u16(1, 1));
  const solid = join(u8(2), u16(0, 0x4000));
  return colorFont(join(repeat(step, depth), solid), join(u32(0)));
}

/** A bitmap font whose glyphs are PNG files. */
export function bitmapBomb(png: Uint8Array): Buffer {
  const glyphData = join(u16(0, 0), text("png "), png);
  const strike = join(u16(100, 72), u32(16, 16, 16 + glyphData.length), glyphData);
  const sbix = join(u16(1, 1), u32(1, 12), strike);
  return glyphFont({ glyphs: [empty, triangle], more: { sbix } });
}

/** A map with a group for each code point up to `groups`. */
export const groupBomb = (groups: number): Buffer => {
  const rows = Buffer.alloc(12 * groups);
  for (let index = 0; index < groups; index++) {
    rows.writeUInt32BE(index, 12 * index);
    rows.writeUInt32BE(index, 12 * index + 4);
    rows.writeUInt32BE(1, 12 * index + 8);
  }
  const table = join(u16(0, 1, 3, 10), u32(12), u16(12, 0), u32(16 + rows.length, 0, groups), rows);
  return glyphFont({ glyphs: [empty, triangle], more: { cmap: table } });
};

export const nameBomb = (bytes = 60 * 2 ** 20): Buffer =>
  glyphFont({ glyphs: [empty, triangle], more: { name: name(bytes) } });

/** A table of zeros, deflated a thousandfold. `declared` is the size that the header tells. */
export function woffBomb({ bytes = 2 ** 30, declared = 2 ** 20 } = {}): Buffer {
  const plain = glyphFont({ glyphs: [empty, triangle] });
  const count = plain.readUInt16BE(4) + 1;
  const entries = Array.from({ length: count - 1 }, (_, index) => {
    const entry = plain.subarray(12 + 16 * index, 28 + 16 * index);
    const data = plain.subarray(entry.readUInt32BE(8), entry.readUInt32BE(8) + entry.readUInt32BE(12));
    return { tag: entry.subarray(0, 4), data, original: data.length };
  });
  const zeros = { tag: text("zzzz"), data: deflateSync(Buffer.alloc(bytes), { level: 9 }), original: bytes };
  let at = 44 + 20 * count;
  const all = [...entries, zeros];
  const rows = all.map(({ tag, data, original }) => {
    const row = join(tag, u32(at, data.length, original, 0));
    at += padded(data).length;
    return row;
  });
  const header = join(text("wOFF"), u32(0x00010000, at), u16(count, 0), u32(declared, 0, 0, 0, 0, 0, 0));
  return join(header.subarray(0, 44), ...rows, ...all.map(({ data }) => padded(data)));
}
