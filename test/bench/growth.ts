import { sql } from "drizzle-orm";
import { Client } from "pg";
import { sceneLeasePrefix } from "../../src/domain/ai/generation/scene-lock.ts";
import { removeExpiredFiles, repeatWhileFull } from "../../src/domain/files/expired.ts";
import { newId } from "../../src/domain/shared/ids.ts";
import { openDatabase } from "../../src/storage/database/database.ts";
import { preparedServerDatabase } from "../support/database.ts";
import { registerOn, type TestService, type TestUser, testService } from "../support/service.ts";
import { formOf, png } from "../support/uploads.ts";
import { newWork, requireJson } from "../support/work-videos.ts";
import { type Figure, report } from "./figures.ts";
import { medianOf } from "./measure.ts";

/**
 * Measures routes and clean-ups on a server whose tables have grown, and fails if one of them reads a table that grows row
 * by row. Has a database of its own on the server that TEST_DATABASE_URL names.
 */
const scale = Number(process.env.BENCH_SCALE ?? 1);
const exportCount = 200_000 * scale;
const projectCount = 100_000 * scale;
/** In each of five tables. */
const expiredCount = 60_000 * scale;
/** Films of the account, each with the steps of a film of three scenes. */
const filmCount = 20_000 * scale;
/** Tables of the account, each with a thousand rows. */
const tableCount = 100 * scale;
const otherUsers = 1_000;
const runs = Number(process.env.BENCH_RUNS ?? 7);
/** A sequential scan of fewer rows is of a small table. */
const fewRows = 1_000;

const serverUrl = process.env.TEST_DATABASE_URL;
if (!serverUrl) throw new Error("Set TEST_DATABASE_URL: the bench grows a database on this server.");
const { databaseUrl, drop } = await preparedServerDatabase(serverUrl);
// one connection, so that its counts of rows can be asked for
const open = () => openDatabase({ databaseUrl, dataDir: "unused", poolSize: 1 });
const service = await testService({ MAX_USER_BYTES: `${1024 ** 4}` }, undefined, undefined, undefined, open);
const figures: Figure[] = [];
const scans: string[] = [];

try {
  const heavy = await registerOn(service.request, "Heavy");
  const { projectId, workId, image, base } = await newWork(heavy);
  await image(0, png(64, 36));
  const clips = [{ sceneIndex: 0, position: 0, end: 0.1 }];
  const film = { projectId, workId, clips, options: { width: 64, height: 36 } };
  const { filmId, batchId } = await orderOnce(heavy, projectId, workId);
  await fill({ heavy: heavy.user.id, projectId, workId, filmId, batchId });
  await measureRoutes(heavy, { projectId, base, film, filmId, batchId });
  await measureCleanUps(service);
  await measureRemovals(service, heavy, projectId);
  report(figures);
} finally {
  await service.close();
  await drop();
}
if (scans.length > 0) {
  console.error(`Read row by row:\n  ${scans.join("\n  ")}`);
  process.exit(1);
}
process.exit();

/** A film and a table that have ended, to be copied. */
async function orderOnce(heavy: TestUser, projectId: string, workId: string) {
  const project = `/api/projects/${projectId}`;
  const ended = async (path: string, body: object) => {
    const { id } = await requireJson(heavy.json("POST", `${project}/${path}`, body));
    await requireJson(heavy.json("POST", `${project}/${path}/${id}/cancel`));
    return id as string;
  };
  const filmId = await ended("films", { brief: { text: "A bike." }, resolution: { width: 64, height: 36 } });
  const base = { workId, export: { clips: [{ sceneIndex: 0, position: 0, end: 0.1 }] } };
  const batchId = await ended("batches", { base, rows: [{ sku: "a" }], keyColumn: "sku" });
  return { filmId, batchId };
}

type Filled = {
  readonly heavy: string;
  readonly projectId: string;
  readonly workId: string;
  readonly filmId: string;
  readonly batchId: string;
};

