import { and, desc, inArray, is, type SQL, sql } from "drizzle-orm";
import { type PgColumn, PgJson, type PgTable } from "drizzle-orm/pg-core";
import { maxListedCharacters, type Page, type PageRequest } from "../../domain/shared/paging.ts";
import { invalid } from "../../errors.ts";
import type { Database } from "./database.ts";

/** The sort columns of a list, both descending; the id breaks ties of equal times. */
type SortColumns = { readonly time: PgColumn; readonly id: PgColumn };

type ListOrder<Row> = SortColumns & {
  /** The value of the `time` column in a row. */
  readonly timeOf: (row: Row) => number;
};

type CursorPosition = { readonly time: number; readonly id: string };

type Query<Row> = { orderBy(...by: SQL[]): { limit(count: number): PromiseLike<readonly Row[]> } };

/** Reads a page of small rows. `select` adds `afterCursor` to its WHERE clause, which excludes the previous pages. */
export async function readPage<Row extends { readonly id: string }>(
  { time, id, timeOf }: ListOrder<Row>,
  request: PageRequest,
  select: (afterCursor: SQL | undefined) => Query<Row>,
): Promise<Page<Row>> {
  const rows = await select(cursorCondition({ time, id }, request))
    .orderBy(desc(time), desc(id))
    .limit(rowsOf(request));
  const items = rows.slice(0, request.limit);
  const last = items.at(-1);
  return last && rows.length > items.length
    ? { items, next: encodeCursor({ time: timeOf(last), id: last.id }) }
    : { items };
}

type Listed = PgTable & { readonly createdAt: PgColumn; readonly id: PgColumn };
type ListedRow = { readonly createdAt: number; readonly id: string };

/** Whole rows of a table, newest first. */
export function readRows<Table extends Listed & { readonly $inferSelect: ListedRow }>(
  db: Database,
  table: Table,
  where: SQL | undefined,
  page: PageRequest,
): Promise<Page<Table["$inferSelect"]>> {
  const order = { time: table.createdAt, id: table.id, timeOf: (row: Table["$inferSelect"]) => row.createdAt };
  return readPage(order, page, (afterCursor) => {
    const rows = db
      .select()
      .from(table as PgTable)
      .where(and(where, afterCursor));
    // safe because these are the columns of the table
    return rows as unknown as Query<Table["$inferSelect"]>;
  });
}

/** One extra row shows whether there is a next page. */
const rowsOf = ({ limit }: PageRequest) => limit + 1;

const maxPageBytes = 8 * 1024 * 1024;

type SizedList = SortColumns & {
  readonly table: PgTable;
  readonly where: SQL | undefined;
  readonly bytes: RowBytes;
};

/** SQL for the bytes of a list item as JSON. */
type RowBytes = {
  readonly exact: SQL;
  /** A lower bound without reading long texts: a page that fits by it needs no other sizes. */
  readonly atMost: SQL;
};

/** A row of a page: its position in the list, and the bytes of the page up to its end. */
type SizedRow = CursorPosition & { readonly bytes: number };

/** Reads a page of rows that can be large: as many as fit into 8 MiB, and at least one. `select` adds `isOnPage`. */
export async function readSizedPage<Row extends { readonly id: string }>(
  db: Database,
  list: SizedList & ListOrder<Row>,
  request: PageRequest,
  select: (isOnPage: SQL | undefined) => Query<NoInfer<Row>>,
): Promise<Page<Row>> {
  const small = await readPage(list, request, (afterCursor) => select(and(afterCursor, fitsWhole(list, request))));
  // no rows: either the list has none, or they are too large for one page
  return small.items.length > 0 ? small : readLargePage(db, list, request, select);
}

/** SQL that is true if all rows up to the limit are small enough for one page. Computed once for the query. */
function fitsWhole({ table, where, time, id, bytes }: SizedList, request: PageRequest): SQL {
  const rows = sql`
    select ${bytes.atMost} as bytes from ${table} where ${and(where, cursorCondition({ time, id }, request))}
    order by ${time} desc, ${id} desc limit ${rowsOf(request)}`;
  return sql`(select sum(bytes) from (${rows}) as page) <= ${maxPageBytes}`;
}

