import { and, eq, gte, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import type { SpendGrouping, SpendQuery, SpendReport } from "../../domain/ledger/spend.ts";
import type { Database } from "../database/database.ts";
import { projects } from "../projects/tables.ts";
import { spendDays, upstreamCalls } from "./table.ts";

const dayOf = (time: SQL | typeof upstreamCalls.createdAt | typeof spendDays.day) =>
  sql<string>`to_char(to_timestamp(${time} / 1000) at time zone 'UTC', 'YYYY-MM-DD')`;

/** The id of a project that is there: one that was removed has none. */
const visibleProject = sql<string | null>`case when ${projects.userId} is not null then ${projects.id} end`;

const nothing = sql<string | null>`null::text`;

const callKeys: Record<SpendGrouping, SQL<string | null>> = {
  day: dayOf(upstreamCalls.createdAt),
  project: visibleProject,
  model: sql`${upstreamCalls.provider} || '/' || ${upstreamCalls.model}`,
  film: sql`${upstreamCalls.filmId}`,
};

const dayKeys: Record<SpendGrouping, SQL<string | null>> = {
  day: dayOf(spendDays.day),
  project: visibleProject,
  model: sql`${spendDays.provider} || '/' || ${spendDays.model}`,
  film: nothing,
};

/** Adds up the calls, and what is left of older ones, by a key. */
export async function readSpend(db: Database, owner: string, query: SpendQuery): Promise<SpendReport> {
  const { from, to, projectId, groupBy } = query;
  const isWanted = projectId === undefined ? undefined : and(eq(projects.id, projectId), isNotNull(projects.userId));
  const { state, cost, estimate, createdAt } = upstreamCalls;
  const estimateIf = (wanted: string) =>
    sql<string>`case when ${state} = ${wanted} then coalesce(${estimate}, 0) else 0 end`;
  const calls = db
    .select({
      key: sql<string | null>`${callKeys[groupBy]}`.as("key"),
      amount: sql<string>`${cost}`.as("amount"),
      reserved: estimateIf("reserved").as("reserved"),
      unknown: estimateIf("unknown").as("unknown"),
      calls: sql<string>`case when ${state} = 'settled' then 1 else 0 end`.as("calls"),
    })
    .from(upstreamCalls)
    .leftJoin(projects, eq(projects.id, upstreamCalls.projectId))
    .where(
      and(
        eq(upstreamCalls.userId, owner),
        sql`${state} <> 'released'`,
        from === undefined ? undefined : gte(createdAt, from),
        to === undefined ? undefined : lt(createdAt, to),
        isWanted,
      ),
    );
  const days = db
    .select({
      key: sql<string | null>`${dayKeys[groupBy]}`.as("key"),
      amount: sql<string>`${spendDays.cost}`.as("amount"),
      reserved: sql<string>`0`.as("reserved"),
      unknown: sql<string>`${spendDays.unknown}`.as("unknown"),
      calls: sql<string>`${spendDays.calls}`.as("calls"),
    })
    .from(spendDays)
    .leftJoin(projects, eq(projects.id, spendDays.projectId))
    .where(
      and(
        eq(spendDays.userId, owner),
        from === undefined ? undefined : gte(spendDays.day, from),
        to === undefined ? undefined : lt(spendDays.day, to),
        isWanted,
      ),
    );
  const all = unionAll(calls, days).as("spend");
  const sum = (name: "amount" | "reserved" | "unknown" | "calls") => sql<string>`coalesce(sum(${all[name]}), 0)::text`;
  const rows = await db
    .select({
      key: all.key,
      amount: sum("amount"),
      reserved: sum("reserved"),
      unknown: sum("unknown"),
      calls: sum("calls"),
    })
    .from(all)
    .groupBy(all.key)
    .orderBy(all.key);
  return rows.map(({ key, ...sums }) => ({
    ...(key !== null && { key }),
    amount: BigInt(sums.amount),
    reserved: BigInt(sums.reserved),
    unknown: BigInt(sums.unknown),
    calls: Number(sums.calls),
  }));
}