/** Triggers keep totals row by row, so they are off; the migration's own statements sum what is there. */
async function fill({ heavy, projectId, workId, filmId, batchId }: Filled): Promise<void> {
  // its statements ask the functions of today, so they count what later migrations added
  const migration = new URL("../../drizzle/0021_storage_totals.sql", import.meta.url);
  const statements = (await Bun.file(migration).text()).split("--> statement-breakpoint");
  const summing = statements.slice(statements.findIndex((text) => text.includes("CREATE TEMPORARY TABLE")));
  const startedAt = performance.now();
  // without the service's limits of time
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const run = (text: string) => client.query(text);
  await run("begin");
  // copies of the row with this id, with other values
  const copy = (table: string, id: string, rows: number, values: string) =>
    run(`insert into ${table} select (jsonb_populate_record(t, jsonb_build_object(${values}))).*
      from ${table} t, generate_series(1, ${rows}) n where t.id = '${id}'`);
  await run("set local session_replication_role = replica");
  await copy("users", heavy, otherUsers, "'id', 'user_' || n - 1, 'email', n || '@example.com'");
  await copy("projects", projectId, projectCount, "'id', 'proj_h' || n, 'updated_at', n");
  await copy("projects", projectId, otherUsers, "'id', 'proj_' || n - 1, 'user_id', 'user_' || n - 1");
  await copy("works", workId, projectCount, "'id', 'work_' || n, 'updated_at', n");
  await run(`insert into assets (id, project_id, name, type, file_key, size_bytes, sha256, filename, facts, revision,
      created_at, updated_at)
    select 'asset_' || n, '${projectId}', 'Logo ' || n, 'image', '${projectId}/a' || n || '.png', 1000, md5(n::text),
      'a.png', facts, 1, n, n from (select facts from work_media limit 1) m, generate_series(1, ${projectCount}) n`);
  const request = JSON.stringify({ clips: [], options: { width: 640, height: 360 }, text: "x".repeat(500) });
  await run(`insert into export_jobs (id, user_id, project_id, work_id, name, scopes, request, options, status, frames,
      frames_done, frames_rendered, warnings, attempt, revision, created_at, started_at, finished_at, expires_at)
    select 'exp_' || md5(n::text), case when n % 2 = 0 then '${heavy}' else 'user_' || n % ${otherUsers} end,
      case when n % 2 = 0 then '${projectId}' else 'proj_' || n % ${otherUsers} end, '${workId}', 'Film', '[]',
      '${request}', '{"width":640,"height":360,"quality":"standard"}', 'done', 300, 300, 300, '[]', 1, 1,
      n, n, n + 1000, 4000000000000 from generate_series(1, ${exportCount}) n`);
  await run(
    `insert into export_files (export_id, target, file_key, size_bytes) select id, '', project_id || '/' || id || '.mp4', 500000 from export_jobs`,
  );
  const aUser = `'user_' || n % ${otherUsers}`;
  await run(`insert into generated_media (id, user_id, file_key, size_bytes, sha256, filename, facts, created_at, expires_at)
    select 'media_' || md5(n::text), ${aUser}, ${aUser} || '/m' || n, 100, md5(n::text),
    'a.png', facts, n, n from (select facts from work_media limit 1) m, generate_series(1, ${expiredCount}) n`);
  await run(`insert into idempotency_keys (user_id, key, fingerprint, claim_id, leased_until, checkpoints, status, body,
      expires_at) select ${aUser}, 'key ' || n, 'f', 'c', 0, '{}', 200, '{}', n from generate_series(1, ${expiredCount}) n`);
  await run(`insert into token_families (id, user_id, created_at, last_used_at, expires_at)
    select 'sess_' || n, ${aUser}, n, n, n from generate_series(1, ${expiredCount}) n`);
  await run(
    `insert into rate_limits (key, points, expire) select 'rate ' || n, 1, to_timestamp(n) from generate_series(1, ${expiredCount}) n`,
  );
  await run(`insert into leases (name, holder_id, leased_until)
    select 'lease ' || n, 'h', n from generate_series(1, ${expiredCount}) n`);
  await run(`insert into upstream_calls (id, user_id, provider, model, purpose, milliseconds, outcome, created_at)
    select 'call_' || md5(n::text), '${heavy}', 'openai', 'm', 'image', 5, 'ok', n from generate_series(1, ${projectCount}) n`);
  await run(`insert into pgboss.job (name, data, group_id, state, completed_on)
    select 'exports', '{}', ${aUser}, 'completed', now() from generate_series(1, ${projectCount}) n`);
  await copy("films", filmId, filmCount, "'id', 'film_' || md5(n::text), 'created_at', n, 'updated_at', n");
  await run(`insert into film_steps (film_id, id, place, kind, scene, status, depends_on, attempts, checkpoints)
    select f.id, 'scene-' || n || '-image', n, 'image', n, 'done', '[]', '[]', '{}' from films f, generate_series(0, 8) n
    on conflict do nothing`);
  await run(`insert into film_results (project_id, hash, film_id, sha256)
    select '${projectId}', md5(id), id, md5(id) from films`);
  await run(`insert into spend_totals select '${heavy}', 'film', id, 'total', 1, 0, 0 from films`);
  await copy("batches", batchId, tableCount, "'id', 'batch_' || md5(n::text), 'rows', 1000, 'created_at', n");
  const perTable = "from batches b, generate_series(1, 1000) n";
  await run(`insert into batch_rows select b.id, n, 'row ' || n, '{"sku":"a"}' ${perTable} on conflict do nothing`);
  await run(`insert into batch_items (id, batch_id, project_id, place, row, key, language, target, file_name, status,
      identity, "values", text_length, frames, is_preview, film_id, warnings, errors, approval)
    select 'item_' || md5(b.id || n), b.id, '${projectId}', n, n, 'row ' || n, '', '9:16', n || '.mp4', 'done',
      md5(b.id || n), '{}', 1, 30, false, 'film_' || md5(n::text), '[]', '[]', 'none' ${perTable} on conflict do nothing`);
  await run("insert into batch_counts select batch_id, status, count(*), sum(frames) from batch_items group by 1, 2");
  await run(`insert into upstream_calls (id, user_id, project_id, film_id, step_id, batch_id, provider, model, purpose,
      milliseconds, outcome, cost, created_at)
    select 'call_' || md5(id || n), '${heavy}', '${projectId}', id, 'scene-' || n || '-image', '${batchId}', 'openai', 'm', 'image',
      5, 'ok', 40000, 2000000000000 + n from films, generate_series(0, 4) n`);
  await run(`insert into spend_by_day select s.user_id, s.day, s.project_id, s.provider, s.model, sum(s.cost),
      sum(s.reserved), sum(s.unknown), sum(s.calls), sum(s.entries)
    from upstream_calls c, spend_of(c, 1) s group by 1, 2, 3, 4, 5`);
  await run(`insert into reviews (id, work_id, hash, export_id, target, name, width, height, fps, duration_seconds,
      file_key, size_bytes, comment, approve, created_at, expires_at)
    select 'review_' || n, '${workId}', md5(n::text), 'exp_' || md5(n::text), '9:16', 'Film', 64, 36, 30, 1,
      '${projectId}/r' || n, 1000, true, true, n, n from generate_series(1, ${expiredCount}) n`);
  await run(`insert into operations (id, user_id, scopes, leased_until, status, body, created_at, ended_at, expires_at)
    select 'op_' || md5(n::text), ${aUser}, '{}', 0, 200, '{}', n, n, n from generate_series(1, ${expiredCount}) n`);
  await run("delete from shared_files");
  await run("delete from storage_totals");
  const filled = performance.now();
  for (const statement of summing) await run(statement);
  figures.push({
    figure: "seconds of summing the stored bytes of an upgrade",
    measured: ((performance.now() - filled) / 1000).toFixed(1),
    goal: "-",
  });
  await run("commit");
  await run("analyze");
  await client.end();
  console.log(`Filled in ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`);
}

