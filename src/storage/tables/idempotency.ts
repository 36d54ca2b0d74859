import { bigint, index, integer, json, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";
import { milliseconds, parent } from "./columns.ts";

/** Requests with an Idempotency-Key. A row without a status is in progress, or failed and may be retried. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    userId: parent(() => users.id),
    key: text().notNull(),
    /** A hash of the parts of a request that must not change in a retry. */
    fingerprint: text().notNull(),
    /** The attempt that holds the lease, which expires unless that attempt renews it. */
    claimId: text().notNull(),
    leasedUntil: milliseconds().notNull(),
    /**
     * Checkpoints by name, each as JSON text: jsonb lets one statement change one checkpoint, and the text stays
     * unchanged where jsonb would reorder keys and reject U+0000.
     */
    checkpoints: jsonb().$type<{ readonly [name: string]: string }>().notNull(),
    status: integer(),
    headers: json().$type<{ readonly [name: string]: string }>(),
    body: text(),
    /** Set instead of `body` if the response is a file. */
    fileKey: text(),
    sizeBytes: bigint({ mode: "number" }),
    expiresAt: milliseconds().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.key] }),
    index().on(table.fileKey),
    index().on(table.expiresAt),
  ],
);
