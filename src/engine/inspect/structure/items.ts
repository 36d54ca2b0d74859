import { sum } from "../../../platform/values.ts";
import { boxesIn, boxOf, numbersIn, versionOf } from "../../mp4/boxes.ts";
import { requireAtMost, requireReadable } from "./refusal.ts";

export type Item = { readonly type: string; readonly data: () => Buffer };

type Location = { readonly id: number; readonly isInside: boolean; readonly extents: readonly Extent[] };
type Extent = { readonly at: number; readonly length: number };

/** The items that `meta` describes, with their bytes. Throws unsupported_media_type if there are more than `max`. */
export function* itemsIn(file: Buffer, meta: Buffer, max: number): Generator<Item> {
  const types = typesIn(boxOf(meta, "iinf"), max);
  const inside = boxOf(meta, "idat") ?? Buffer.alloc(0);
  let copied = 0;
  for (const { id, isInside, extents } of locationsIn(boxOf(meta, "iloc"), max)) {
    const whole = isInside ? inside : file;
    const parts = extents.map(({ at, length }) => whole.subarray(at, length === 0 ? undefined : at + length));
    // a decoder copies an item of several parts, and a part may be listed many times
    if (parts.length > 1) copied += sum(parts.map(({ length }) => length));
    requireReadable(copied <= file.length);
    yield { type: types.get(id) ?? "", data: () => (parts.length === 1 ? parts[0]! : Buffer.concat(parts)) };
  }
}

function typesIn(information: Buffer | undefined, max: number): ReadonlyMap<number, string> {
  const types = new Map<number, string>();
  if (!information) return types;
  const countBytes = versionOf(information) === 0 ? 2 : 4;
  for (const { type, content } of boxesIn(information.subarray(4 + countBytes))) {
    if (type !== "infe") continue;
    requireAtMost(types.size + 1, max, "items");
    const { take, rest } = numbersIn(content.subarray(4));
    const id = take(versionOf(content) === 3 ? 4 : 2);
    // the protection's index
    take(2);
    types.set(id, rest().toString("latin1", 0, 4));
  }
  return types;
}

// a grid of the largest size has one per item, and encoders write at most a few per item
const maxExtents = 10_000;

/** Reads the item location box. */
function locationsIn(locations: Buffer | undefined, max: number): readonly Location[] {
  if (!locations) return [];
  const version = versionOf(locations);
  const { take } = numbersIn(locations.subarray(4));
  const widths = widthsOf(take(2), version);
  const count = take(version < 2 ? 2 : 4);
  requireAtMost(count, max, "items");
  const found: Location[] = [];
  let extents = 0;
  while (found.length < count) {
    const location = locationOf(take, widths, version);
    extents += location.extents.length;
    requireAtMost(extents, maxExtents, "parts of items");
    found.push(location);
  }
  return found;
}

type Take = (count: number) => number;

/** The widths of fields in bytes. */
type Widths = { readonly offset: number; readonly length: number; readonly base: number; readonly index: number };

const widthsOf = (digits: number, version: number): Widths => ({
  offset: digits >> 12,
  length: (digits >> 8) & 15,
  base: (digits >> 4) & 15,
  index: version === 0 ? 0 : digits & 15,
});

/** The id, the construction method, the data reference, the base offset, then the extents. */
function locationOf(take: Take, widths: Widths, version: number): Location {
  const id = take(version < 2 ? 2 : 4);
  const isInside = version > 0 && (take(2) & 15) === 1;
  take(2);
  const start = take(widths.base);
  const extents = Array.from({ length: take(2) }, () => extentOf(take, widths, start));
  return { id, isInside, extents };
}

function extentOf(take: Take, widths: Widths, start: number): Extent {
  take(widths.index);
  return { at: start + take(widths.offset), length: take(widths.length) };
}
