import { and, getTableColumns, type InferSelectModel, inArray, or, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { rowsAtOnce } from "../../domain/files/expired.ts";
import type { StoredFile } from "../../engine/ports.ts";
import type { MediaFacts } from "../../engine/timeline/source.ts";
import { digitsInName, firstDigits } from "../tables/columns.ts";
import type { Database } from "./database.ts";

type NullableKey<Row> = { [Key in keyof Row]: null extends Row[Key] ? Key : never }[keyof Row];

type WithoutNulls<Row> = Omit<Row, NullableKey<Row>> & { [Key in NullableKey<Row>]?: NonNullable<Row[Key]> };

/** Converts a row for the domain: a null column becomes an absent field. */
export const withoutNulls = <Row extends object>(row: Row): WithoutNulls<Row> =>
  // safe because only the fields that WithoutNulls makes optional can be null
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<Row>;

/** The inverse: absent fields become null in nullable columns, which an update would otherwise not change. */
export function withNulls<Table extends PgTable, Fields extends Partial<InferSelectModel<Table>>>(
  table: Table,
  fields: Fields,
) {
  const nullable = Object.entries(getTableColumns(table)).filter(([, { notNull }]) => !notNull);
  const values: { readonly [column: string]: unknown } = fields;
  // safe because it adds the columns that can be null, and no others
  return { ...fields, ...Object.fromEntries(nullable.map(([name]) => [name, values[name] ?? null])) } as Fields &
    Pick<InferSelectModel<Table>, NullableKey<InferSelectModel<Table>>>;
}

type FileColumns = { fileKey: string; sizeBytes: number; sha256: string; filename: string; facts: MediaFacts };

export const toFileColumns = ({ key, ...rest }: StoredFile): FileColumns => ({ fileKey: key, ...rest });

export const toStoredFile = ({ fileKey, sizeBytes, sha256, filename, facts }: FileColumns): StoredFile => ({
  key: fileKey,
  sizeBytes,
  sha256,
  filename,
  facts,
});

/** Files with one of these hashes; a shorter hash matches all that begin with it. */
export function hasHash(column: PgColumn, hashes: readonly string[]): SQL | undefined {
  const [short, whole] = [hashes.filter(isShort), hashes.filter((hash) => !isShort(hash))];
  const begins = inArray(
    firstDigits(column),
    hashes.map((hash) => hash.slice(0, digitsInName)),
  );
  return and(begins, or(inArray(column, whole), inArray(firstDigits(column), short)));
}

const isShort = ({ length }: string): boolean => length === digitsInName;

/** Deletes rows that meet the condition, up to `rows`, and returns their number. `order` has an index. */
export async function deleteSome(
  db: Database,
  table: PgTable,
  condition: SQL,
  { order, rows = rowsAtOnce }: { readonly order?: PgColumn; readonly rows?: number } = {},
): Promise<number> {
  const by = order && sql`order by ${order}`;
  const rowIds = sql`array(select ctid from ${table} where ${condition} ${by} limit ${rows})`;
  const deleted = await db.execute(sql`delete from ${table} where ctid = any(${rowIds}) returning 1`);
  // safe because both drivers return the rows of a query under this name
  return (deleted as unknown as { rows: unknown[] }).rows.length;
}
