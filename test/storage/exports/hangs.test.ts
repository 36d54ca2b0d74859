import { afterAll, expect, test } from "bun:test";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { ExportJob } from "../../../src/domain/exports/lifecycle/jobs.ts";
import { recordHangs } from "../../../src/process/hang-guard.ts";
import { exportStore } from "../../../src/storage/exports/store.ts";
import { freshDatabase } from "../../support/database.ts";
import { temporaryFolder } from "../../support/media/ffmpeg.ts";
import { addProject, queuedExport } from "../samples.ts";

const database = await freshDatabase();
afterAll(() => database.close());

const queues = { ready: async () => {}, send: async () => {} };
const ended: string[] = [];
const outbox = {
  ready: async () => {},
  enqueueEnd: async (_: unknown, { id }: { id: string }) => [id],
  reportEnds: (ids: readonly string[]) => void ended.push(...ids),
} as unknown as Parameters<typeof exportStore>[2];
const exports = exportStore(database.db, queues, outbox);

async function runningExport(): Promise<ExportJob> {
  const { id: projectId, userId } = await addProject(database.db);
  const job = queuedExport({ userId, projectId });
  await exports.add(job);
  await exports.acquire(job.id, 2);
  return job;
}

const stateOf = async ({ userId, id }: ExportJob) => {
  const { status, failure } = (await exports.find(userId, id))!;
  return failure ? `${status} ${failure.code}` : status;
};

/** The start of a process whose predecessor hung while these exports ran. */
async function startAfterHang(...jobs: readonly { readonly id: string }[]): Promise<readonly string[]> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "hangs"));
  await Bun.write(join(folder, "hangs/one.txt"), jobs.map(({ id }) => id).join(" "));
  await Promise.all([recordHangs(folder, exports), recordHangs(folder, exports)]);
  return await readdir(join(folder, "hangs"));
}

test("the second hang ends an export, the first one and that of another do not", async () => {
  const [poisoned, beside] = [await runningExport(), await runningExport()];

  expect(await startAfterHang(poisoned)).toEqual([]);
  expect(await stateOf(poisoned)).toBe("rendering");

  // the export may have been taken by another process in the meantime
  await exports.acquire(poisoned.id, 3);
  await startAfterHang(poisoned, beside);
  expect([await stateOf(poisoned), await stateOf(beside)]).toEqual(["error internal", "rendering"]);
  expect(ended.splice(0)).toEqual([poisoned.id]);
});

test("an export that has failed on a worker is ended by the first hang", async () => {
  const job = await runningExport();
  await exports.endAttempt({ exportId: job.id, attempt: 1 }, { holder: "a worker", at: 3 });
  await startAfterHang(job);
  expect(await stateOf(job)).toBe("error internal");
});

test("one that has ended, one that is gone and an empty note change nothing", async () => {
  const job = await runningExport();
  await exports.end({ exportId: job.id, attempt: 1 }, { status: "done" }, 3);
  ended.length = 0;
  await startAfterHang(job, { id: "exp_gone" });
  await startAfterHang();
  expect([await stateOf(job), ended]).toEqual(["done", []]);
});
