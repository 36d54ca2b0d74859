import { expect, test } from "bun:test";
import { utimes } from "node:fs/promises";
import { Readable } from "node:stream";
import { sweepProjectCaches } from "../src/domain/projects/projects.ts";
import { newId } from "../src/domain/shared/ids.ts";
import { runMaintenance } from "../src/maintenance.ts";
import { diskFiles } from "../src/storage/files/disk-files.ts";
import { diskRenderCache } from "../src/storage/files/render-cache.ts";
import { testService } from "./helpers/service.ts";
import { newProject } from "./helpers/uploads.ts";

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

test("every step of the maintenance runs although the steps before it fail, and each failure is reported", async () => {
  const { services, db, dataDir, close } = await testService();
  const files = await diskFiles(dataDir);
  const key = "p/orphan.mp4";
  await files.store(await files.receive(Readable.from([Buffer.from("orphan")]), 100), key);
  await utimes(await files.localPath(key), 0, 0);

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
  await runMaintenance({ files, database: { db } }, failing, (step, error) => failures.push([step, error]));

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
  expect(failures).toEqual(steps.map((step) => [step, broken]));
  expect(await files.keysWrittenBefore(Date.now())).toEqual([]);
  await close();
});
