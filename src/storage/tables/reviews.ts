import { bigint, boolean, doublePrecision, index, integer, json, pgTable, text } from "drizzle-orm/pg-core";
import type { VideoTarget } from "../../domain/exports/request/targets.ts";
import type { Approval } from "../../domain/reviews/reviews.ts";
import { milliseconds, parent } from "./columns.ts";
import { works } from "./projects.ts";

/** Links to videos for people without an account. */
export const reviews = pgTable(
  "reviews",
  {
    id: text().primaryKey(),
    workId: parent(() => works.id),
    hash: text().notNull().unique(),
    /** No foreign key: the export may be removed. */
    exportId: text().notNull(),
    target: text().$type<VideoTarget>().notNull(),
    name: text().notNull(),
    width: integer().notNull(),
    height: integer().notNull(),
    fps: doublePrecision().notNull(),
    durationSeconds: doublePrecision().notNull(),
    /** A separate copy of the video; null once the link has expired and the copy is removed. */
    fileKey: text(),
    sizeBytes: bigint({ mode: "number" }).notNull(),
    comment: boolean().notNull(),
    approve: boolean().notNull(),
    approval: json().$type<Approval>(),
    createdAt: milliseconds().notNull(),
    expiresAt: milliseconds().notNull(),
    /** The link whose secret also shows this video; null for the first video of a link. */
    linkId: text(),
  },
  (table) => [
    index().on(table.workId, table.createdAt, table.id),
    index().on(table.expiresAt),
    index().on(table.fileKey),
    index().on(table.linkId),
  ],
);

export const reviewComments = pgTable(
  "review_comments",
  {
    id: text().primaryKey(),
    workId: parent(() => works.id),
    /** No foreign key: comments stay when their link is revoked. */
    reviewId: text().notNull(),
    at: doublePrecision().notNull(),
    text: text().notNull(),
    author: text().notNull(),
    resolved: boolean().notNull(),
    createdAt: milliseconds().notNull(),
    replyTo: milliseconds(),
  },
  (table) => [index().on(table.workId, table.createdAt, table.id), index().on(table.reviewId, table.at, table.id)],
);
