import { afterAll, expect, test } from "bun:test";
import type { ExportJob } from "../../../src/domain/exports/lifecycle/jobs.ts";
import { endEvent } from "../../../src/domain/exports/lifecycle/view.ts";
import type { WebhookDelivery } from "../../../src/domain/exports/webhooks/webhooks.ts";
import { internalUrls } from "../../../src/http/files/internal-urls.ts";
import type { Database } from "../../../src/storage/database/database.ts";
import { webhookOutbox } from "../../../src/storage/exports/outbox.ts";
import { exportStore } from "../../../src/storage/exports/store.ts";
import { webhookStore } from "../../../src/storage/exports/webhooks.ts";
import { projectStore } from "../../../src/storage/projects/store.ts";
import { exportJobs } from "../../../src/storage/tables/exports.ts";
import { freshDatabase } from "../../support/database.ts";
import { addProject, queuedExport } from "../samples.ts";

const database = await freshDatabase();
afterAll(() => database.close());

/** The deliveries in the webhook queue. While the queue is broken, sending throws. */
const sent: unknown[] = [];
let isBroken = false;
const queues = {
  ready: async () => {},
  async send(name: string, _: unknown, data: string) {
    if (name !== "webhooks") return;
    if (isBroken) throw new Error("The queue is broken.");
    sent.push(JSON.parse(data));
  },
};
/** The exports that ended, as the outbox reports them. */
const ended: string[] = [];
const outbox = webhookOutbox(
  queues,
  (job) => endEvent(job, internalUrls("http://localhost")),
  ({ id, status }) => void ended.push(`${id} ${status}`),
);
const exports = exportStore(database.db, queues, outbox);
const webhooks = webhookStore(database.db, queues);
const projects = projectStore(database.db);
const webhook = { url: "https://hooks.test/" };

async function addExport(): Promise<ExportJob> {
  const { id: projectId, userId } = await addProject(database.db);
  const job = queuedExport({ userId, projectId });
  await exports.add(job, webhook);
  return job;
}

const statusOf = async ({ userId, id }: ExportJob) => (await exports.find(userId, id))?.status;

test("an export does not end if its event cannot be enqueued", async () => {
  const job = await addExport();
  const { attempt } = (await exports.acquire(job.id, 2))!;
  isBroken = true;
  const end = () => exports.end({ exportId: job.id, attempt }, { status: "done" }, 3);
  await expect(end()).rejects.toThrow("broken");
  await expect(exports.cancel(job.id, 3)).rejects.toThrow("broken");
  await expect(exports.remove(job.userId, job.id, 3)).rejects.toThrow("broken");
  expect([await statusOf(job), (await webhooks.find(job.id))?.state]).toEqual(["rendering", "waiting"]);
  expect(ended).toEqual([]);

  isBroken = false;
  expect(await end()).toBe(true);
  expect(sent.splice(0)).toMatchObject([{ ...webhook, exportId: job.id, round: 1, beganAt: 3 }]);
});

test("each end of an export is reported once, whatever ends it", async () => {
  ended.length = 0;
  const jobs: string[] = [];
  for (const end of ["done", "error", "cancelled", "removed"] as const) {
    const job = await addExport();
    jobs.push(job.id);
    if (end === "cancelled") await exports.cancel(job.id, 3);
    if (end === "removed") await exports.remove(job.userId, job.id, 3);
    if (end !== "done" && end !== "error") continue;
    const { attempt } = (await exports.acquire(job.id, 2))!;
    await exports.end({ exportId: job.id, attempt }, { status: end }, 3);
    // a late attempt, and the removal of what has ended
    await exports.end({ exportId: job.id, attempt }, { status: end }, 4);
    await exports.remove(job.userId, job.id, 5);
  }
  const statuses = ["done", "error", "cancelled", "cancelled"];
  expect(ended).toEqual(statuses.map((status, index) => `${jobs[index]} ${status}`));
});

