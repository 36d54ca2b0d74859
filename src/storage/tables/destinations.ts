import { boolean, index, integer, json, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core";
import type { Delivery } from "../../domain/destinations/deliveries.ts";
import type { Destination } from "../../domain/destinations/destinations.ts";
import { users } from "./accounts.ts";
import { milliseconds, parent } from "./columns.ts";
import { exportJobs } from "./exports.ts";
import { projects } from "./projects.ts";

/** Where the videos of a project are sent. */
export const destinations = pgTable(
  "destinations",
  {
    projectId: parent(() => projects.id),
    name: text().notNull(),
    settings: json().$type<Destination["settings"]>().notNull(),
    /** Encrypted credentials. Archives leave them out, with their last characters. */
    sealed: text(),
    hint: text(),
    createdAt: milliseconds().notNull(),
    updatedAt: milliseconds().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.name] })],
);

/** The sending of a video of an export to a destination. The queue only triggers attempts. */
export const deliveries = pgTable(
  "deliveries",
  {
    id: text().primaryKey(),
    exportId: parent(() => exportJobs.id),
    userId: parent(() => users.id),
    projectId: parent(() => projects.id),
    target: text().notNull(),
    type: text().$type<Delivery["type"]>().notNull(),
    destination: text(),
    address: text().notNull(),
    wishes: json().$type<Delivery["wishes"]>().notNull(),
    requireGate: boolean().notNull(),
    dryRun: boolean().notNull(),
    /** Encrypted credentials of a URL that is no destination of the project. */
    sealed: text(),
    status: text().$type<Delivery["status"]>().notNull(),
    attempt: integer().notNull(),
    progress: json().$type<Delivery["progress"]>().notNull(),
    failure: json().$type<NonNullable<Delivery["failure"]>>(),
    result: json().$type<NonNullable<Delivery["result"]>>(),
    plan: json().$type<NonNullable<Delivery["plan"]>>(),
    retryAt: milliseconds(),
    createdAt: milliseconds().notNull(),
    begunAt: milliseconds(),
    endedAt: milliseconds(),
  },
  (table) => [
    // a video is sent to a place once
    unique("deliveries_address").on(table.exportId, table.target, table.address),
    index().on(table.projectId),
    index().on(table.userId),
  ],
);
