import { and, eq, getTableColumns, getTableName, type InferSelectModel, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Versioned } from "../../domain/shared/versioned.ts";
import type { Database } from "./database.ts";
import { databaseCode } from "./errors.ts";

type ResourceTable = PgTable & { readonly id: PgColumn };

type ResourceMapping<Table extends ResourceTable, Resource> = {
  readonly table: Table;
  /** The parent's id. Every WHERE clause compares it, so that a caller cannot reach another owner's rows. */
  readonly owner: PgColumn;
  toResource(row: InferSelectModel<Table>): Resource;
  /** All columns, with null for absent fields: an update with undefined would leave the column unchanged. */
  toRow(resource: Resource): InferSelectModel<Table>;
};

/** Runs a write, and throws in its transaction if it exceeds a limit. */
type Within = <Result>(transaction: Database, write: () => Promise<Result | undefined>) => Promise<Result | undefined>;

/** Queries that projects, assets, templates and works share: their rows have an owner and a revision. */
export function resourceRows<Table extends ResourceTable, Resource extends Versioned & { readonly id: string }>({
  table,
  owner,
  toResource,
  toRow,
}: ResourceMapping<Table, Resource>) {
  const withId = (ownerId: string, id: string) => and(eq(owner, ownerId), eq(table.id, id));

  // safe because Drizzle returns whole rows of the table; its types lose this for a generic table
  const toResources = (rows: readonly unknown[]) => rows.map((row) => toResource(row as InferSelectModel<Table>));
  const untyped: PgTable = table;
  const columns = Object.entries<PgColumn>(getTableColumns(untyped));
  const mapColumns = <Value>(valueFor: (name: string, column: PgColumn) => Value) =>
    Object.fromEntries(columns.map(([name, column]) => [name, valueFor(name, column)]));

  /** Prepares the query once: it is built, and by a server parsed and planned, only for the first use. */
  const finder = (db: Database) => {
    const isWanted = and(eq(owner, sql.placeholder("owner")), eq(table.id, sql.placeholder("id")));
    const query = db
      .select()
      .from(untyped)
      .where(isWanted)
      .prepare(`find_${getTableName(table)}`);
    return async (ownerId: string, id: string): Promise<Resource | undefined> =>
      toResources(await query.execute({ owner: ownerId, id }))[0];
  };

  /** Prepares the statement once, as `finder` does. Returns undefined if the owner no longer exists. */
  const adder = (db: Database) => {
    // without the columns' own encoding, which turns null into a JSON null instead of an SQL null
    const values = mapColumns((name) => sql`${sql.placeholder(name)}`);
    const statement = db
      .insert(untyped)
      .values(values)
      .returning()
      .prepare(`add_${getTableName(table)}`);
    return async (resource: Resource): Promise<Resource | undefined> => {
      const row: Record<string, unknown> = toRow(resource);
      const encoded = mapColumns((name, column) => encode(column, row[name]));
      try {
        return toResources(await statement.execute(encoded))[0];
      } catch (error) {
        if (databaseCode(error) === foreignKeyViolation) return undefined;
        throw error;
      }
    };
  };

  /** Locks the row until the transaction ends, so that concurrent changes run one after the other. */
  const lock = async (transaction: Database, ownerId: string, id: string): Promise<Resource | undefined> =>
    toResources(await transaction.select().from(untyped).where(withId(ownerId, id)).for("update"))[0];

  /** The statement of `save`, to run as a part of another one. */
  function saving(transaction: Database, found: Resource, changed: Resource) {
    const row = toRow({ ...changed, id: found.id, revision: found.revision + 1 });
    return transaction.update(untyped).set(row).where(eq(table.id, found.id)).returning();
  }

  async function save(transaction: Database, found: Resource, changed: Resource): Promise<Resource> {
    return toResources(await saving(transaction, found, changed))[0]!;
  }

  return {
    finder,
    adder,
    lock,
    save,
    saving,

    change: (
      db: Database,
      ownerId: string,
      id: string,
      edit: (found: Resource) => Resource,
      within: Within = (_, write) => write(),
    ) =>
      db.transaction((transaction) =>
        within(transaction, async () => {
          const found = await lock(transaction, ownerId, id);
          return found && save(transaction, found, edit(found));
        }),
      ),

    /** Deletes the row and the rows that reference it. `beforeDelete` runs first; if it throws, nothing is deleted. */
    remove: <T>(
      db: Database,
      ownerId: string,
      id: string,
      beforeDelete: (found: Resource, transaction: Database) => T | Promise<T>,
    ): Promise<T | undefined> =>
      db.transaction(async (transaction) => {
        const found = await lock(transaction, ownerId, id);
        if (!found) return undefined;
        const result = await beforeDelete(found, transaction);
        await transaction.delete(untyped).where(eq(table.id, found.id));
        return result;
      }),
  };
}

const encode = (column: PgColumn, value: unknown): unknown => (value === null ? null : column.mapToDriverValue(value));

const foreignKeyViolation = "23503";
