import { and, eq, getTableColumns, getTableName, inArray, type SQL, sql } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { getTableConfig, type PgColumn, type PgTable } from "drizzle-orm/pg-core";
import { z } from "zod";
import { scopes } from "../../domain/auth/scopes.ts";
import { generatedMedia, upstreamCalls } from "../database/tables/ai.ts";
import { apiTokens, users } from "../database/tables/auth.ts";
import { exportFiles, exportJobs, exportWebhooks, webhookAttempts } from "../database/tables/exports.ts";
import { assets, projects, templates, workMedia, works } from "../database/tables/projects.ts";

/** A stored file that a row names; the hash is absent if the row does not have it. */
export type RowFile = { readonly key: string; readonly sha256?: string; readonly column: string };

/** Column values by their names in the database. */
export type Row = { readonly [column: string]: unknown };

type Columns = Readonly<Record<string, z.ZodType>>;

type TableOptions = {
  /** Identifies a row in every database. */
  readonly key: readonly PgColumn[];
  /** The rows of one owner: a user, or a project. */
  readonly ownedBy: (ownerId: string) => SQL | undefined;
  /** Rows of large documents are read a few at a time. */
  readonly rowsAtOnce?: number;
  /** Columns that one database assigns, or that are set to another value, as SQL. */
  readonly omitted?: readonly PgColumn[];
  readonly replaced?: Readonly<Record<string, SQL>>;
  /** Columns that use of the service changes: a repeated import does not compare them. */
  readonly notCompared?: readonly PgColumn[];
  /** Columns that are null only in what was removed, which is not archived. Each has a schema in `columns`. */
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
  /** The table whose row each of these columns names: what the row belongs to. */
  readonly references: readonly { readonly column: string; readonly table: string }[];
  readonly schema: z.ZodType<Row>;
  readonly rowsAtOnce: number;
  selectRows(ownerId: string): SQL;
};

const Id = z.string().regex(/^[a-z]+_[0-9a-f]{32}$/);
const FileKey = z.string().regex(/^\w[\w.-]*(\/\w[\w.-]*)+$/);
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const Document = z.record(z.string(), z.unknown());
const Documents = z.array(Document);
const Scopes = z.array(z.enum(scopes));
const sizeBytes = z.int().min(0);
const file: Columns = { file_key: FileKey, sha256: Sha256, size_bytes: sizeBytes, facts: Document };

const nameOf = (column: PgColumn) => toSnakeCase(column.name);

/** Of the type of the column; those of the service's own tables, and no others. */
function valueSchema({ columnType, notNull }: PgColumn): z.ZodType {
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
  return notNull ? schema : schema.nullable();
}

function archived(table: PgTable, options: TableOptions): ArchivedTable {
  const { key, ownedBy, rowsAtOnce = 200, omitted = [], replaced = {}, notCompared = [], required = [] } = options;
  const { columns: stricter = {} } = options;
  const columns = Object.values(getTableColumns(table)).filter((column) => !omitted.includes(column));
  const schemaOf = (column: PgColumn) => {
    const own = stricter[nameOf(column)];
    if (!own) return valueSchema(column);
    return column.notNull || required.includes(column) ? own : own.nullable();
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
    references: getTableConfig(table).foreignKeys.map((foreignKey) => {
      const { columns: referring, foreignTable } = foreignKey.reference();
      return { column: nameOf(referring[0]!), table: getTableName(foreignTable) }; // safe because no key is empty
    }),
    schema: z.strictObject(Object.fromEntries(columns.map((column) => [nameOf(column), schemaOf(column)]))),
    rowsAtOnce,
    selectRows: (ownerId) => sql`
      select ${sql.join(selected, sql`, `)} from ${table} where ${ownedBy(ownerId)}
      order by ${sql.join([...key], sql`, `)}`,
  };
}

const worksOf = (projectId: string) => sql`(select id from works where project_id = ${projectId})`;

const hasEnded = inArray(exportJobs.status, ["done", "error", "cancelled"]);

const endedExportsOf = (projectId: string) =>
  sql`(select id from export_jobs where ${and(eq(exportJobs.projectId, projectId), hasEnded)})`;

/** The delivery queue is not archived: an event that still waits there counts as failed, and can be sent again. */
const stateWithoutQueue = sql`case when ${exportWebhooks.state} in ('waiting', 'pending') then 'failed'
  else ${exportWebhooks.state} end`;

