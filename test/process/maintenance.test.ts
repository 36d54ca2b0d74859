import { expect, test } from "bun:test";
import { utimes } from "node:fs/promises";
import { Readable } from "node:stream";
import { sql } from "drizzle-orm";
import type { Expired } from "../../src/domain/files/expired.ts";
import { sweepProjectCaches } from "../../src/domain/projects/projects.ts";
import type { Services } from "../../src/domain/services.ts";
import { newId } from "../../src/domain/shared/ids.ts";
import { takeLease } from "../../src/domain/shared/leases.ts";
import { DomainError } from "../../src/errors.ts";
import { runMaintenance, sweepLeaseName } from "../../src/process/maintenance.ts";
import { exportJobs } from "../../src/storage/exports/tables.ts";
import { diskFiles } from "../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../src/storage/files/render-cache.ts";
import { queuedExport } from "../storage/samples.ts";
import { testService } from "../support/service.ts";
import { isStored } from "../support/stored-files.ts";
import { newProject } from "../support/uploads.ts";

const folderId = "a folder";

test("what a running export cached for a project after its removal is removed", async () => {
  const { services, register, dataDir, close } = await testService();
  const ann = await register("Ann");
  const project = await newProject(ann);
  const cache = diskRenderCache(dataDir, 2 ** 20);
  const part = `${dataDir}/part`;
  await Bun.write(part, "part");
  const keys = [project, newId("proj")].map((id) => `${id}/${"a".repeat(64)}`);
  await cache.put(keys.map((key) => ({ key, path: part })));

  await sweepProjectCaches(services);

  expect(await Promise.all(keys.map((key) => cache.sizeOf(key)))).toEqual([4, undefined]);
  await close();
});

test("every step of the maintenance runs although others fail, and each failure is reported", async () => {
  const { services, db, dataDir, close } = await testService();
  const files = await diskFiles(dataDir);
  const key = "p/orphan.mp4";
  await files.store(await files.receive(Readable.from([Buffer.from("orphan")]), 100), key);
  await files.withLocalFile({ key }, (path) => utimes(path, 0, 0));

  const broken = new Error("broken");
  const removeExpired = () => Promise.reject(broken);
  const failing = {
    ...services,
    refreshTokens: { ...services.refreshTokens, removeExpired },
    rateLimiter: { ...services.rateLimiter, removeExpired },
    generatedMedia: { ...services.generatedMedia, listExpired: removeExpired },
    idempotencyKeys: { ...services.idempotencyKeys, listExpired: removeExpired },
    operations: { ...services.operations, removeExpired },
    leases: { ...services.leases, removeExpired },
    works: { ...services.works, findGenerating: removeExpired },
    exports: { ...services.exports, listExpired: removeExpired },
    ledger: { ...services.ledger, summarizeBefore: removeExpired },
  };
  const failures: unknown[] = [];
  await runMaintenance({ files, folderId, database: { db } }, failing, (step, error) => failures.push([step, error]));

  const steps = [
    "sessions",
    "rate limits",
    "generated media",
    "responses",
    "operations",
    "leases",
    "scenes",
    "exports",
    "usage",
  ];
  expect(failures).toBeArrayOfSize(steps.length);
  expect(failures).toEqual(expect.arrayContaining(steps.map((step) => [step, broken])));
  expect(await files.keysWrittenBefore(Date.now())).toEqual([]);
  await close();
});

test("a step runs in one process at a time, and one that does not end stops no other", async () => {
  const { services, db, dataDir, close } = await testService();
  const files = await diskFiles(dataDir);
  const failures: unknown[] = [];
  const run = (changed: Partial<Services>) =>
    runMaintenance({ files, folderId, database: { db } }, { ...services, ...changed }, (step, error) =>
      failures.push(step, error),
    );
  const began = Promise.withResolvers<void>();
  const swept = Promise.withResolvers<void>();
  const end = Promise.withResolvers<readonly Expired[]>();
  const hang = () => {
    began.resolve();
    return end.promise;
  };
  const sweep = async () => {
    swept.resolve();
    return [];
  };
  const first = run({
    exports: { ...services.exports, listExpired: hang },
    projectCaches: { ...services.projectCaches, list: sweep },
  });
  await Promise.all([began.promise, swept.promise]);

  let removals = 0;
  const listExpired = async () => {
    removals++;
    return [];
  };
  const second = { exports: { ...services.exports, listExpired } };
  await run(second);
  expect(removals).toBe(0);

  end.resolve([]);
  await first;
  await run(second);
  expect([removals, failures]).toEqual([1, []]);
  await close();
});

test("processes with data folders of their own sweep them at the same time", async () => {
  const { services, db, dataDir, close } = await testService();
  const files = await diskFiles(dataDir);
  const both = Promise.withResolvers<readonly string[]>();
  const lists: string[] = [];
  const sweep = (folder: string) => {
    const list = async () => {
      if (lists.push(folder) === 2) both.resolve([]);
      return await both.promise;
    };
    const own = { ...services, projectCaches: { ...services.projectCaches, list } };
    return runMaintenance({ files, folderId: folder, database: { db } }, own, () => {});
  };

  await Promise.all([sweep("one"), sweep("other")]);

  expect(lists.toSorted()).toEqual(["one", "other"]);
  await close();
});

test("files without a row stay while an import adds them", async () => {
  const { services, db, dataDir, files, close } = await testService({ STORAGE: "local" });
  const key = "p/imported.mp4";
  await files.store(await files.receive(Readable.from([Buffer.from("imported")]), 100), key);
  await files.withLocalFile({ key }, (path) => utimes(path, 0, 0));
  const resources = { database: { db }, files: await diskFiles(dataDir), folderId };
  const sweep = () => runMaintenance(resources, services, (step, error) => expect([step, error]).toEqual([]));

  const lease = await takeLease(services, [sweepLeaseName]);
  await sweep();
  expect(await isStored(files, { key })).toBe(true);
  await lease?.release();
  await sweep();
  expect(await isStored(files, { key })).toBe(false);
  await close();
});

test("more rows than a batch expire at once: all go, and the files of each batch before its rows", async () => {
  const { services, db, seeding, dataDir, register, close } = await testService();
  const ann = await register("Ann");
  const project = await newProject(ann);
  const waiting = 1_201;
  const { id: userId } = ann.user;
  const number = sql`generate_series(1, ${waiting}) number`;
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
    runMaintenance({ files, folderId, database: { db } }, { ...services, ...changed }, (step, error) =>
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
  await close();
});
