import { isNotNull, isNull } from "drizzle-orm";
import { index, integer, json, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import type { Scope } from "../../domain/accounts/scopes.ts";
import { milliseconds, parent } from "./columns.ts";

export const users = pgTable(
  "users",
  {
    id: text().primaryKey(),
    /** Trimmed and lower case, so that `=` compares addresses case-insensitively. Null in a removed account. */
    email: text().unique(),
    name: text().notNull(),
    passwordHash: text().notNull(),
    /** A keyed hash of the client's network; null if unknown, or if it may be the network of all clients. */
    registeredFrom: text(),
    createdAt: milliseconds().notNull(),
    updatedAt: milliseconds().notNull(),
  },
  (table) => [index("users_removed_index").on(table.id).where(isNull(table.email))],
);

/** True unless the account is removed and waits for the removal of its rows. */
export const isActive = isNotNull(users.email);

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

/** Sessions that a page holds as a cookie, with the hash of the secret. */
export const sessionCookies = pgTable(
  "session_cookies",
  {
    hash: text().primaryKey(),
    familyId: parent(() => tokenFamilies.id),
  },
  (table) => [index().on(table.familyId)],
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
    rendersInto: text(),
  },
  (table) => [index().on(table.userId, table.createdAt, table.id)],
);

/** Keys of providers that a user lets the service keep, encrypted. */
export const providerKeys = pgTable(
  "provider_keys",
  {
    userId: parent(() => users.id),
    provider: text().notNull(),
    sealed: text().notNull(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.provider] })],
);

/** Folders of removed accounts and projects whose rows are deleted, but not their files. */
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

/** Fingerprints of the JWT_SECRETs that processes have started with. */
export const secretFingerprints = pgTable("secret_fingerprints", {
  fingerprint: text().primaryKey(),
  /** The last start. */
  usedAt: milliseconds().notNull(),
});
