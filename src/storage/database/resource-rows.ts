import { and, eq, type InferSelectModel } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Versioned } from "../../domain/shared/versioned.ts";
import type { Database } from "./database.ts";
import { databaseCode } from "./errors.ts";

type ResourceTable = PgTable & { readonly id: PgColumn };

type Shape<Table extends ResourceTable, Resource> = {
  readonly table: Table;
  /** Whose the rows are. It stands in every WHERE, so that nobody reaches what is somebody else's. */
  readonly owner: PgColumn;
  toResource(row: InferSelectModel<Table>): Resource;
  /** Every column, with null for what is absent: Drizzle would leave an undefined one as it was. */
  toRow(resource: Resource): InferSelectModel<Table>;
};

/** What projects, assets, templates and works have in common as rows: an owner and a revision. */
export function resourceRows<Table extends ResourceTable, Resource extends Versioned & { readonly id: string }>({
  table,
  owner,
  toResource,
  toRow,
}: Shape<Table, Resource>) {
  const named = (ownerId: string, id: string) => and(eq(owner, ownerId), eq(table.id, id));

  // safe because Drizzle answers whole rows of the table it was given; its types lose that for a generic one
  const read = (rows: readonly unknown[]) => rows.map((row) => toResource(row as InferSelectModel<Table>));
  const plain: PgTable = table;

  const find = async (db: Database, ownerId: string, id: string): Promise<Resource | undefined> =>
    read(await db.select().from(plain).where(named(ownerId, id)))[0];

  /** Holds the row until the transaction ends, so that two changes to it happen one after the other. */
  const lock = async (transaction: Database, ownerId: string, id: string): Promise<Resource | undefined> =>
    read(await transaction.select().from(plain).where(named(ownerId, id)).for("update"))[0];

  async function save(transaction: Database, found: Resource, changed: Resource): Promise<Resource> {
    const row = toRow({ ...changed, id: found.id, revision: found.revision + 1 });
    return read(await transaction.update(plain).set(row).where(eq(table.id, found.id)).returning())[0]!;
  }

  return {
    find,
    lock,
    save,

    /** Answers undefined when the owner is gone. */
    async add(db: Database, resource: Resource): Promise<Resource | undefined> {
      try {
        return read(await db.insert(plain).values(toRow(resource)).returning())[0];
      } catch (error) {
        if (databaseCode(error) === foreignKeyViolation) return undefined;
        throw error;
      }
    },

    change: (db: Database, ownerId: string, id: string, edit: (found: Resource) => Resource) =>
      db.transaction(async (transaction) => {
        const found = await lock(transaction, ownerId, id);
        return found && save(transaction, found, edit(found));
      }),

    /** Removes the row and all that hangs on it. `last` runs while it is still there; what that throws keeps it. */
    remove: <T>(
      db: Database,
      ownerId: string,
      id: string,
      last: (found: Resource, transaction: Database) => T | Promise<T>,
    ): Promise<T | undefined> =>
      db.transaction(async (transaction) => {
        const found = await lock(transaction, ownerId, id);
        if (!found) return undefined;
        const result = await last(found, transaction);
        await transaction.delete(plain).where(eq(table.id, found.id));
        return result;
      }),
  };
}

const foreignKeyViolation = "23503";
