import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { TestService } from "./service.ts";

/** The tables and the paths of the data folder that hold a text anywhere, whatever its case. */
export async function placesWith(service: TestService, text: string): Promise<readonly string[]> {
  return [...(await tablesWith(service, text)), ...(await pathsWith(service, text))];
}

/** Searches all columns of all tables, those of the queues too. */
async function tablesWith({ db }: TestService, text: string): Promise<readonly string[]> {
  const { rows } = (await db.execute(sql`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`)) as unknown as {
    rows: { schema: string; name: string }[];
  };
  const found: string[] = [];
  for (const { schema, name } of rows) {
    const table = sql`${sql.identifier(schema)}.${sql.identifier(name)}`;
    const { rows: hits } = (await db.execute(
      sql`select 1 from ${table} as t where t::text ilike ${`%${text}%`} limit 1`,
    )) as unknown as { rows: unknown[] };
    if (hits.length > 0) found.push(`${schema}.${name}`);
  }
  return found;
}

/** Searches the names of files and folders, and the bytes of files. */
async function pathsWith({ dataDir }: TestService, text: string): Promise<readonly string[]> {
  const wanted = text.toLowerCase();
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const content = entry.isFile() ? Buffer.from(await Bun.file(path).bytes()).toString("latin1") : "";
    if (`${path.slice(dataDir.length)}\n${content}`.toLowerCase().includes(wanted)) found.push(path);
  }
  return found;
}
