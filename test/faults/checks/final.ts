import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { sweepOrphanedFiles } from "../../../src/storage/files/orphans.ts";
import { s3Files } from "../../../src/storage/s3/files.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { waitUntil } from "../cluster/programs.ts";
import type { Ledger } from "../load/ledger.ts";
import type { Peers } from "../load/load.ts";
import { responseViolations } from "./responses.ts";

type Checked = { readonly cluster: Cluster; readonly peers: Peers; readonly ledger: Ledger };

const dayMs = 24 * 60 * 60 * 1000;

/** The promises that must hold once the faults have ended. Waits until the queue is empty. */
export async function finalViolations(checked: Checked): Promise<readonly string[]> {
  const { cluster, ledger } = checked;
  const parts = [
    [...ledger.violations],
    responseViolations(ledger.attempts),
    await queueViolations(checked),
    await orderViolations(checked),
    await operationViolations(checked),
    billingViolations(checked),
    await lockViolations(checked),
    await fileViolations(checked),
    await connectionViolations(cluster),
  ];
  return parts.flat();
}

/** Nothing waits, runs or is to be repeated. */
async function queueViolations({ cluster: { postgres } }: Checked): Promise<readonly string[]> {
  const open = () =>
    postgres.query(`select name, state::text, count(*)::int from pgboss.job
      where state in ('created', 'retry', 'active') group by 1, 2`);
  const isEmpty = await waitUntil(async () => (await open()).length === 0, 90_000);
  return isEmpty ? [] : [`jobs that did not end: ${JSON.stringify(await open())}`];
}

/** Each accepted export is done once: one row, one film, one event. */
async function orderViolations({ cluster: { postgres }, peers, ledger }: Checked): Promise<readonly string[]> {
  const rows = await postgres.query(`select id, status, attempt,
    (select count(*)::int from export_files where export_id = export_jobs.id) as files,
    (select state from export_webhooks where export_id = export_jobs.id) as webhook
    from export_jobs where status <> 'cancelled'`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const violations = ledger.orders.flatMap(({ id, isRemoved, hasWebhook }) => {
    const row = byId.get(id);
    const events = peers.receiver.events.get(id) ?? [];
    const ids = new Set(events.map((event) => event.id));
    const found: string[] = [];
    if (!isRemoved && (row?.status !== "done" || row.files !== 1)) found.push(`export ${id}: ${JSON.stringify(row)}`);
    if (hasWebhook && (ids.size !== 1 || events.some(({ type }) => type !== "export.done")))
      found.push(`events of export ${id}: ${JSON.stringify(events)} ${JSON.stringify(row)}`);
    return found;
  });
  const removed = ledger.orders.filter(({ isRemoved }) => isRemoved).length;
  const expected = ledger.exportKeys.size - removed;
  if (rows.length !== expected) {
    const known = new Set(ledger.orders.map(({ id }) => id));
    const others = rows.filter(({ id, webhook }) => webhook !== null && !known.has(id)).map(({ id }) => id);
    violations.push(`${rows.length} exports for ${expected} keys; with a webhook and unknown: ${others.join(", ")}`);
  }
  return violations;
}

/** An operation ends once: its end is never taken back. Interrupted ones are counted by the report. */
async function operationViolations({ cluster: { front }, ledger }: Checked): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { path, states, user } of ledger.operations) {
    const last = states.at(-1) ?? "unknown";
    if (!/^(done|error provider_error: .*billed)/.test(last)) found.push(`${path}: ${states.join(", ")}`);
    const response = await fetch(front.url + path, { headers: user.authorization });
    const { status, error } = await response.json();
    const final = error ? `${status} ${error.code}: ${error.error}` : status;
    if (final !== last) found.push(`${path} was "${last}" and became "${final}"`);
  }
  return found;
}

const billingViolations = ({ peers }: Checked): readonly string[] =>
  [...peers.provider.calls]
    .filter(([, count]) => count > 1)
    .map(([order, count]) => `${order} was paid ${count} times`);

