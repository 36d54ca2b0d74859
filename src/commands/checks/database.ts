import { existsSync } from "node:fs";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import { drizzle as drizzleEmbedded } from "drizzle-orm/pglite";
import { Client } from "pg";
import type { Environment } from "../../env.ts";
import { existingSecretOf } from "../../process/resources.ts";
import { secretFingerprint } from "../../security/secret-hashes.ts";
import { otherSecretAdvice, otherSecretSentence, otherSecretUse } from "../../storage/accounts/secret-uses.ts";
import { describeServer, embeddedFolder, openPglite, tryLock } from "../../storage/database/database.ts";
import { migrationState } from "../../storage/database/migrate.ts";
import { connectionsOf, listenerName } from "../../storage/database/probe.ts";
import { type Check, clockFinding, type Finding, failure, ok, warning } from "./check.ts";
import { foreignOwner } from "./disk.ts";

type Connection = PgDatabase<PgQueryResultHKT>;

const minVersion = 15;
const connectMs = 5_000;

/** Changes nothing: its attempts are rolled back, and pending migrations stay pending. */
export const databaseCheck: Check = {
  name: "database",
  settings: ["DATABASE_URL", "DATABASE_POOL_SIZE", "DATA_DIR"],
  run: (environment) =>
    environment.DATABASE_URL ? checkServer(environment, environment.DATABASE_URL) : checkEmbedded(environment),
};

async function checkEmbedded(environment: Environment): Promise<readonly Finding[]> {
  const { DATA_DIR: dataDir } = environment;
  const folder = embeddedFolder(dataDir);
  if (!existsSync(folder)) return [ok(`There is no embedded database in ${dataDir} yet: the first start creates it.`)];
  const foreign = await foreignOwner(folder);
  if (foreign) return [foreign];
  const lock = tryLock(dataDir);
  if (!lock) {
    return [
      ok(`A running service uses the embedded database in ${folder}: not opened. See its /api/ready for its state.`),
    ];
  }
  try {
    const client = await openPglite(folder);
    try {
      const db = drizzleEmbedded(client, { casing: "snake_case" });
      return [ok(`Embedded PostgreSQL in ${folder}.`), ...(await contentFindings(db, environment))];
    } finally {
      await client.close();
    }
  } catch (error) {
    return [failure(`The embedded database in ${folder} cannot be opened: ${(error as Error).message}.`)];
  } finally {
    lock.release();
  }
}

async function checkServer(environment: Environment, databaseUrl: string): Promise<readonly Finding[]> {
  const options = { connectionTimeoutMillis: connectMs, query_timeout: connectMs, statement_timeout: connectMs };
  const client = new Client({ connectionString: databaseUrl, ...options });
  // an error event without a listener ends the process; the query in progress reports the error
  client.on("error", () => {});
  try {
    await client.connect();
    return await inspectServer(drizzle(client, { casing: "snake_case" }), describeServer(databaseUrl), environment);
  } catch (error) {
    return [connectionFailure(error, describeServer(databaseUrl))];
  } finally {
    void client.end().catch(() => {});
  }
}

async function inspectServer(
  db: Connection,
  description: string,
  environment: Environment,
): Promise<readonly Finding[]> {
  const sentAt = Date.now();
  const { version, isReplica, now } = await serverFacts(db);
  const roundTripMs = Date.now() - sentAt;
  if (version < minVersion * 10_000) {
    return [failure(`${description} has version ${Math.floor(version / 10_000)}.`, `Use ${minVersion} or later.`)];
  }
  if (isReplica) return [failure(`${description} is a replica.`, "Name the primary server in DATABASE_URL.")];
  const rights = await rightsFinding(db);
  return [
    ok(`${description}, version ${Math.floor(version / 10_000)}.${version % 10_000}, answers in ${roundTripMs} ms.`),
    rights,
    // without rights, the record of migrations cannot be read either
    ...(rights.status === "ok" ? await contentFindings(db, environment) : []),
    await connectionsFinding(db, environment.DATABASE_POOL_SIZE),
    clockFinding("the database", now - (sentAt + roundTripMs / 2)),
  ];
}

// safe because both drivers return the rows of a query under this name
const rowsOf = <Row>(result: unknown) => (result as { rows: readonly Row[] }).rows;

async function serverFacts(db: Connection) {
  const [facts] = rowsOf<{ version: number; replica: boolean; now: number }>(
    await db.execute(sql`select current_setting('server_version_num')::int as version,
      pg_is_in_recovery() as replica, (extract(epoch from clock_timestamp()) * 1000)::float8 as now`),
  );
  return { version: facts!.version, isReplica: facts!.replica, now: facts!.now }; // safe because it selects one row
}

const connectionFixes: readonly (readonly [code: RegExp, sentence: string, fix: string])[] = [
  [/^28/, "refuses the user or the password", "Correct them in DATABASE_URL, or the rule in pg_hba.conf."],
  [/^3D000/, "does not have this database", "Create it, or correct its name in DATABASE_URL."],
  [
    /^53300/,
    "has no free connections",
    "Raise max_connections, or lower DATABASE_POOL_SIZE: a process opens one more.",
  ],
  [/^57P03/, "is starting or stopping", "Try again."],
  [/^(ENOTFOUND|EAI_AGAIN)/, "has an unknown host name", "Correct the host in DATABASE_URL."],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)/, "is not running there", "Start it, or correct DATABASE_URL."],
];