test("the exports of a removed project are cancelled, and no event tells of them", async () => {
  const [waiting, delivering] = [await addExport(), await addExport()];
  sent.length = 0;
  await exports.cancel(delivering.id, 2);
  const [delivery] = sent.splice(0) as [WebhookDelivery];
  expect(await webhooks.isPending(delivery)).toBe(true);
  for (const { userId, projectId } of [waiting, delivering]) await projects.remove(userId, projectId, () => {});

  expect([await statusOf(waiting), await statusOf(delivering), sent]).toEqual([undefined, undefined, []]);
  expect(await exports.acquire(waiting.id, 3)).toBeUndefined();
  expect(await webhooks.isPending(delivery)).toBe(false);
  await database.db.delete(exportJobs);
  expect(await webhooks.isPending(delivery)).toBe(false);
});

test("removing an ended export enqueues no event", async () => {
  const job = await addExport();
  await exports.cancel(job.id, 2);
  sent.length = 0;
  await exports.remove(job.userId, job.id, 3);
  expect([await statusOf(job), sent]).toEqual([undefined, []]);
});

test("a replay ends the previous delivery, whose late attempt no longer changes the state", async () => {
  const job = await addExport();
  await exports.cancel(job.id, 2);
  await webhooks.replay(job.id, job.userId, 5);
  const [first, second] = sent.splice(0) as [never, never];
  expect([await webhooks.isPending(first), await webhooks.isPending(second)]).toEqual([false, true]);

  const attempt = { at: 6, milliseconds: 1, outcome: "gone", status: 410 } as const;
  await webhooks.recordAttempt(first, attempt, "failed");
  expect(await webhooks.find(job.id)).toMatchObject({ state: "pending", attempts: [attempt] });
  await webhooks.recordAttempt(second, { ...attempt, outcome: "delivered", status: 200 }, "delivered");
  expect([await webhooks.isPending(second), (await webhooks.find(job.id))?.state]).toEqual([false, "delivered"]);
});

test("the event of a removed export is still delivered, and its attempts are not stored", async () => {
  const job = await addExport();
  await exports.remove(job.userId, job.id, 2);
  const [delivery] = sent.splice(0) as [never];
  expect(await webhooks.isPending(delivery)).toBe(true);
  await webhooks.recordAttempt(delivery, { at: 3, milliseconds: 1, outcome: "unreachable" }, "pending");
  expect(await webhooks.find(job.id)).toBeUndefined();
});

test("an end whose transaction is rolled back is not reported", async () => {
  ended.length = 0;
  const job = await addExport();
  const { attempt } = (await exports.acquire(job.id, 2))!;
  const failing = {
    ...database.db,
    transaction: (run: (transaction: Database) => Promise<unknown>) =>
      database.db.transaction(async (transaction) => {
        await run(transaction);
        throw new Error("The commit failed.");
      }),
    // safe because the store ends exports by transactions only
  } as unknown as Database;
  const rolledBack = exportStore(failing, queues, outbox);
  await expect(rolledBack.end({ exportId: job.id, attempt }, { status: "done" }, 3)).rejects.toThrow("commit");
  await expect(rolledBack.cancel(job.id, 3)).rejects.toThrow("commit");
  expect(ended).toEqual([]);
  await exports.cancel(job.id, 3);
  expect(ended).toEqual([`${job.id} cancelled`]);
});

test("an export is kept for its time after its end, not after its request", async () => {
  const kept = 1_000_000 - 1;
  const [done, cancelled] = [await addExport(), await addExport()];
  const { attempt } = (await exports.acquire(done.id, 2))!;
  await exports.end({ exportId: done.id, attempt }, { status: "done" }, 900_000);
  await exports.cancel(cancelled.id, 950_000);
  const expiryOf = async ({ userId, id }: ExportJob) => (await exports.findState(userId, id))!.expiresAt;
  expect(await Promise.all([expiryOf(done), expiryOf(cancelled)])).toEqual([900_000 + kept, 950_000 + kept]);
});
