import { cp, exists, rename, rm } from "node:fs/promises";
import type { PGlite } from "@electric-sql/pglite";

/**
 * Copies an initialized embedded database to `folder`, completely or not at all; does nothing if there is a database.
 * Only one process may call it for a folder. Creating a database takes five seconds of CPU time, copying one a fifth of
 * a second.
 */
export async function copyTemplate(template: string, folder: string): Promise<void> {
  if (await exists(folder)) return;
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await cp(template, partial, { recursive: true });
  await rename(partial, folder);
}

// a schema of our own, so that nothing else comments on it
const mark = "comment on schema drizzle is";

/** Marks a migrated database as a template for copies. */
export const markTemplate = (client: PGlite): Promise<unknown> => client.exec(`${mark} 'template'`);

/** Copies of a template have the same system identifier. Each start tries to give it its own until one succeeds. */
export async function identifyCopy(client: PGlite): Promise<void> {
  const { rows } = await client.query(`select 1 where ${databaseMark} = 'template'`);
  if (rows.length > 0) await client.exec(`${mark} '${crypto.randomUUID()}'`);
}

/** SQL for the identity of a database that was copied from a template; null for others. */
export const databaseMark = "obj_description(to_regnamespace('drizzle'), 'pg_namespace')";
