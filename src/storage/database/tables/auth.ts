import { index, integer, json, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import type { Scope } from "../../../domain/auth/scopes.ts";
import { milliseconds, parent } from "./columns.ts";

export const users = pgTable("users", {
  id: text().primaryKey(),
  /** Trimmed and lower case, so that `=` compares addresses case-insensitively. */
  email: text().notNull().unique(),
  name: text().notNull(),
  passwordHash: text().notNull(),
  createdAt: milliseconds().notNull(),
  updatedAt: milliseconds().notNull(),
});

/** One family per login: its refresh and access tokens. Revoking it also revokes tokens that are issued later. */
export const tokenFamilies = pgTable(
  "token_families",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    userAgent: text(),
    createdAt: milliseconds().notNull().default(0),
    lastUsedAt: milliseconds().notNull().default(0),
    revokedAt: milliseconds(),
    expiresAt: milliseconds().notNull(),
  },
  (table) => [index().on(table.userId, table.createdAt, table.id), index().on(table.expiresAt)],
);

export const refreshTokens = pgTable(
  "refresh_tokens",
  {
    hash: text().primaryKey(),
    familyId: parent(() => tokenFamilies.id),
    usedAt: milliseconds(),
    expiresAt: milliseconds().notNull(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [index().on(table.familyId), index().on(table.expiresAt)],
);

export const apiTokens = pgTable(
  "api_tokens",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    name: text().notNull(),
    tokenPrefix: text().notNull(),
    hash: text().notNull().unique(),
    scopes: json().$type<readonly Scope[]>().notNull(),
    lastUsedAt: milliseconds(),
    expiresAt: milliseconds(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [index().on(table.userId, table.createdAt, table.id)],
);

/** Removed accounts whose files are not removed yet. */
export const accountRemains = pgTable("account_remains", {
  id: text().primaryKey(),
  folders: text().array().notNull(),
});

/** The key is a digest. A row counts until `expire`. */
export const rateLimits = pgTable(
  "rate_limits",
  {
    key: text().primaryKey(),
    points: integer().notNull(),
    expire: timestamp({ withTimezone: true }),
  },
  (table) => [index().on(table.expire)],
);
