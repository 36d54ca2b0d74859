import { and, desc, eq } from "drizzle-orm";
import type { WebhookAttempt, WebhookStore } from "../../domain/exports/webhooks/webhooks.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { withoutNulls } from "../database/rows.ts";
import { isActive, users } from "../tables/accounts.ts";
import { exportJobs, exportWebhooks, webhookAttempts } from "../tables/exports.ts";
import { projects } from "../tables/projects.ts";
import { type Queues, sendDelivery } from "./outbox.ts";

/** Replays can make any number of attempts. */
const maxListedAttempts = 100;

const isOf = (exportId: string) => eq(exportWebhooks.exportId, exportId);

export const webhookStore = (db: Database, queues: Queues): WebhookStore =>
  withDatabaseTimeout({
    async find(exportId) {
      const [row] = await db.select().from(exportWebhooks).where(isOf(exportId));
      if (!row) return undefined;
      const { url, secret, state, eventId, eventType } = row;
      const event = eventId && eventType ? { id: eventId, type: eventType } : null;
      return { ...withoutNulls({ url, secret, state, event }), attempts: await attemptsOf(db, exportId) };
    },

    async replay(exportId, userId, now) {
      await queues.ready();
      await db.transaction(async (transaction) => {
        const [row] = await transaction.select().from(exportWebhooks).where(isOf(exportId)).for("update");
        if (!row?.eventId || row.body === null) return;
        const { url, secret, eventId: id, body } = row;
        const [job] = await transaction
          .select({ projectId: exportJobs.projectId })
          .from(exportJobs)
          .where(eq(exportJobs.id, exportId));
        const round = row.round + 1;
        await transaction.update(exportWebhooks).set({ state: "pending", round }).where(isOf(exportId));
        const delivery = { ...withoutNulls({ url, secret }), exportId, ...job, id, body, round, beganAt: now };
        await sendDelivery(transaction, queues, userId, delivery);
      });
    },

    async isPending(delivery) {
      const row = delivery.exportId === undefined ? undefined : await stateOf(db, delivery.exportId);
      const projectId = row?.projectId ?? delivery.projectId;
      if (projectId !== undefined && (await isRemoved(db, projectId))) return false;
      // a removed export cannot be replayed, so its only delivery continues
      return !row || (row.state === "pending" && row.round === delivery.round);
    },

    async recordAttempt({ exportId, round }, attempt, state) {
      if (exportId === undefined) return;
      await db.transaction(async (transaction) => {
        const [row] = await transaction.select().from(exportWebhooks).where(isOf(exportId)).for("update");
        if (!row) return;
        await transaction.insert(webhookAttempts).values({ exportId, ...attempt });
        if (row.round === round) await transaction.update(exportWebhooks).set({ state }).where(isOf(exportId));
      });
    },
  });

async function stateOf(db: Database, exportId: string) {
  const { state, round } = exportWebhooks;
  const [row] = await db
    .select({ state, round, projectId: exportJobs.projectId })
    .from(exportWebhooks)
    .innerJoin(exportJobs, eq(exportJobs.id, exportWebhooks.exportId))
    .where(isOf(exportId));
  return row;
}

/** True also for a project of a removed account. */
async function isRemoved(db: Database, projectId: string): Promise<boolean> {
  const owner = and(eq(users.id, projects.userId), isActive);
  const found = db.select({ id: projects.id }).from(projects).innerJoin(users, owner);
  return (await found.where(eq(projects.id, projectId))).length === 0;
}

async function attemptsOf(db: Database, exportId: string): Promise<readonly WebhookAttempt[]> {
  const { at, milliseconds, outcome, status, reason, retryAfterSeconds } = webhookAttempts;
  const rows = await db
    .select({ at, milliseconds, outcome, status, reason, retryAfterSeconds })
    .from(webhookAttempts)
    .where(eq(webhookAttempts.exportId, exportId))
    .orderBy(desc(webhookAttempts.id))
    .limit(maxListedAttempts);
  return rows.map(withoutNulls);
}
