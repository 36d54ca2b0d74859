import { sql } from "drizzle-orm";
import { bigint, doublePrecision, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { Purpose, UsageRecord } from "../../domain/ai/provider-calls.ts";
import type { BudgetPeriod, BudgetScope } from "../../domain/ledger/budgets.ts";
import type { CallState } from "../../domain/ledger/ledger.ts";
import { users } from "./accounts.ts";
import { milliseconds, parent } from "./columns.ts";
import { projects } from "./projects.ts";

/** Millionths of a dollar: at most a million dollars, which a number holds exactly. */
const micros = () => bigint({ mode: "number" });

/** Null once the project is removed. */
const project = () => text().references(() => projects.id, { onDelete: "set null" });

/** The ledger: one row per call of an external model. */
export const upstreamCalls = pgTable(
  "upstream_calls",
  {
    id: text().primaryKey(),
    userId: parent(() => users.id),
    projectId: project(),
    workId: text(),
    filmId: text(),
    stepId: text(),
    batchId: text(),
    provider: text().notNull(),
    model: text().notNull(),
    purpose: text().$type<Purpose>().notNull(),
    state: text().$type<CallState>().notNull().default("settled"),
    /** The maximum cost; null for a model without a price. */
    estimate: micros(),
    cost: micros().notNull().default(0),
    /** The provider's id of the job. */
    job: text(),
    /** The process that makes the call. */
    holderId: text(),
    /** How long the call took. Null, like the outcome, until it has ended. */
    milliseconds: integer(),
    outcome: text().$type<UsageRecord["outcome"]>(),
    inputTokens: integer(),
    outputTokens: integer(),
    /** Duration of the generated video or voice, or of the transcribed sound. */
    seconds: doublePrecision(),
    images: integer(),
    characters: integer(),
    createdAt: milliseconds().notNull(),
  },
  (table) => [
    index().on(table.userId, table.createdAt, table.id),
    index().on(table.createdAt),
    index().on(table.projectId, table.createdAt),
    index().on(table.filmId),
    index().on(table.batchId),
    index("upstream_calls_reserved_index").on(table.holderId).where(sql`${table.state} = 'reserved'`),
    index("upstream_calls_job_index").on(table.userId, table.job).where(sql`${table.job} is not null`),
  ],
);

/** Sums of calls older than 400 days. Several rows of one day, project and model are added up when read. */
export const spendDays = pgTable(
  "spend_days",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    userId: parent(() => users.id),
    /** The start of the day in UTC. */
    day: milliseconds().notNull(),
    projectId: project(),
    provider: text().notNull(),
    model: text().notNull(),
    cost: micros().notNull(),
    unknown: micros().notNull(),
    calls: integer().notNull(),
  },
  (table) => [index().on(table.userId, table.day), index().on(table.projectId)],
);

/** Sums by day, project and model. A trigger updates them, also for imports and older versions. */
export const spendByDay = pgTable(
  "spend_by_day",
  {
    userId: text().notNull(),
    /** The start of the day in UTC. */
    day: milliseconds().notNull(),
    /** Empty for calls outside projects. */
    projectId: text().notNull(),
    provider: text().notNull(),
    model: text().notNull(),
    cost: micros().notNull(),
    reserved: micros().notNull(),
    unknown: micros().notNull(),
    /** Paid calls. */
    calls: integer().notNull(),
    /** Calls that were not released. */
    entries: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.day, table.projectId, table.provider, table.model] })],
);

/** Sums of the ledger for budgets. Transactions lock them in the order user, project, batch, film. */
export const spendTotals = pgTable(
  "spend_totals",
  {
    userId: parent(() => users.id),
    scope: text().$type<BudgetScope>().notNull(),
    /** The id of the user, project, batch or film. */
    scopeId: text().notNull(),
    /** A month such as 2026-11, or `total`. */
    period: text().notNull(),
    spent: micros().notNull(),
    reserved: micros().notNull(),
    unknown: micros().notNull(),
  },
  (table) => [primaryKey({ columns: [table.scope, table.scopeId, table.period] }), index().on(table.userId)],
);

export const projectBudgets = pgTable("project_budgets", {
  projectId: text()
    .primaryKey()
    .references(() => projects.id, { onDelete: "cascade" }),
  maxSpend: micros().notNull(),
  period: text().$type<BudgetPeriod>().notNull(),
});
