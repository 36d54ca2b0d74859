import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type SQL, sql } from "drizzle-orm";
import { runMaintenance } from "../../../src/process/maintenance.ts";
import { diskFiles } from "../../../src/storage/files/disk-files.ts";
import { password, type TestService, type TestUser } from "../../support/service.ts";

export const removeAccount = (user: TestUser, secret = password) =>
  user.json("DELETE", "/api/auth/me", { password: secret });

export const maintain = async ({ services, db, dataDir }: TestService, failures: unknown[] = []) =>
  runMaintenance({ files: await diskFiles(dataDir), folderId: "folder", database: { db } }, services, (step, error) =>
    failures.push(step, error),
  );

/** Every table and path that says "marker k7x" or names the user or a project, whatever its case. */
export async function placesOf(service: TestService, { user }: TestUser, ...projectIds: readonly string[]) {
  const texts = ["markerk7x", user.id, user.email, ...projectIds];
  return [...(await tablesWith(service, texts)), ...(await pathsWith(service, texts))];
}

/** Searches all columns of all tables, those of the queues too, in one statement: each takes its time. */
async function tablesWith({ db }: TestService, texts: readonly string[]): Promise<readonly string[]> {
  const read = async (query: SQL) => {
    // safe because each query names its only column so
    const { rows } = (await db.execute(query)) as unknown as { readonly rows: readonly { readonly name: string }[] };
    return rows.map(({ name }) => name);
  };
  const tables = await read(sql`select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`);
  const searches = tables.map((name) => {
    const found = sql`select 1 from ${sql.raw(name)} as t where t::text ilike any (select pattern from patterns)`;
    return sql`select ${sql.raw(`'${name}'`)} as name where exists (${found})`;
  });
  const patterns = JSON.stringify(texts.map((text) => `%${text}%`));
  return await read(sql`with patterns as (select jsonb_array_elements_text(${patterns}::jsonb) as pattern)
    ${sql.join(searches, sql` union all `)}`);
}

/** Searches the names of files and folders, and the bytes of files. */
async function pathsWith({ dataDir }: TestService, texts: readonly string[]): Promise<readonly string[]> {
  const wanted = texts.map((text) => text.toLowerCase());
  const found: string[] = [];
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const content = entry.isFile() ? Buffer.from(await Bun.file(path).bytes()).toString("latin1") : "";
    const text = `${path.slice(dataDir.length)}\n${content}`.toLowerCase();
    if (wanted.some((each) => text.includes(each))) found.push(path);
  }
  return found;
}
