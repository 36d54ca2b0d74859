import { join, type Size, text, u8, u16, u32 } from "./bytes.ts";

export const box = (type: string, ...content: readonly Uint8Array[]): Buffer => {
  const body = join(text(type), ...content);
  return join(u32(body.length + 4), body);
};

const fullBox = (type: string, version: number, ...content: readonly Uint8Array[]) =>
  box(type, u8(version, 0, 0, 0), ...content);

/** Bits, most significant first, filled up with zeros. */
function bits(...fields: readonly (readonly [value: number, count: number])[]): Buffer {
  const digits = fields.map(([value, count]) => value.toString(2).padStart(count, "0")).join("");
  const bytes = digits.match(/.{1,8}/g) ?? [];
  return u8(...bytes.map((byte) => Number.parseInt(byte.padEnd(8, "0"), 2)));
}

/** An AV1 sequence header for still pictures of at most this size: 8 bits, 4:2:0. */
export const sequenceHeader = ({ width, height }: Size): Buffer => {
  const payload = bits(
    // profile 0, a still picture, a reduced header, level 5.0, the widths of the sizes, the sizes, six tools off
    ...([
      [0, 3],
      [1, 1],
      [1, 1],
      [12, 5],
      [15, 4],
      [15, 4],
      [width - 1, 16],
      [height - 1, 16],
      [0, 6],
    ] as const),
    // no high bit depth, not monochrome, no color description, limited range, unknown chroma position, no separate delta
    ...([
      [0, 1],
      [0, 1],
      [0, 1],
      [0, 1],
      [0, 2],
      [0, 1],
    ] as const),
    // no film grain, then the trailing bit
    ...([
      [0, 1],
      [1, 1],
    ] as const),
  );
  return obu(1, payload);
};

/** An open bitstream unit with its size. */
export const obu = (type: number, payload: Uint8Array): Buffer => {
  const size: number[] = [];
  for (let left = payload.length; size.length === 0 || left > 0; left >>>= 7)
    size.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
  return join(u8((type << 3) | 0b010), u8(...size), payload);
};

const configuration = box("av1C", u8(0x81, 0x0c, 0x0c, 0x00));

const depths = fullBox("pixi", 0, u8(3, 8, 8, 8));

export const sizeProperty = ({ width, height }: Size) => fullBox("ispe", 0, u32(width, height));

type Item = {
  readonly type?: "av01" | "grid" | "iovl" | "iden" | "Exif";
  readonly data: Uint8Array;
  readonly size?: Size;
  /** How often the same bytes are listed as an extent. */
  readonly extents?: number;
  readonly aux?: boolean;
};

type Reference = { readonly type: "dimg" | "auxl" | "thmb"; readonly from: number; readonly to: readonly number[] };

type Options = {
  readonly items: readonly Item[];
  readonly references?: readonly Reference[];
  /** More boxes inside `ipco`. */
  readonly properties?: readonly Uint8Array[];
  readonly brand?: "avif" | "avis";
  readonly more?: readonly Uint8Array[];
};

/** A file of items; the first is the primary one, and the ids count from 1. */
export function avifOf({ items, references = [], properties = [], brand = "avif", more = [] }: Options): Buffer {
  const data = items.map((item) => item.data);
  const start = join(box("ftyp", text(brand), u32(0), text("avifmif1miaf")), ...more);
  const metaAt = (offset: number) => meta({ items, references, properties, offset });
  const offset = start.length + metaAt(0).length + 8;
  return join(start, metaAt(offset), box("mdat", ...data));
}

type MetaOptions = Required<Pick<Options, "items" | "references" | "properties">> & { readonly offset: number };

function meta({ items, references, properties, offset }: MetaOptions): Buffer {
  const sizes = items.map(({ size }) => sizeProperty(size ?? { width: 1, height: 1 }));
  const auxiliary = fullBox("auxC", 0, text("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0"));
  return fullBox(
    "meta",
    0,
    fullBox("hdlr", 0, u32(0), text("pict"), u32(0, 0, 0), u8(0)),
    fullBox("pitm", 1, u32(1)),
    locations(items, offset),
    fullBox("iinf", 1, u32(items.length), ...items.map(information)),
    ...(references.length > 0 ? [fullBox("iref", 1, ...references.map(reference))] : []),
    box(
      "iprp",
      box("ipco", configuration, depths, auxiliary, join(...sizes), join(...properties)),
      associations(items),
    ),
  );
}

const information = ({ type = "av01" }: Item, index: number) =>
  fullBox("infe", 3, u32(index + 1), u16(0), text(type), u8(0));

const reference = ({ type, from, to }: Reference) => box(type, u32(from), u16(to.length), u32(...to));

function locations(items: readonly Item[], offset: number): Buffer {
  let at = offset;
  const entries = items.map(({ data, extents = 1 }, index) => {
    const extent = u32(at, data.length);
    at += data.length;
    return join(u32(index + 1), u16(0, 0, extents), ...Array(extents).fill(extent));
  });
  return fullBox("iloc", 2, u8(0x44, 0x00), u32(items.length), ...entries);
}

/** Property 1 is the codec's configuration, 2 the depth, 3 the alpha mark, and the sizes of the items follow. */
function associations(items: readonly Item[]): Buffer {
  const entries = items.map(({ type = "av01", aux }, index) => {
    const own = [...(type === "av01" ? [0x8001] : []), 2, ...(aux ? [3] : []), index + 4];
    return join(u32(index + 1), u8(own.length), u16(...own));
  });
  const body = join(u32(entries.length), ...entries);
  return box("ipma", u8(1, 0, 0, 1), body);
}

/** The content of a grid item: its cells, and the size of the whole. */
export const gridOf = (columns: number, rows: number, { width, height }: Size): Buffer =>
  join(u8(0, 1, rows - 1, columns - 1), u32(width, height));

/** One color in 64 × 64 pixels, as an encoder writes it. */
export const tinyPicture: Buffer = Buffer.from("12000a0618157ffda008320f1f0000005800000a059571644b9c9c", "hex");

/** An animation of equal frames. */
export function avifSequence(sample: Uint8Array, frames: number): Buffer {
  const start = box("ftyp", text("avis"), u32(0), text("avisavifmsf1miafMA1B"));
  const movieAt = (offset: number) =>
    box(
      "moov",
      box(
        "trak",
        box(
          "mdia",
          box(
            "minf",
            box(
              "stbl",
              fullBox("stts", 0, u32(1, frames, 1)),
              fullBox("stsc", 0, u32(1, 1, frames, 1)),
              fullBox("stsz", 0, u32(sample.length, frames)),
              fullBox("stco", 0, u32(1, offset)),
            ),
          ),
        ),
      ),
    );
  const offset = start.length + movieAt(0).length + 8;
  return join(start, movieAt(offset), box("mdat", sample));
}
