import { and, eq, lte, sql } from "drizzle-orm";
import type { WebhookEvent } from "../../domain/exports/webhooks/webhooks.ts";
import type { Render, RenderStore } from "../../domain/renders/renders.ts";
import type { Database } from "../database/database.ts";
import { withDatabaseTimeout } from "../database/errors.ts";
import { deleteSome, withoutNulls } from "../database/rows.ts";
import { lockUser } from "../database/storage-usage.ts";
import { type Queues, sendDelivery } from "../exports/outbox.ts";
import { renders } from "../tables/renders.ts";

const { id, userId, state, attempt, expiresAt } = renders;

/** `toFailedEvent` knows the content of events, storage does not. */
export const renderStore = (
  db: Database,
  queues: Queues,
  toFailedEvent: (render: Render) => WebhookEvent,
): RenderStore => {
  const isImporting = (renderId: string) => and(eq(id, renderId), eq(state, "importing"));
  return withDatabaseTimeout({
    async add(render, maxRunning) {
      await queues.ready();
      return await db.transaction(async (transaction) => {
        // orders of one user take turns here, so that each sees the others
        await lockUser(transaction, render.userId);
        const isRunning = and(eq(userId, render.userId), eq(state, "importing"));
        if ((await transaction.$count(renders, isRunning)) >= maxRunning) return false;
        await transaction.insert(renders).values(render);
        await queues.send("renders", transaction, render.id, { group: render.userId });
        return true;
      });
    },

    async find(user, renderId) {
      const [row] = await db
        .select()
        .from(renders)
        .where(and(eq(userId, user), eq(id, renderId)));
      return row && withoutNulls(row);
    },

    async acquire(renderId) {
      const [row] = await db
        .update(renders)
        .set({ attempt: sql`${attempt} + 1` })
        .where(isImporting(renderId))
        .returning();
      return row && withoutNulls(row);
    },

    async save(renderId, changes) {
      await db.update(renders).set(changes).where(isImporting(renderId));
    },

    async startExport(renderId) {
      await db.update(renders).set({ state: "exporting", edit: null }).where(isImporting(renderId));
    },

    async fail(render, error, now) {
      await queues.ready();
      await db.transaction(async (transaction) => {
        const ended = { state: "failed", edit: null, error, endedAt: now } as const;
        const [row] = await transaction.update(renders).set(ended).where(isImporting(render.id)).returning();
        if (!row?.webhookUrl) return;
        const { id: eventId, body } = toFailedEvent(withoutNulls(row));
        const { webhookUrl: url, projectId } = row;
        const delivery = { id: eventId, body, url, projectId, round: 1, beganAt: now };
        await sendDelivery(transaction, queues, row.userId, delivery);
      });
    },

    removeExpired: (now) => deleteSome(db, renders, lte(expiresAt, now), { order: expiresAt }),
  });
};
