import { getTableColumns, getTableName, inArray, type SQL, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { getTableConfig, type PgColumn, type PgTable } from "drizzle-orm/pg-core";
import { z } from "zod";
import { scopes } from "../../../domain/accounts/scopes.ts";

/** A stored file that a row names; the hash is absent if the row has none. */
export type RowFile = { readonly key: string; readonly sha256?: string; readonly column: string };

/** Column values by their names in the database. */
export type Row = { readonly [column: string]: unknown };

type Columns = Readonly<Record<string, z.ZodType>>;

type TableOptions = {
  /** Identifies a row in every database; by default the primary key does. */
  readonly key?: readonly PgColumn[];
  /** The rows of one owner: a user, or a project. */
  readonly ownedBy: (ownerId: string) => SQL | undefined;
  /** Smaller for large documents. */
  readonly rowsAtOnce?: number;
  /** Columns that one database assigns. */
  readonly omitted?: readonly PgColumn[];
  readonly replaced?: Readonly<Record<string, SQL>>;
  /** Columns that normal use changes: a repeated import does not compare them. */
  readonly notCompared?: readonly PgColumn[];
  /** Columns that become null when the named row is removed: importing that row restores them. */
  readonly detached?: readonly PgColumn[];
  /** Columns that name a row of the archive without a foreign key. */
  readonly names?: readonly { readonly column: PgColumn; readonly of: PgTable }[];
  /** Columns that are null only in removed rows, which are not archived. Each has a schema in `columns`. */
  readonly required?: readonly PgColumn[];
  /** Stricter schemas than those of the types, by column name. */
  readonly columns?: Columns;
};

export type ArchivedTable = {
  readonly name: string;
  readonly table: PgTable;
  readonly keyNames: readonly string[];
  readonly columnNames: readonly string[];
  readonly notCompared: readonly string[];
  readonly detached: readonly string[];
  /** The table that each of these columns references: the row's owner. */
  readonly references: readonly { readonly column: string; readonly table: string }[];
  /** Further columns whose rows must be in the archive. */
  readonly names: readonly { readonly column: string; readonly table: string }[];
  readonly schema: z.ZodType<Row>;
  readonly rowsAtOnce: number;
  selectRows(ownerId: string): SQL;
};

export const Id = z.string().regex(/^[a-z]+_[0-9a-f]{32}$/);
export const FileKey = z.string().regex(/^\w[\w.-]*(\/\w[\w.-]*)+$/);
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export const Document = z.record(z.string(), z.unknown());
export const Documents = z.array(Document);
export const Scopes = z.array(z.enum(scopes));
export const sizeBytes = z.int().min(0);
export const file: Columns = { file_key: FileKey, sha256: Sha256, size_bytes: sizeBytes, facts: Document };

const nameOf = (column: PgColumn) => toSnakeCase(column.name);

/** A schema by column type; knows the types of the service's own tables only. */
function valueSchema({ columnType }: PgColumn): z.ZodType {
  const byType: Readonly<Record<string, z.ZodType>> = {
    PgText: z.string(),
    PgInteger: z.int(),
    PgBigInt53: z.int(),
    PgDoublePrecision: z.number(),
    PgBoolean: z.boolean(),
    PgJson: z.unknown(),
  };
  const schema = byType[columnType];
  if (!schema) throw new Error(`No schema for columns of the type ${columnType}.`);
  return schema;
}

function primaryKeyOf(table: PgTable): readonly PgColumn[] {
  const { columns, primaryKeys } = getTableConfig(table);
  return primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
}

export function archived(table: PgTable, options: TableOptions): ArchivedTable {
  const { key = primaryKeyOf(table), ownedBy, rowsAtOnce = 200, omitted = [], replaced = {} } = options;
  const { columns: stricter = {}, names = [], detached = [], notCompared = [], required = [] } = options;
  const columns = Object.values(getTableColumns(table)).filter((column) => !omitted.includes(column));
  const schemaOf = (column: PgColumn) => {
    const schema = stricter[nameOf(column)] ?? valueSchema(column);
    // archives of earlier versions do not have it
    return column.notNull || required.includes(column) ? schema : schema.nullable().default(null);
  };
  const selected = columns.map((column) => {
    const name = nameOf(column);
    return replaced[name] ? sql`${replaced[name]} as ${sql.identifier(name)}` : sql`${column}`;
  });
  return {
    name: getTableName(table),
    table,
    keyNames: key.map(nameOf),
    columnNames: columns.map(nameOf),
    notCompared: notCompared.map(nameOf),
    detached: detached.map(nameOf),
    references: getTableConfig(table).foreignKeys.map((foreignKey) => {
      const { columns: referring, foreignTable } = foreignKey.reference();
      return { column: nameOf(referring[0]!), table: getTableName(foreignTable) }; // safe because no key is empty
    }),
    names: names.map(({ column, of }) => ({ column: nameOf(column), table: getTableName(of) })),
    schema: z.strictObject(Object.fromEntries(columns.map((column) => [nameOf(column), schemaOf(column)]))),
    rowsAtOnce,
    selectRows: (ownerId) => sql`
      select ${sql.join(selected, sql`, `)} from ${table} where ${ownedBy(ownerId)}
      order by ${sql.join([...key], sql`, `)}`,
  };
}

type Orders = Readonly<
  Record<"status" | "waitingFor" | "waitingReason" | "waitingAt" | "endedAt" | "updatedAt", PgColumn>
>;

/** Columns that archive unfinished orders as cancelled, because only one service may continue them. */
export function asEnded(orders: Orders, unfinishedStatuses: readonly string[]): Readonly<Record<string, SQL>> {
  const unfinished = inArray(orders.status, [...unfinishedStatuses]);
  const ifEnded = (column: PgColumn) => sql`case when ${unfinished} then null else ${column} end`;
  return {
    status: sql`case when ${unfinished} then 'cancelled' else ${orders.status} end`,
    waiting_for: ifEnded(orders.waitingFor),
    waiting_reason: ifEnded(orders.waitingReason),
    waiting_at: ifEnded(orders.waitingAt),
    ended_at: sql`coalesce(${orders.endedAt}, ${orders.updatedAt})`,
  };
}
