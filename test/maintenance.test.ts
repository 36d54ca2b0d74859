import { expect, test } from "bun:test";
import { utimes } from "node:fs/promises";
import { Readable } from "node:stream";
import { sweepProjectCaches } from "../src/domain/projects/projects.ts";
import type { Services } from "../src/domain/services.ts";
import { newId } from "../src/domain/shared/ids.ts";
import { takeLease } from "../src/domain/shared/leases.ts";
import { runMaintenance, sweepLeaseName } from "../src/maintenance.ts";
import { diskFiles } from "../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../src/storage/files/render-cache.ts";
import { testService } from "./helpers/service.ts";
import { isStored } from "./helpers/stored-files.ts";
import { newProject } from "./helpers/uploads.ts";

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
    generatedMedia: { ...services.generatedMedia, removeExpired },
    idempotencyKeys: { ...services.idempotencyKeys, removeExpired },
    operations: { ...services.operations, removeExpired },
    leases: { ...services.leases, removeExpired },
    works: { ...services.works, findGenerating: removeExpired },
    exports: { ...services.exports, removeExpired },
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
  const end = Promise.withResolvers<readonly string[]>();
  const hang = () => {
    began.resolve();
    return end.promise;
  };
  const sweep = async () => {
    swept.resolve();
    return [];
  };
  const first = run({
    exports: { ...services.exports, removeExpired: hang },
    projectCaches: { ...services.projectCaches, list: sweep },
  });
  await Promise.all([began.promise, swept.promise]);

  let removals = 0;
  const removeExpired = async () => {
    removals++;
    return [];
  };
  const second = { exports: { ...services.exports, removeExpired } };
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
