import { and, eq, gte, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import type { SpendGrouping, SpendQuery, SpendReport } from "../../domain/ledger/spend.ts";
import type { Database } from "../database/database.ts";
import { projects } from "../projects/tables.ts";
import { spendByDay, spendDays, upstreamCalls } from "./table.ts";

type Time = typeof upstreamCalls.createdAt | typeof spendByDay.day | typeof spendDays.day;

const dayOf = (time: Time) => sql<string>`to_char(to_timestamp(${time} / 1000) at time zone 'UTC', 'YYYY-MM-DD')`;

/** The id of a project that is there: one that was removed has none. */
const visibleProject = sql<string | null>`case when ${projects.userId} is not null then ${projects.id} end`;

const dayMs = 86_400_000;

const nothing = sql<string | null>`null::text`;

const modelOf = (table: typeof upstreamCalls | typeof spendByDay | typeof spendDays) =>
  sql<string>`${table.provider} || '/' || ${table.model}`;

const callKeys: Record<SpendGrouping, SQL<string | null>> = {
  day: dayOf(upstreamCalls.createdAt),
  project: visibleProject,
  model: modelOf(upstreamCalls),
  film: sql`${upstreamCalls.filmId}`,
};

const dayKeys = (table: typeof spendByDay | typeof spendDays): Record<SpendGrouping, SQL<string | null>> => ({
  day: dayOf(table.day),
  project: visibleProject,
  model: modelOf(table),
  film: nothing,
});

const isIn = ({ from, to }: SpendQuery, time: Time) =>
  and(from === undefined ? undefined : gte(time, from), to === undefined ? undefined : lt(time, to));

const isOfProject = ({ projectId }: SpendQuery) =>
  projectId === undefined ? undefined : and(eq(projects.id, projectId), isNotNull(projects.userId));

function readCalls(db: Database, owner: string, query: SpendQuery) {
  const { state, cost, estimate, createdAt } = upstreamCalls;
  const estimateIf = (wanted: string) =>
    sql<string>`case when ${state} = ${wanted} then coalesce(${estimate}, 0) else 0 end`;
  return db
    .select({
      key: sql<string | null>`${callKeys[query.groupBy]}`.as("key"),
      amount: sql<string>`${cost}`.as("amount"),
      reserved: estimateIf("reserved").as("reserved"),
      unknown: estimateIf("unknown").as("unknown"),
      calls: sql<string>`case when ${state} = 'settled' then 1 else 0 end`.as("calls"),
    })
    .from(upstreamCalls)
    .leftJoin(projects, eq(projects.id, upstreamCalls.projectId))
    .where(
      and(eq(upstreamCalls.userId, owner), sql`${state} <> 'released'`, isIn(query, createdAt), isOfProject(query)),
    );
}

/** The same from the sums that are kept of the calls of whole days. */
const readKept = (db: Database, owner: string, query: SpendQuery) =>
  db
    .select({
      key: sql<string | null>`${dayKeys(spendByDay)[query.groupBy]}`.as("key"),
      amount: sql<string>`${spendByDay.cost}`.as("amount"),
      reserved: sql<string>`${spendByDay.reserved}`.as("reserved"),
      unknown: sql<string>`${spendByDay.unknown}`.as("unknown"),
      calls: sql<string>`${spendByDay.calls}`.as("calls"),
    })
    .from(spendByDay)
    .leftJoin(projects, eq(projects.id, spendByDay.projectId))
    .where(
      and(
        eq(spendByDay.userId, owner),
        sql`${spendByDay.entries} > 0`,
        isIn(query, spendByDay.day),
        isOfProject(query),
      ),
    );

const readOld = (db: Database, owner: string, query: SpendQuery) =>
  db
    .select({
      key: sql<string | null>`${dayKeys(spendDays)[query.groupBy]}`.as("key"),
      amount: sql<string>`${spendDays.cost}`.as("amount"),
      reserved: sql<string>`0`.as("reserved"),
      unknown: sql<string>`${spendDays.unknown}`.as("unknown"),
      calls: sql<string>`${spendDays.calls}`.as("calls"),
    })
    .from(spendDays)
    .leftJoin(projects, eq(projects.id, spendDays.projectId))
    .where(and(eq(spendDays.userId, owner), isIn(query, spendDays.day), isOfProject(query)));

const isDay = (time: number | undefined): boolean => time === undefined || time % dayMs === 0;

/** Adds up the calls, and what is left of older ones, by a key. */
export async function readSpend(db: Database, owner: string, query: SpendQuery): Promise<SpendReport> {
  const isOfDays = query.groupBy !== "film" && isDay(query.from) && isDay(query.to);
  // safe because both select the same columns
  const read = (isOfDays ? readKept : readCalls) as typeof readKept;
  const all = unionAll(read(db, owner, query), readOld(db, owner, query)).as("spend");
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
