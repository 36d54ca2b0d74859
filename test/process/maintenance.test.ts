import { afterAll, expect, test } from "bun:test";
import { utimes } from "node:fs/promises";
import { Readable } from "node:stream";
import type { Expired } from "../../src/domain/files/expired.ts";
import { sweepProjectCaches } from "../../src/domain/projects/projects.ts";
import { newId } from "../../src/domain/shared/ids.ts";
import { takeLease } from "../../src/platform/leases.ts";
import { runMaintenance, sweepLeaseName } from "../../src/process/maintenance.ts";
import type { Services } from "../../src/services.ts";
import { diskFiles } from "../../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../../src/storage/files/render-cache.ts";
import { testService } from "../support/service.ts";
import { isStored } from "../support/stored-files.ts";
import { newProject } from "../support/uploads.ts";
import { expectExpiry } from "./expiry.ts";

const folderId = "a folder";

const service = await testService();
const { services, db, dataDir } = service;
afterAll(() => service.close());

/** What is left on the disk of the process, also where files are stored elsewhere. */
const files = await diskFiles(dataDir);

/** Runs the steps with services of which some are changed. */
const run = (changed: Partial<Services> = {}, report: (step: string, error: unknown) => void = () => {}) =>
  runMaintenance({ files, folderId, database: { db } }, { ...services, ...changed }, report);

test("what a running export cached for a project after its removal is removed", async () => {
  const ann = await service.register("Ann");
  const project = await newProject(ann);
  const cache = diskRenderCache(dataDir, 2 ** 20);
  const part = `${dataDir}/part`;
  await Bun.write(part, "part");
  const keys = [project, newId("proj")].map((id) => `${id}/${"a".repeat(64)}`);
  await cache.put(keys.map((key) => ({ key, path: part })));

  await sweepProjectCaches(services);

  expect(await Promise.all(keys.map((key) => cache.sizeOf(key)))).toEqual([4, undefined]);
});

test("every step of the maintenance runs although others fail, and each failure is reported", async () => {
  const key = "p/orphan.mp4";
  await files.store(await files.receive(Readable.from([Buffer.from("orphan")]), 100), key);
  await files.withLocalFile({ key }, (path) => utimes(path, 0, 0));

  const broken = new Error("broken");
  const removeExpired = () => Promise.reject(broken);
  const failing = {
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
  await run(failing, (step, error) => failures.push([step, error]));

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
});

test("a step runs in one process at a time, and one that does not end stops no other", async () => {
  const failures: unknown[] = [];
  const report = (step: string, error: unknown) => failures.push(step, error);
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
  const exports = { ...services.exports, listExpired: hang };
  const first = run({ exports, projectCaches: { ...services.projectCaches, list: sweep } }, report);
  await Promise.all([began.promise, swept.promise]);

  let removals = 0;
  const listExpired = async () => {
    removals++;
    return [];
  };
  const second = { exports: { ...services.exports, listExpired } };
  await run(second, report);
  expect(removals).toBe(0);

  end.resolve([]);
  await first;
  await run(second, report);
  expect([removals, failures]).toEqual([1, []]);
});

test("processes with data folders of their own sweep them at the same time", async () => {
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
});

test("files without a row stay while an import adds them", async () => {
  const key = "p/imported.mp4";
  await files.store(await files.receive(Readable.from([Buffer.from("imported")]), 100), key);
  await files.withLocalFile({ key }, (path) => utimes(path, 0, 0));
  const sweep = () => run({}, (step, error) => expect([step, error]).toEqual([]));

  const lease = await takeLease(services, [sweepLeaseName]);
  await sweep();
  expect(await isStored(files, { key })).toBe(true);
  await lease?.release();
  await sweep();
  expect(await isStored(files, { key })).toBe(false);
});

test("what has expired goes with its files, and stays while the files cannot be removed", async () => {
  await expectExpiry(service, 3);
});
