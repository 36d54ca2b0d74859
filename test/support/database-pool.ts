import type { PGlite } from "@electric-sql/pglite";

/** What a test may have changed beyond rows: then its database is left to nobody else. */
const schemaHash = `select md5(concat_ws(' ',
  (select string_agg(concat_ws(' ', c.oid, relname, attname, atttypid, attnotnull, atthasdef), ' ' order by c.oid, attnum)
    from pg_class c join pg_attribute on attrelid = c.oid
    where relnamespace::regnamespace::text in ('public', 'pgboss', 'drizzle')),
  ${["pg_class", "pg_trigger", "pg_proc", "pg_constraint", "pg_namespace", "pg_roles"]
    .map((table) => `(select count(*) from ${table})`)
    .join(", ")})) as hash`;

/**
 * Of the tables without pages nothing has to go. Rows of small tables are deleted, without triggers and foreign keys: that takes a
 * fifth of the time that new files for the tables take. The migrations stay, and the queues come back as they were.
 */
const emptyTables = `do $$ declare found record; large text; begin
  perform set_config('session_replication_role', 'replica', true);
  for found in select format('%I.%I', nspname, relname) as name, relkind, pg_relation_size(c.oid) as bytes
    from pg_class c join pg_namespace n on n.oid = relnamespace
    where nspname in ('public', 'pgboss') and relname not in ('version', 'queue')
      and (relkind = 'S' or relkind = 'r' and pg_relation_size(c.oid) > 0)
  loop
    if found.relkind = 'S' then perform setval(found.name::regclass, 1, false);
    elsif found.bytes > 65536 then large := concat_ws(', ', large, found.name);
    else execute 'delete from ' || found.name; end if;
  end loop;
  if large is not null then execute 'truncate ' || large || ' cascade'; end if;
  delete from pgboss.queue;
end $$`;

const queuesAsText = "select coalesce(jsonb_agg(to_jsonb(q)), '[]')::text as text from pgboss.queue q";

const restoreQueues = `insert into pgboss.queue
  select * from jsonb_populate_recordset(null::pgboss.queue, $1::text::jsonb)`;

export type PooledDatabase = {
  /** Without parameters, a text may have several statements. */
  readonly query: (text: string, parameters?: unknown[]) => Promise<readonly Record<string, string>[]>;
  /** Ends what its last user may have left: connections, listeners. */
  readonly disconnect: () => Promise<unknown>;
  readonly remove: () => Promise<unknown>;
};

/**
 * Databases with all tables, each for one user at a time: to empty one takes a tenth of the time that a new one takes.
 * `create` makes one that nobody has used.
 */
export function databasePool<Database extends PooledDatabase>(create: () => Promise<Database>) {
  type Pooled = { readonly database: Database; readonly schema: string; readonly queues: string };
  const idle: Pooled[] = [];

  const open = async (): Promise<Pooled> => {
    const database = await create();
    return { database, schema: await one(database, schemaHash), queues: await one(database, queuesAsText) };
  };

  /** True if the database is again as it was created. */
  const empty = async ({ database, schema, queues }: Pooled): Promise<boolean> => {
    if ((await one(database, schemaHash)) !== schema) return false;
    await database.disconnect();
    await database.query(emptyTables);
    await database.query(restoreQueues, [queues]);
    await database.query("discard all");
    return true;
  };

  return async () => {
    const pooled = idle.pop() ?? (await open());
    const giveBack = async () => {
      if (await empty(pooled)) idle.push(pooled);
      else await pooled.database.remove();
    };
    return { database: pooled.database, giveBack };
  };
}

/** A client whose `close` calls this, and that can do nothing after it. */
export function closingBy(client: PGlite, giveBack: () => Promise<void>): PGlite {
  let isClosed = false;
  const reject = async () => {
    throw new Error("PGlite is closed");
  };
  const close = async () => {
    isClosed = true;
    await giveBack();
  };
  return new Proxy(client, {
    get(client, property) {
      const value = Reflect.get(client, property, client);
      if (typeof value !== "function") return value;
      if (isClosed) return reject;
      return property === "close" ? close : value.bind(client);
    },
  });
}

/** The only field of the only row. */
async function one({ query }: PooledDatabase, text: string): Promise<string> {
  const [row] = await query(text);
  return Object.values(row!)[0]!;
}
