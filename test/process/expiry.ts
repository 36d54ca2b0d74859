import { expect } from "bun:test";
import { sql } from "drizzle-orm";
import { DomainError } from "../../src/errors.ts";
import { runMaintenance } from "../../src/process/maintenance.ts";
import type { Services } from "../../src/services.ts";
import { diskFiles } from "../../src/storage/files/disk-files.ts";
import { exportJobs } from "../../src/storage/tables/exports.ts";
import { queuedExport } from "../storage/samples.ts";
import type { TestService } from "../support/service.ts";
import { newProject } from "../support/uploads.ts";

/** Adds so many expired rows of each kind to a service without any, and expects that they go, each after its file. */
export async function expectExpiry({ services, db, seeding, dataDir, register }: TestService, waiting: number) {
  const ann = await register("Ann");
  const project = await newProject(ann);
  const { id: userId } = ann.user;
  const number = sql`generate_series(1, ${waiting}::int) number`;
  await db
    .insert(exportJobs)
    .values({ ...queuedExport({ userId, projectId: project }), finishedAt: 2, status: "done" });
  await seeding.execute(sql`insert into export_jobs select (jsonb_populate_record(e, jsonb_build_object('id', 'exp_' || number))).*
    from export_jobs e, ${number}`);
  await seeding.execute(sql`insert into export_files select id, '', 'p/' || id || '.mp4', 1 from export_jobs`);
  await seeding.execute(sql`insert into generated_media select 'media_' || number, ${userId}, 'u/' || number || '.png', 1, '', '',
    '{}', 1, 2 from ${number}`);
  await seeding.execute(sql`insert into idempotency_keys (user_id, key, fingerprint, claim_id, leased_until, checkpoints, expires_at)
    select ${userId}, number, '', '', 0, '{}', 2 from ${number}`);
  await seeding.execute(
    sql`insert into operations select 'op_' || number, ${userId}, '{}', 0, 200, '', 1, 2, 2 from ${number}`,
  );
  await seeding.execute(sql`insert into rate_limits select 'old ' || number, 1, to_timestamp(1) from ${number}`);
  await seeding.execute(sql`insert into leases select 'old ' || number, '', 1 from ${number}`);
  await seeding.execute(sql`insert into upstream_calls select 'call_' || number, ${userId}, '', '', 'image', 1, 'ok', 1, 1, 1, 1
    from ${number}`);
  await seeding.execute(sql`insert into token_families (id, user_id, created_at, last_used_at, expires_at)
    select 'sess_' || number, ${userId}, 1, 1, 2 from ${number}`);
  const removed: string[] = [];
  const files = await diskFiles(dataDir);
  const remove = async (keys: readonly string[]) => void removed.push(...keys);
  const failures: unknown[] = [];
  const run = (changed: Partial<Services>) =>
    runMaintenance({ files, folderId: "a folder", database: { db } }, { ...services, ...changed }, (step, error) =>
      failures.push(step, error),
    );

  const away = () => Promise.reject(new DomainError("unavailable", { part: "file storage" }));
  await run({ files: { ...services.files, remove: away } });
  expect(failures.filter((each) => typeof each === "string").toSorted()).toEqual(["exports", "generated media"]);
  failures.length = 0;
  await run({ files: { ...services.files, remove } });

  expect(failures).toEqual([]);
  expect(new Set(removed).size).toBe(2 * waiting + 1);
  const tables = ["export_jobs", "generated_media", "idempotency_keys", "operations", "leases", "upstream_calls"];
  const left = await Promise.all(tables.map((table) => db.$count(sql`${sql.identifier(table)}`)));
  expect(left).toEqual(tables.map(() => 0));
  expect(await db.$count(sql`rate_limits where key like 'old %'`)).toBe(0);
  expect(await db.$count(sql`token_families where expires_at = 2`)).toBe(0);
}