/** No lease outlives its process, and no scene stays in a generating status. */
async function lockViolations({ cluster: { postgres } }: Checked): Promise<readonly string[]> {
  const now = "extract(epoch from clock_timestamp()) * 1000";
  const held = () =>
    postgres.query(`select name, leased_until from leases where leased_until > ${now} and name not like 'maintenance/%'
      union all select key, leased_until from idempotency_keys where status is null and leased_until > ${now}
      union all select id, leased_until from operations where status is null and leased_until > ${now}`);
  const isFree = await waitUntil(async () => (await held()).length === 0, 30_000);
  const generating = () =>
    postgres.query(`select id from works, json_array_elements(generated_scenes::json) as scene
      where scene ->> 'status' like 'generating%'`);
  const isIdle = await waitUntil(async () => (await generating()).length === 0, 90_000);
  return [
    ...(isFree ? [] : [`held: ${JSON.stringify(await held())}`]),
    ...(isIdle ? [] : [`scenes still generating: ${JSON.stringify(await generating())}`]),
  ];
}

/** Every row has its object, every confirmed file its bytes; after the sweep, each object has its row. */
async function fileViolations({ cluster, ledger }: Checked): Promise<readonly string[]> {
  const { front, postgres, store, folder } = cluster;
  const found: string[] = [];
  for (const { path, user } of ledger.files.values()) {
    const { status } = await fetch(front.url + path, { headers: user.authorization });
    if (status !== 200) found.push(`confirmed file ${path}: ${status}`);
  }
  for (const { path, user } of ledger.removed.values()) {
    const { status } = await fetch(front.url + path, { headers: user.authorization });
    if (status !== 404) found.push(`removed file ${path}: ${status}`);
  }
  const dataDir = `${folder}/checks`;
  const files = await s3Files({ bucket: store.bucket, dataDir, scratchBytes: 0, hasPublicUrls: false });
  const pool = new pg.Pool({ connectionString: postgres.url, max: 1 });
  const before = await files.keysWrittenBefore(Number.POSITIVE_INFINITY);
  const rows = await referencedKeys(postgres);
  const missing = rows.filter((key) => !before.includes(key));
  if (missing.length > 0) found.push(`rows without an object: ${missing.join(", ")}`);
  const swept = await sweepOrphanedFiles(drizzle(pool, { casing: "snake_case" }), files, Date.now() + 2 * dayMs);
  const after = new Set(await files.keysWrittenBefore(Number.POSITIVE_INFINITY));
  const unknown = [...after].filter((key) => !rows.includes(key));
  if (unknown.length > 0) found.push(`objects without a row after the sweep: ${unknown.join(", ")}`);
  const lost = rows.filter((key) => !after.has(key));
  if (lost.length > 0) found.push(`objects that the sweep took from their rows: ${lost.join(", ")}`);
  await pool.end();
  console.log(`files: ${rows.length} rows, ${before.length} objects, of which the sweep removed ${swept}`);
  return found;
}

async function referencedKeys(postgres: Cluster["postgres"]): Promise<readonly string[]> {
  const rows = await postgres.query(`select file_key as key from assets union select thumbnail_key from assets
    union select file_key from work_media union select file_key from generated_media
    union select file_key from idempotency_keys union select file_key from export_files`);
  return rows.flatMap(({ key }) => key ?? []);
}

/** Ten connections and three of the queue a process, and those that listen. */
const maxConnections = 4 * (10 + 3 + 3);

async function connectionViolations({ postgres }: Cluster): Promise<readonly string[]> {
  const rows = await postgres.query(`select application_name as name, count(*)::int as count from pg_stat_activity
    where application_name like 'reelwright%' group by 1`);
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  console.log(`connections: ${rows.map(({ name, count }) => `${name} ${count}`).join(", ")}`);
  return total > maxConnections ? [`${total} connections`] : [];
}
