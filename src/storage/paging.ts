import { desc, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Page, PageRequest } from "../domain/paging.ts";
import { invalid } from "../errors.ts";

/** The two columns that a list is sorted by, both descending: ids break the ties of equal times. */
export type ListOrder = { readonly time: PgColumn; readonly id: PgColumn };

type Place = { readonly time: number; readonly id: string };

export const newestFirst = ({ time, id }: ListOrder): SQL[] => [desc(time), desc(id)];

/** What comes after the cursor of a request, for a WHERE. */
export function pastCursor({ time, id }: ListOrder, { after }: PageRequest): SQL | undefined {
  if (after === undefined) return undefined;
  const place = placeOf(after);
  return sql`(${time}, ${id}) < (${place.time}, ${place.id})`;
}

/** One row past the limit tells whether there is a next page. */
export const limitOf = ({ limit }: PageRequest): number => limit + 1;

export function pageOf<T>(rows: readonly T[], { limit }: PageRequest, placeIn: (row: T) => Place): Page<T> {
  if (rows.length <= limit) return { items: rows };
  const items = rows.slice(0, limit);
  return { items, next: cursorOf(placeIn(items[limit - 1]!)) };
}

const cursorOf = ({ time, id }: Place) => Buffer.from(`${time}.${id}`).toString("base64url");

function placeOf(cursor: string): Place {
  const [, time, id] = /^(\d{1,15})\.(\w{1,64})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (!time || !id || cursorOf({ time: Number(time), id }) !== cursor) {
    throw invalid("cursor", "Must be a cursor that this list gave.");
  }
  return { time: Number(time), id };
}
