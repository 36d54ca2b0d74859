import { desc, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Page, PageRequest } from "../../domain/shared/paging.ts";
import { invalid } from "../../errors.ts";

/** The sort columns of a list, both descending; the id breaks ties of equal times. */
type SortColumns = { readonly time: PgColumn; readonly id: PgColumn };

export type ListOrder<Row> = SortColumns & {
  /** The value of the `time` column in a row. */
  readonly timeOf: (row: Row) => number;
};

type CursorPosition = { readonly time: number; readonly id: string };

type Query<Row> = {
  orderBy(...by: SQL[]): { limit(count: number): PromiseLike<readonly Row[]> };
};

/** Reads one page. `select` adds `afterCursor` to its WHERE clause, which excludes the previous pages. */
export async function readPage<Row extends { readonly id: string }>(
  { time, id, timeOf }: ListOrder<Row>,
  request: PageRequest,
  select: (afterCursor: SQL | undefined) => Query<Row>,
): Promise<Page<Row>> {
  // one extra row shows whether there is a next page
  const rows = await select(cursorCondition({ time, id }, request))
    .orderBy(desc(time), desc(id))
    .limit(request.limit + 1);
  const items = rows.slice(0, request.limit);
  const last = items.at(-1);
  return last && rows.length > items.length
    ? { items, next: encodeCursor({ time: timeOf(last), id: last.id }) }
    : { items };
}

function cursorCondition({ time, id }: SortColumns, { after }: PageRequest): SQL | undefined {
  if (after === undefined) return undefined;
  const last = decodeCursor(after);
  return sql`(${time}, ${id}) < (${last.time}, ${last.id})`;
}

const encodeCursor = ({ time, id }: CursorPosition) => Buffer.from(`${time}.${id}`).toString("base64url");

function decodeCursor(cursor: string): CursorPosition {
  const [, time, id] = /^(\d{1,15})\.(\w{1,64})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (!time || !id || encodeCursor({ time: Number(time), id }) !== cursor) {
    throw invalid("cursor", "Must be a cursor from this list.");
  }
  return { time: Number(time), id };
}
