import { isDeepStrictEqual } from "node:util";
import { eq, getTableName, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { parseJson } from "../../platform/parse-json.ts";
import type { Database } from "../database/database.ts";
import { withoutNulls } from "../database/rows.ts";
import { addAllToTotals } from "../ledger/totals.ts";
import { exportWebhooks } from "../tables/exports.ts";
import { upstreamCalls } from "../tables/ledger.ts";
import type { ArchivedTable, Row } from "./rooms/archived-table.ts";
import { archivedTables } from "./tables.ts";

/** A row of an archive. `text` is its JSON as the source database wrote it; it is inserted unchanged. */
export type ArchivedRow = { readonly table: ArchivedTable; readonly row: Row; readonly text: string };

export const lineOf = (table: string, text: string): string => `{"table":"${table}","row":${text}}`;

/** Throws a one-line message if the line is not a row of a table of this version. */
export function parseLine(line: string): ArchivedRow {
  const [, name = "", text = ""] = /^\{"table":"(\w+)","row":(\{.*\})\}$/s.exec(line) ?? [];
  const table = archivedTables.get(name);
  if (!table) throw new Error(`The archive holds a row of an unknown table${name && `, ${name}`}.`);
  const result = table.schema.safeParse(parseJson(text));
  if (result.success) return { table, row: result.data, text };
  const { path, message } = result.error.issues[0]!; // safe because a failed parse has an issue
  throw new Error(`The archive holds a row of ${name} that this version cannot store: ${path.join(".")}: ${message}.`);
}

/** A text such as `assets asset_1`. */
export const describeRow = ({ table, row }: ArchivedRow): string =>
  `${table.name} ${table.keyNames.map((name) => row[name]).join(" ")}`;

const keyCondition = ({ table, row }: ArchivedRow): SQL =>
  sql.join(
    table.keyNames.map((name) => sql`${sql.identifier(name)} = ${row[name]}`),
    sql` and `,
  );

export async function rowExists(db: Database, row: ArchivedRow): Promise<boolean> {
  const found = await db.execute(sql`select 1 from ${row.table.table} where ${keyCondition(row)}`);
  return rowsOf(found).length > 0;
}

/** The stored row with the same key, with values as in an archive. */
async function findRow(db: Database, { table, row, text }: ArchivedRow): Promise<Row | undefined> {
  const columns = columnList(table);
  const query = sql`select row_to_json(r)::text as line from (
    select ${columns} from ${table.table} where ${keyCondition({ table, row, text })}) as r`;
  const [found] = rowsOf<{ line: string }>(await db.execute(query));
  return found && JSON.parse(found.line);
}

export type InsertOptions = {
  /** Whether a differing stored row stays; otherwise it is an error. */
  readonly keepsExisting: boolean;
  /** New sealed webhook secrets by those of the archive. Stored secrets may differ, because each seal does. */
  readonly replacedSecrets?: ReadonlyMap<string, string>;
};

type InsertCount = { readonly added: number; readonly kept: number; readonly equal: number };

/** Adds missing rows in one transaction. Throws a one-line message for the first that contradicts a stored row. */
export const insertRows = (db: Database, rows: readonly ArchivedRow[], options: InsertOptions): Promise<InsertCount> =>
  db.transaction(async (transaction) => {
    const count = { added: 0, kept: 0, equal: 0 };
    const added: ArchivedRow[] = [];
    const joined: ArchivedRow[] = [];
    for (const row of rows) {
      const result = await insertRow(transaction, row, options);
      if (result === "joined") joined.push(row);
      if (result === "added") added.push(row);
      count[result === "joined" ? "equal" : result] += 1;
    }
    await addSpend(transaction, added, joined);
    for (const [secret, replacement] of options.replacedSecrets ?? []) {
      const isSecret = eq(exportWebhooks.secret, secret);
      await transaction.update(exportWebhooks).set({ secret: replacement }).where(isSecret);
    }
    return count;
  });

const Call = z.object({
  ...{ user_id: z.string(), project_id: z.string().nullable(), film_id: z.string().nullable() },
  batch_id: z.string().nullable(),
  ...{ state: z.string(), cost: z.int(), estimate: z.int().nullable(), created_at: z.int() },
});

/** Budgets count imported calls as spending; rows that only rejoined their project were counted before. */
async function addSpend(
  transaction: Database,
  added: readonly ArchivedRow[],
  joined: readonly ArchivedRow[],
): Promise<void> {
  const ofAdded = callsAmong(added).map((call) => ({
    ...entryOf(call),
    scope: withoutNulls({
      ...{ userId: call.user_id, projectId: call.project_id },
      ...{ batchId: call.batch_id, filmId: call.film_id },
    }),
  }));
  const ofJoined = callsAmong(joined).flatMap((call) => {
    const { createdAt, delta } = entryOf(call);
    const counted = { spent: -delta.spent, unknown: -delta.unknown };
    return [
      {
        createdAt,
        delta,
        scope: withoutNulls({ userId: call.user_id, projectId: call.project_id, filmId: call.film_id }),
      },
      { createdAt, delta: counted, scope: { userId: call.user_id } },
    ];
  });
  await addAllToTotals(transaction, [...ofAdded, ...ofJoined]);
}

const callsAmong = (rows: readonly ArchivedRow[]) =>
  rows.filter(({ table }) => table.name === getTableName(upstreamCalls)).map(({ row }) => Call.parse(row));

const entryOf = (call: z.output<typeof Call>) => ({
  createdAt: call.created_at,
  delta: { spent: BigInt(call.cost), unknown: BigInt(call.state === "unknown" ? (call.estimate ?? 0) : 0) },
});

/** `joined`: an existing row again names a row that was removed and is imported. */
type Inserted = keyof InsertCount | "joined";

async function insertRow(db: Database, row: ArchivedRow, options: InsertOptions): Promise<Inserted> {
  const columns = columnList(row.table);
  // from the JSON text, because a document must stay exactly as written
  const inserted = await db.execute(sql`
    insert into ${row.table.table} (${columns})
    select ${columns} from json_populate_record(null::${row.table.table}, ${row.text}::json)
    where not exists (select from ${row.table.table} where ${keyCondition(row)})
    on conflict do nothing returning 1`);
  if (rowsOf(inserted).length > 0) return "added";
  const existing = await findRow(db, row);
  if (!existing) throw new Error(contradiction(row));
  const isEqualWith = (found: Row) =>
    isDeepStrictEqual(compared(row.table, found, options), compared(row.table, row.row, options));
  if (isEqualWith(existing)) return "equal";
  const detached = row.table.detached.filter((column) => existing[column] === null);
  const whole = { ...existing, ...Object.fromEntries(detached.map((column) => [column, row.row[column]])) };
  if (isEqualWith(whole)) {
    await joinAgain(db, row, [...detached, ...row.table.notCompared]);
    return "joined";
  }
  // otherwise the archive could add rows to another user's project
  if (!row.table.references.every(({ column }) => whole[column] === row.row[column])) {
    throw new Error(`${describeRow(row)} is there, and belongs to something else: nothing of it was changed.`);
  }
  if (options.keepsExisting) return "kept";
  throw new Error(
    `${describeRow(row)} is there with other values: nothing of it was changed. Add --keep-existing to leave such rows as they are.`,
  );
}

async function joinAgain(db: Database, row: ArchivedRow, columns: readonly string[]): Promise<void> {
  const names = columns.map((column) => sql.identifier(column));
  const changes = names.map((name) => sql`${name} = imported.${name}`);
  await db.execute(sql`
    update ${row.table.table} set ${sql.join(changes, sql`, `)}
    from json_populate_record(null::${row.table.table}, ${row.text}::json) as imported
    where ${sql.join(
      row.table.keyNames.map((name) => sql`${row.table.table}.${sql.identifier(name)} = ${row.row[name]}`),
      sql` and `,
    )}`);
}

function compared({ notCompared }: ArchivedTable, row: Row, { replacedSecrets }: InsertOptions): Row {
  const ignored = replacedSecrets ? [...notCompared, "secret"] : notCompared;
  return Object.fromEntries(Object.entries(row).filter(([column]) => !ignored.includes(column)));
}

/** A row whose key is free, but which conflicts with another row. */
const contradiction = (row: ArchivedRow): string =>
  row.table.name === "users"
    ? `The address ${row.row.email} belongs to another account here: export the projects of ${row.row.id} one by one, and import them with --as.`
    : `${describeRow(row)} contradicts a row that is there.`;

const columnList = (table: ArchivedTable): SQL =>
  sql.join(
    table.columnNames.map((name) => sql.identifier(name)),
    sql`, `,
  );

// safe because both drivers return the rows of a query under this name
const rowsOf = <Result = unknown>(result: unknown) => (result as { rows: readonly Result[] }).rows;