/** The account itself, then what belongs to no project. */
export const userTables: readonly ArchivedTable[] = [
  archived(users, {
    key: [users.id],
    ownedBy: (id) => eq(users.id, id),
    required: [users.email],
    columns: { id: Id, email: z.string() },
  }),
  archived(apiTokens, {
    key: [apiTokens.id],
    ownedBy: (id) => eq(apiTokens.userId, id),
    notCompared: [apiTokens.lastUsedAt],
    columns: { id: Id, user_id: Id, scopes: Scopes },
  }),
  archived(upstreamCalls, {
    key: [upstreamCalls.id],
    ownedBy: (id) => eq(upstreamCalls.userId, id),
    columns: { id: Id, user_id: Id },
  }),
  archived(generatedMedia, {
    key: [generatedMedia.id],
    ownedBy: (id) => eq(generatedMedia.userId, id),
    columns: { id: Id, user_id: Id, ...file },
  }),
];

/** A project and everything in it; a row comes after those that it references. */
export const projectTables: readonly ArchivedTable[] = [
  archived(projects, {
    key: [projects.id],
    ownedBy: (id) => eq(projects.id, id),
    required: [projects.userId],
    columns: { id: Id, user_id: Id, style_guide: Document },
  }),
  archived(assets, {
    key: [assets.id],
    ownedBy: (id) => eq(assets.projectId, id),
    columns: { id: Id, project_id: Id, ...file, thumbnail_key: FileKey, tags: z.array(z.string()), speech: Document },
  }),
  archived(templates, {
    key: [templates.id],
    ownedBy: (id) => eq(templates.projectId, id),
    rowsAtOnce: 20,
    columns: { id: Id, project_id: Id, content: Document, tags: z.array(z.string()) },
  }),
  archived(works, {
    key: [works.id],
    ownedBy: (id) => eq(works.projectId, id),
    rowsAtOnce: 4,
    columns: {
      id: Id,
      project_id: Id,
      scenes: Documents,
      generated_scenes: Documents,
      analysis: Document,
      editor_state: Document,
      selected_asset_ids: z.array(z.string()),
      resolution: Document,
    },
  }),
  archived(workMedia, {
    key: [workMedia.workId, workMedia.slot],
    ownedBy: (id) => sql`${workMedia.workId} in ${worksOf(id)}`,
    columns: { work_id: Id, ...file, origin: Document, speech: Document },
  }),
  archived(exportJobs, {
    key: [exportJobs.id],
    ownedBy: (id) => and(eq(exportJobs.projectId, id), hasEnded),
    // the request has them, too
    omitted: [exportJobs.options],
    rowsAtOnce: 4,
    columns: {
      id: Id,
      user_id: Id,
      project_id: Id,
      scopes: Scopes,
      request: Document,
      // a waiting or running export has a job in the queue, which is not archived
      status: z.enum(["done", "error", "cancelled"]),
      warnings: Documents,
      captions: Document,
      failure: Document,
    },
  }),
  archived(exportFiles, {
    key: [exportFiles.exportId, exportFiles.target],
    ownedBy: (id) => sql`${exportFiles.exportId} in ${endedExportsOf(id)}`,
    columns: { export_id: Id, file_key: FileKey, size_bytes: sizeBytes },
  }),
  archived(exportWebhooks, {
    key: [exportWebhooks.exportId],
    ownedBy: (id) => sql`${exportWebhooks.exportId} in ${endedExportsOf(id)}`,
    replaced: { state: stateWithoutQueue },
    columns: { export_id: Id, state: z.enum(["delivered", "failed"]) },
  }),
  archived(webhookAttempts, {
    key: [webhookAttempts.exportId, webhookAttempts.at],
    ownedBy: (id) => sql`${webhookAttempts.exportId} in ${endedExportsOf(id)}`,
    // a number of one database's own
    omitted: [webhookAttempts.id],
    columns: { export_id: Id },
  }),
];

export const archivedTables: ReadonlyMap<string, ArchivedTable> = new Map(
  [...userTables, ...projectTables].map((table) => [table.name, table]),
);

/** Every other table, and why its rows stay where they are. */
export const tablesNotArchived: Readonly<Record<string, string>> = {
  token_families: "logins: people log in again",
  refresh_tokens: "logins: people log in again",
  rate_limits: "counts of the last minutes",
  account_remains: "folders that one store has yet to remove",
  idempotency_keys: "responses that are kept for a day, for repetitions of requests to one service",
  operations: "requests that one service is processing, or has processed within hours",
  leases: "locks of running processes",
  export_runs: "what running processes render together",
};

/** The stored files that a row names. */
export function filesOfRow(row: Row): readonly RowFile[] {
  const found = [
    { column: "file_key", key: row.file_key, sha256: row.sha256 },
    { column: "thumbnail_key", key: row.thumbnail_key, sha256: undefined },
  ];
  return found.flatMap(({ column, key, sha256 }) =>
    typeof key === "string" ? [{ column, key, ...(typeof sha256 === "string" && { sha256 }) }] : [],
  );
}
