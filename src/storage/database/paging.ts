import { desc, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Page, PageRequest } from "../../domain/shared/paging.ts";
import { invalid } from "../../errors.ts";

/** The two columns that a list is sorted by, both descending: ids break the ties of equal times. */
type Columns = { readonly time: PgColumn; readonly id: PgColumn };

export type ListOrder<Row> = Columns & {
  /** Reads the first of the columns off a row. */
  readonly timeOf: (row: Row) => number;
};

type Place = { readonly time: number; readonly id: string };

type Query<Row> = {
  orderBy(...by: SQL[]): { limit(count: number): PromiseLike<readonly Row[]> };
};

/** Reads one page of a query: `select` puts `past`, which leaves out the pages before, into its WHERE. */
export async function readPage<Row extends { readonly id: string }>(
  { time, id, timeOf }: ListOrder<Row>,
  request: PageRequest,
  select: (past: SQL | undefined) => Query<Row>,
): Promise<Page<Row>> {
  // one row past the limit tells whether there is a next page
  const rows = await select(pastCursor({ time, id }, request))
    .orderBy(desc(time), desc(id))
    .limit(request.limit + 1);
  const items = rows.slice(0, request.limit);
  const last = items.at(-1);
  return last && rows.length > items.length
    ? { items, next: cursorOf({ time: timeOf(last), id: last.id }) }
    : { items };
}

function pastCursor({ time, id }: Columns, { after }: PageRequest): SQL | undefined {
  if (after === undefined) return undefined;
  const place = placeOf(after);
  return sql`(${time}, ${id}) < (${place.time}, ${place.id})`;
}

const cursorOf = ({ time, id }: Place) => Buffer.from(`${time}.${id}`).toString("base64url");

function placeOf(cursor: string): Place {
  const [, time, id] = /^(\d{1,15})\.(\w{1,64})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (!time || !id || cursorOf({ time: Number(time), id }) !== cursor) {
    throw invalid("cursor", "Must be a cursor that this list gave.");
  }
  return { time: Number(time), id };
}
