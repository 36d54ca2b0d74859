import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { isActive, users } from "../tables/accounts.ts";
import { projects } from "../tables/projects.ts";
import type { Scope } from "./manifest.ts";
import type { ArchivedTable } from "./rooms/archived-table.ts";
import { projectTables, userTables } from "./tables.ts";

/** A batch ends at these limits. */
export type BatchLimits = { readonly rows: number; readonly rowBytes: number; readonly fileBytes: number };

export const batchLimits: BatchLimits = { rows: 500, rowBytes: 1024 ** 2, fileBytes: 256 * 1024 ** 2 };

/** Rows in files of one batch each, so that no transaction waits for the reader of an archive. */
type Snapshot = { readonly batches: number; pathOf(batch: number): string };

const account = { id: users.id, email: sql<string>`${users.email}` };

/** Finds a user by id or email, or a project by id; undefined if there is none. */
export async function findScope(db: Database, named: { user?: string; project?: string }): Promise<Scope | undefined> {
  if (named.project !== undefined) return await findProject(db, named.project);
  if (named.user === undefined) return { kind: "all" };
  const isNamed = sql`(${users.id} = ${named.user} or ${users.email} = ${named.user.trim().toLowerCase()})`;
  const [user] = await db.select(account).from(users).where(and(isNamed, isActive));
  return user && { kind: "user", user };
}

async function findProject(db: Database, projectId: string): Promise<Scope | undefined> {
  const [found] = await db
    .select({ project: { id: projects.id, name: projects.name }, user: account })
    .from(projects)
    .innerJoin(users, and(eq(users.id, projects.userId), isActive))
    .where(eq(projects.id, projectId));
  return found && { kind: "project", ...found };
}

/** Writes all rows of the scope, as of one transaction, to files in an empty folder. */
export async function takeSnapshot(db: Database, scope: Scope, folder: string, limits: BatchLimits): Promise<Snapshot> {
  const writer = new BatchWriter(folder, limits);
  await db.transaction((transaction) => readScope(transaction, scope, writer), {
    isolationLevel: "repeatable read",
    accessMode: "read only",
  });
  await writer.endBatch();
  return { batches: writer.batches, pathOf: (batch) => join(folder, `${batch}.jsonl`) };
}

async function readScope(db: Database, scope: Scope, writer: BatchWriter): Promise<void> {
  if (scope.kind === "project") return await readOwner(db, projectTables, scope.project.id, writer);
  if (scope.kind === "user") return await readUser(db, scope.user.id, writer);
  const everyone = await db.select({ id: users.id }).from(users).where(isActive).orderBy(asc(users.id));
  for (const { id } of everyone) await readUser(db, id, writer);
}

async function readUser(db: Database, userId: string, writer: BatchWriter): Promise<void> {
  await readOwner(db, userTables, userId, writer);
  const isOwned = eq(projects.userId, userId);
  const owned = await db.select({ id: projects.id }).from(projects).where(isOwned).orderBy(asc(projects.id));
  for (const { id } of owned) await readOwner(db, projectTables, id, writer);
}

async function readOwner(db: Database, tables: readonly ArchivedTable[], ownerId: string, writer: BatchWriter) {
  for (const table of tables) {
    for await (const line of readLines(db, table.selectRows(ownerId), table.rowsAtOnce)) {
      await writer.add(`{"table":"${table.name}","row":${line}}`, sizeOfFiles(line));
    }
  }
}

/** Reads each row as one line of JSON. Documents keep their text: the order of keys and the notation of numbers. */
async function* readLines(db: Database, query: SQL, rowsAtOnce: number): AsyncGenerator<string> {
  await db.execute(
    sql`declare archived_rows no scroll cursor for select row_to_json(r)::text as line from (${query}) as r`,
  );
  // safe because the cursor returns one text column
  const fetchRows = async () =>
    (await db.execute(sql.raw(`fetch ${rowsAtOnce} from archived_rows`))) as unknown as { rows: { line: string }[] };
  for (let { rows } = await fetchRows(); rows.length > 0; { rows } = await fetchRows()) {
    // a line break in JSON text is white space between values
    for (const { line } of rows) yield line.replaceAll(/[\r\n]+/g, " ");
  }
  await db.execute(sql`close archived_rows`);
}

const sizeOfFiles = (line: string): number =>
  line.includes('"file_key":"') ? Number(/"size_bytes":(\d+)/.exec(line)?.[1] ?? 0) : 0;

class BatchWriter {
  batches = 0;
  private lines: string[] = [];
  private rowBytes = 0;
  private fileBytes = 0;

  constructor(
    private readonly folder: string,
    private readonly limits: BatchLimits,
  ) {}

  async add(line: string, fileBytes: number): Promise<void> {
    this.lines.push(line);
    this.rowBytes += line.length;
    this.fileBytes += fileBytes;
    const { limits } = this;
    const isFull =
      this.lines.length >= limits.rows || this.rowBytes >= limits.rowBytes || this.fileBytes >= limits.fileBytes;
    if (isFull) await this.endBatch();
  }

  async endBatch(): Promise<void> {
    if (this.lines.length === 0) return;
    this.batches += 1;
    await writeFile(join(this.folder, `${this.batches}.jsonl`), `${this.lines.join("\n")}\n`, { mode: 0o600 });
    this.lines = [];
    this.rowBytes = 0;
    this.fileBytes = 0;
  }
}