/** Rows of each table that sequential scans have read, by this connection too. */
async function readBySequence(): Promise<ReadonlyMap<string, number>> {
  await service.db.execute(sql`select pg_stat_force_next_flush()`);
  const found = await service.db.execute(
    sql`select relname as name, seq_tup_read::float8 as rows from pg_stat_user_tables`,
  );
  const { rows } = found as unknown as { rows: { name: string; rows: number }[] };
  return new Map(rows.map((row) => [row.name, row.rows]));
}

/** Runs `work`, notes the tables of which it has read many rows in sequence, and returns its milliseconds. */
async function withoutScans(name: string, work: () => Promise<unknown>): Promise<string> {
  const before = await readBySequence();
  const startedAt = performance.now();
  await work();
  const milliseconds = (performance.now() - startedAt).toFixed(1);
  for (const [table, rows] of await readBySequence()) {
    const read = rows - (before.get(table) ?? 0);
    if (read >= fewRows) scans.push(`${name}: ${read} rows of ${table}`);
  }
  return milliseconds;
}

type Requests = {
  readonly projectId: string;
  readonly base: string;
  readonly film: object;
  readonly filmId: string;
  readonly batchId: string;
};

async function measureRoutes(heavy: TestUser, { projectId, base, film, filmId, batchId }: Requests): Promise<void> {
  const project = `/api/projects/${projectId}`;
  const upload = () => heavy.request(`${project}/assets`, { method: "POST", body: formOf({ file: png(8, 8) }) });
  const orderedExports: string[] = [];
  const routes: Readonly<Record<string, () => Response | Promise<Response>>> = {
    "GET projects?limit=20": () => heavy.request("/api/projects?limit=20"),
    "GET works?limit=20": () => heavy.request(`${project}/works?limit=20`),
    "GET assets?limit=20": () => heavy.request(`${project}/assets?limit=20`),
    "GET exports?limit=20": () => heavy.request("/api/exports?limit=20"),
    "GET project": () => heavy.request(project),
    "GET work": () => heavy.request(base),
    "GET usage/storage": () => heavy.request("/api/usage/storage"),
    "GET usage": () => heavy.request("/api/usage?limit=20"),
    "GET sessions": () => heavy.request("/api/auth/sessions"),
    "GET films?limit=20": () => heavy.request(`${project}/films?limit=20`),
    "GET film": () => heavy.request(`${project}/films/${filmId}`),
    "POST films/estimate": () => heavy.json("POST", `${project}/films/estimate`, { brief: { text: "A bike." } }),
    "GET batches?limit=20": () => heavy.request(`${project}/batches?limit=20`),
    "GET batch": () => heavy.request(`${project}/batches/${batchId}`),
    "GET films of a batch?limit=20": () => heavy.request(`${project}/batches/${batchId}/films?limit=20`),
    "GET spend by day": () => heavy.request("/api/spend"),
    "GET spend of a project": () => heavy.request(`/api/spend?projectId=${projectId}`),
    "GET spend by film": () => heavy.request("/api/spend?groupBy=film"),
    "GET budget": async () => {
      await heavy.json("PUT", `${project}/budget`, { limit: "1000.00", currency: "USD", period: "month" });
      return heavy.request(`${project}/budget`);
    },
    "GET reviews of a work": () => heavy.request(`${base}/reviews?limit=20`),
    "GET comments of a work": () => heavy.request(`${base}/comments?limit=20`),
    "POST export/validate": () => heavy.json("POST", "/api/export/validate", film),
    "POST assets": upload,
    "PUT work": () => heavy.json("PUT", base, { productName: newId("media") }),
    "POST exports": async () => {
      const created = await heavy.json("POST", "/api/exports", film);
      orderedExports.push((await created.clone().json()).id);
      return created;
    },
    "DELETE export": () => heavy.request(`/api/exports/${orderedExports.pop()}`, { method: "DELETE" }),
  };
  for (const [name, request] of Object.entries(routes)) {
    const times: number[] = [];
    await withoutScans(name, async () => {
      for (let run = 0; run < runs; run++) {
        const startedAt = performance.now();
        const response = await request();
        await response.arrayBuffer();
        times.push(performance.now() - startedAt);
        if (!response.ok) throw new Error(`${name} is ${response.status}.`);
      }
    });
    figures.push({ figure: `${name}, median ms`, measured: medianOf(times).toFixed(1), goal: "<= 100" });
  }
}

