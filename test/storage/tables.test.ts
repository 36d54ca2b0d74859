import { expect, test } from "bun:test";
import { Glob } from "bun";
import { getTableName, is, sql } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import config from "../../drizzle.config.ts";
import { freshDatabase } from "../support/database.ts";

const root = `${import.meta.dir}/../..`;

test("the files that migrations are generated from declare exactly the tables of a migrated database", async () => {
  const files = await Array.fromAsync(new Glob(config.schema).scan(root));
  const modules: readonly object[] = await Promise.all(files.map((file) => import(`${root}/${file}`)));
  const declared = modules.flatMap((module) => Object.values(module)).filter((value) => is(value, PgTable));
  const { db, close } = await freshDatabase();
  // safe because the statement selects this column
  const { rows } = (await db.execute(
    sql`select table_name as name from information_schema.tables where table_schema = 'public'`,
  )) as unknown as { readonly rows: readonly { readonly name: string }[] };
  await close();
  expect(declared.map((table) => getTableName(table)).sort()).toEqual(rows.map(({ name }) => name).sort());
});
