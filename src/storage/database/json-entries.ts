import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

type Entries = { readonly [name: string]: unknown };

/** PostgreSQL cannot take apart JSON with NUL characters or lone surrogates. */
const literal = (entries: Entries): SQL => {
  const text = JSON.stringify(entries, (_, value) =>
    typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\ufffd") : value,
  );
  return sql`${text}::json`;
};

const objectOf = (entries: SQL): SQL =>
  sql`(select coalesce(json_object_agg(key, value), '{}'::json) from (${entries}) as entries)`;

/**
 * A JSON column with some entries changed; undefined removes one. Concurrent requests that change different entries all
 * keep their changes, unlike with an object that was read before.
 */
export function withEntries(column: PgColumn, changed: Entries): SQL {
  const named = literal(Object.fromEntries(Object.keys(changed).map((name) => [name, null])));
  return objectOf(sql`select key, value from json_each(${column})
    where key not in (select json_object_keys(${named}))
    union all select key, value from json_each(${literal(changed)})`);
}

/** A JSON column with missing entries added. */
export const withMissingEntries = (column: PgColumn, entries: Entries): SQL =>
  objectOf(sql`select key, value from json_each(${column})
    union all select key, value from json_each(${literal(entries)})
    where key not in (select json_object_keys(${column}))`);