function connectionFailure(error: unknown, description: string): Finding {
  const { code = "", message = "" } = rootOf(error);
  const known = connectionFixes.find(([pattern]) => pattern.test(code));
  if (known) return failure(`${description} ${known[1]} (${code}).`, known[2]);
  return failure(
    `${description} cannot be used: ${code || message.split("\n")[0]}.`,
    "Check the server and DATABASE_URL.",
  );
}

/** Drizzle wraps the errors of the driver. */
const rootOf = (error: unknown): NodeJS.ErrnoException => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause as NodeJS.ErrnoException;
};

const schemas = ["drizzle", "pgboss"];

/** Performs the operations of migrations and rolls them back. */
async function rightsFinding(db: Connection): Promise<Finding> {
  const missing = rowsOf<{ name: string }>(
    await db.execute(sql`select name from unnest(${sql.param(schemas)}::text[]) as name
      where not exists (select from pg_namespace where nspname = name)`),
  );
  const [foreign] = rowsOf<{ tables: number; owner: string | null }>(
    await db.execute(sql`select count(*)::int as tables, min(pg_get_userbyid(relowner)) as owner
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where relkind = 'r' and nspname in ('public', 'drizzle', 'pgboss')
      and not pg_has_role(current_user, relowner, 'usage')`),
  );
  if (foreign && foreign.tables > 0) {
    const fix = `Connect as ${foreign.owner}, or make it grant its role to this user.`;
    return failure(`${foreign.tables} tables belong to ${foreign.owner}: migrations cannot alter them.`, fix);
  }
  const denied = await deniedStep(db, missing.length > 0);
  if (!denied) return ok("The user may create and alter tables.");
  return failure(`The user may not ${denied.what}.`, denied.fix);
}

async function deniedStep(db: Connection, needsSchema: boolean) {
  const name = `reelwright_check_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
  const table = sql.identifier(name);
  const create = {
    what: "create tables",
    fix: "Grant CREATE on its schema to the user, or make the user own the database.",
  };
  const schema = { what: "create schemas", fix: "Grant CREATE on the database to the user, or make the user own it." };
  const steps = [
    { ...create, run: sql`create table ${table} (id int primary key)` },
    { ...create, run: sql`alter table ${table} add column name text` },
    { ...create, run: sql`insert into ${table} values (1, 'a')` },
    ...(needsSchema ? [{ ...schema, run: sql`create schema ${table}` }] : []),
  ];
  await db.execute(sql`begin`);
  try {
    for (const { run, ...step } of steps) {
      const isDone = await db.execute(run).then(
        () => true,
        (error) => {
          if (rootOf(error).code !== "42501" && rootOf(error).code !== "3F000") throw error;
          return false;
        },
      );
      if (!isDone) return step;
    }
    return undefined;
  } finally {
    await db.execute(sql`rollback`);
  }
}

async function contentFindings(db: Connection, environment: Environment): Promise<readonly Finding[]> {
  const migrations = await migrationFinding(db);
  const secret = migrations.status === "ok" ? await secretFinding(db, environment) : undefined;
  return secret ? [migrations, secret] : [migrations];
}

/** Undefined if no process has recently started with another secret, or none has started at all. */
async function secretFinding(db: Connection, environment: Environment): Promise<Finding | undefined> {
  // processes on a server share a setting; without it there is nothing to compare, and the check of settings says so
  const secret = environment.DATABASE_URL ? environment.JWT_SECRET : await existingSecretOf(environment);
  const [{ exists } = { exists: false }] = rowsOf<{ exists: boolean }>(
    await db.execute(sql`select to_regclass('secret_fingerprints') is not null as "exists"`),
  );
  const usedAt = secret && exists ? await otherSecretUse(db, secretFingerprint(secret)) : undefined;
  return usedAt && warning(otherSecretSentence(usedAt), otherSecretAdvice);
}

async function migrationFinding(db: Pick<Connection, "execute">): Promise<Finding> {
  const { tags, pending, isNewer } = await migrationState(db);
  if (isNewer) {
    const fix = "Start that version again, or restore a backup from before the upgrade.";
    return failure("A newer version of the service has migrated the database.", fix);
  }
  if (pending.length === 0) return ok(`All ${tags.length} migrations are applied.`);
  if (pending.length === tags.length) return ok("The database is empty: the first start creates its tables.");
  return warning(
    `${pending.length} of ${tags.length} migrations are pending.`,
    "Make a backup: the next start of this version applies them.",
  );
}

type Room = { readonly processes: number; readonly free: number };

/** Compares the connections that running processes may open with the number that the server has free. */
async function connectionsFinding(db: Connection, poolSize?: number): Promise<Finding> {
  const each = connectionsOf(poolSize);
  const result = await db.execute(sql`select count(*) filter (where is_own and application_name = ${listenerName})::int
      as processes,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - count(*) filter (where pid <> pg_backend_pid() and not is_own)::int as free
    from (select *, datname = current_database() and application_name like 'reelwright%' as is_own
      from pg_stat_activity where backend_type = 'client backend') as client`);
  // safe because both drivers return the rows of a query under this name, and this one returns one
  const [{ processes, free }] = (result as { rows: [Room] }).rows;
  const possible = Math.floor(free / each);
  const sentence = `${free} connections are free for the service: ${possible} processes with up to ${each} each`;
  if (Math.max(1, processes) <= possible) return ok(`${sentence}; ${processes} run now.`);
  return warning(
    `${sentence}, but ${Math.max(1, processes)} run.`,
    "Raise max_connections, or lower DATABASE_POOL_SIZE.",
  );
}
