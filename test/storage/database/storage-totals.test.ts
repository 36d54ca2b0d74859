import { afterAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { freshDatabase } from "../../support/database.ts";
import { keptTotals, storageHistory } from "./storage-history.ts";

const { db, close } = await freshDatabase();
afterAll(close);
const { names, run } = await storageHistory(db);
const [at, size] = [fc.nat(30), fc.nat(30)];

test("each operation on the rows of two users keeps their totals the sums, whatever came before it", async () => {
  const operations = fc.shuffledSubarray([...names], { minLength: names.length });
  const choices = operations.chain((chosen) =>
    fc.tuple(...chosen.map((name) => fc.record({ operation: fc.constant(name), at, size }))),
  );
  await fc.assert(fc.asyncProperty(choices, run), { numRuns: 1, endOnFailure: true });
  expect(await keptTotals(db)).toEqual([0, 0]);
});

test("the columns of documents that hold texts all count", async () => {
  for (const table of ["projects", "works", "templates"]) {
    const { rows } = (await db.execute(sql`
      select column_name as name, pg_get_functiondef(('storage_of(' || table_name || ')')::regprocedure) as body
      from information_schema.columns where table_name = ${table} and table_schema = 'public'
        and data_type in ('text', 'json') and column_name not in ('id', 'user_id', 'project_id')`)) as unknown as {
      rows: { name: string; body: string }[];
    };
    const short = ["mode", "asset_usage_mode", "project_type"];
    const missing = rows.filter(({ name, body }) => !short.includes(name) && !body.includes(`r.${name}`));
    expect([table, rows.length > 3, missing.map(({ name }) => name)]).toEqual([table, true, []]);
  }
});