/** One batch of each, and then all of them. */
async function measureCleanUps({ services }: TestService): Promise<void> {
  const { refreshTokens, rateLimiter, generatedMedia, idempotencyKeys, leases, exports, operations } = services;
  const { ledger, works, projects, files, reviews, films, batches } = services;
  const now = 1_000_000_000_000;
  const steps: Readonly<Record<string, () => Promise<unknown>>> = {
    sessions: () => refreshTokens.removeExpired(now),
    "rate limits": () => rateLimiter.removeExpired(now),
    "generated media": () => removeExpiredFiles(generatedMedia, files, now),
    responses: () => removeExpiredFiles(idempotencyKeys, files, now),
    exports: () => removeExpiredFiles(exports, files, now),
    operations: () => operations.removeExpired(now),
    leases: () => leases.removeExpired(sceneLeasePrefix),
    usage: () => ledger.summarizeBefore(now),
    "abandoned calls": () => ledger.endAbandoned(),
    "works that generate": () => works.findGenerating(now),
    reviews: () => removeExpiredFiles(reviews, files, now),
    "keys of films": () => films.expireKeys(now),
    "keys of tables": () => batches.expireKeys(now),
    "waiting films": () => films.endWaiting(now),
    "expired scenes": () => leases.listExpired(sceneLeasePrefix),
    "projects of caches": () => projects.existing(Array.from({ length: 100 }, () => newId("proj"))),
  };
  for (const [name, step] of Object.entries(steps)) {
    const measured = await withoutScans(`clean-up of ${name}`, step);
    figures.push({ figure: `a batch of the clean-up of ${name}, ms`, measured, goal: "<= 1000" });
  }
  const startedAt = performance.now();
  const until = Date.now() + 600_000;
  await repeatWhileFull(() => refreshTokens.removeExpired(now), until);
  await repeatWhileFull(() => rateLimiter.removeExpired(now), until);
  await repeatWhileFull(() => leases.removeExpired(sceneLeasePrefix), until);
  await repeatWhileFull(() => removeExpiredFiles(generatedMedia, files, now), until);
  await repeatWhileFull(() => removeExpiredFiles(idempotencyKeys, files, now), until);
  figures.push({
    figure: `seconds of removing ${5 * expiredCount} expired rows`,
    measured: ((performance.now() - startedAt) / 1000).toFixed(1),
    goal: "-",
  });
}

/** Answers at once; then the first batches. */
async function measureRemovals(service: TestService, heavy: TestUser, projectId: string): Promise<void> {
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const measured = await withoutScans(name, work);
    figures.push({ figure: `${name}, ms`, measured, goal: name.startsWith("DELETE") ? "<= 100" : "<= 1000" });
  };
  const answer = async (sent: Response | Promise<Response>) => {
    const { status } = await sent;
    if (status !== 204) throw new Error(`A removal is ${status}.`);
  };
  await timed("DELETE project", () => answer(heavy.request(`/api/projects/${projectId}`, { method: "DELETE" })));
  const { removals } = service.services;
  for (let batch = 1; batch <= 3; batch++) await timed(`batch ${batch} of its rows`, () => removals.removeBatch());
}