async function readLargePage<Row>(
  db: Database,
  list: SizedList,
  request: PageRequest,
  select: (isOnPage: SQL) => Query<Row>,
): Promise<Page<Row>> {
  const sized = await sizedRows(db, list, request);
  const fits = ({ bytes }: SizedRow, index: number) => index < request.limit && (index === 0 || bytes <= maxPageBytes);
  const onPage = sized.filter(fits);
  const last = onPage.at(-1);
  if (!last) return { items: [] };

  const ids = onPage.map(({ id }) => id);
  const items = await select(inArray(list.id, ids)).orderBy(desc(list.time), desc(list.id)).limit(ids.length);
  return sized.length > onPage.length ? { items, next: encodeCursor(last) } : { items };
}

function sizedRows(db: Database, { table, where, time, id, bytes }: SizedList, request: PageRequest) {
  const start = positionAfter(request) ?? { time: Number.MAX_SAFE_INTEGER, id: "" };
  // walks row by row, because a window function would compute the size of every row up to the limit
  const walk = sql`(
    with recursive walk(time, id, rows, bytes) as (
      select ${start.time}::bigint, ${start.id}::text, 0, 0::bigint
      union all
      select next.time, next.id, walk.rows + 1, walk.bytes + next.bytes
      from walk, lateral (
        select ${time} as time, ${id} as id, ${bytes.exact} as bytes from ${table}
        where ${and(where, sql`(${time}, ${id}) < (walk.time, walk.id)`)}
        order by ${time} desc, ${id} desc limit 1
      ) as next
      where walk.rows <= ${request.limit} and (walk.bytes <= ${maxPageBytes} or walk.rows = 1)
    )
    select * from walk where rows > 0
  ) as walk`;
  const columns = { time: sql`time`.mapWith(Number), id: sql<string>`id`, bytes: sql`bytes`.mapWith(Number) };
  return db.select(columns).from(walk).orderBy(sql`rows`);
}

/** The keys, times and URLs of a list item, which are not among its large columns. */
const itemOverheadBytes = 512;

/** The bytes of a list item with these columns of texts or JSON. */
export const jsonBytes = (...columns: readonly (PgColumn | SQL)[]): RowBytes => {
  const sumOf = (parts: readonly SQL[]) => sql.join([sql`${itemOverheadBytes}::int`, ...parts], sql` + `);
  return { exact: sumOf(columns.map(bytesOf)), atMost: sumOf(columns.map(maxBytesOf)) };
};

const bytesOf = (column: PgColumn | SQL) => sql`coalesce(octet_length(to_json(${column})::text), 0)`;

/** JSON escapes a byte to six at most. Postgres stores the length of a text separately, but not that of a document. */
const maxBytesOf = (column: PgColumn | SQL) =>
  is(column, PgJson)
    ? sql`coalesce(case when pg_column_size(${column}) > ${maxStoredBytes} then ${maxPageBytes + 1}
        else octet_length(${column}::text) end, 0)`
    : sql`coalesce(6 * octet_length(${column}) + 2, 0)`;

/** A document of at most this stored size, perhaps compressed, is read quickly. */
const maxStoredBytes = 1_000;

/** A text column as lists show it. Postgres counts code points and reads no more of a long text. */
export const listedText = (column: PgColumn) =>
  // counting takes longer than reading, and a text has no more code points than bytes
  sql<string>`case when octet_length(${column}) <= ${maxListedCharacters} then ${column}
    else left(${column}, ${maxListedCharacters}) end`;

function cursorCondition({ time, id }: SortColumns, request: PageRequest): SQL | undefined {
  const last = positionAfter(request);
  return last && sql`(${time}, ${id}) < (${last.time}, ${last.id})`;
}

const positionAfter = ({ after }: PageRequest) => (after === undefined ? undefined : decodeCursor(after));

const encodeCursor = ({ time, id }: CursorPosition) => Buffer.from(`${time}.${id}`).toString("base64url");

function decodeCursor(cursor: string): CursorPosition {
  const [, time, id] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (!time || !id || encodeCursor({ time: Number(time), id }) !== cursor) {
    throw invalid("cursor", "Must be one that this list returned.");
  }
  return { time: Number(time), id };
}
