import { and, eq, gte, isNotNull, lt, type SQL, sql } from "drizzle-orm";
import { type PgColumn, unionAll } from "drizzle-orm/pg-core";
import type { SpendGrouping, SpendQuery, SpendReport } from "../../domain/ledger/spend.ts";
import type { Database } from "../database/database.ts";
import { spendByDay, spendDays, upstreamCalls } from "../tables/ledger.ts";
import { projects } from "../tables/projects.ts";

type Time = typeof upstreamCalls.createdAt | typeof spendByDay.day | typeof spendDays.day;

type Source = typeof upstreamCalls | typeof spendByDay | typeof spendDays;

/** The id of an existing project: a removed one has none. */
const visibleProject = sql<string | null>`case when ${projects.userId} is not null then ${projects.id} end`;

const dayMs = 86_400_000;

const timeOf = (table: Source): Time => ("day" in table ? table.day : table.createdAt);

/** Days are numbers: their names are made per group, not per call. */
const keyOf = (table: Source, groupBy: SpendGrouping): SQL<string | null> =>
  ({
    day: sql<string | null>`${timeOf(table)} / ${sql.raw(`${dayMs}`)}`,
    project: visibleProject,
    model: sql<string | null>`${table.provider} || '/' || ${table.model}`,
    film: "filmId" in table ? sql<string | null>`${table.filmId}` : sql<null>`null::text`,
  })[groupBy];

const isIn = ({ from, to }: SpendQuery, time: Time) =>
  and(from === undefined ? undefined : gte(time, from), to === undefined ? undefined : lt(time, to));

const isOfProject = ({ projectId }: SpendQuery) =>
  projectId === undefined ? undefined : and(eq(projects.id, projectId), isNotNull(projects.userId));

const sumOf = (of: PgColumn | SQL) => sql<string>`sum(${of})`;

function readCalls(db: Database, owner: string, query: SpendQuery) {
  const { state, cost, estimate, createdAt } = upstreamCalls;
  const estimateIf = (wanted: string) => sql<string>`sum(${estimate}) filter (where ${state} = ${wanted})`;
  return db
    .select({
      key: keyOf(upstreamCalls, query.groupBy).as("key"),
      amount: sumOf(cost).as("amount"),
      reserved: estimateIf("reserved").as("reserved"),
      unknown: estimateIf("unknown").as("unknown"),
      calls: sql<string>`count(*) filter (where ${state} = 'settled')`.as("calls"),
    })
    .from(upstreamCalls)
    .leftJoin(projects, eq(projects.id, upstreamCalls.projectId))
    .where(
      and(eq(upstreamCalls.userId, owner), sql`${state} <> 'released'`, isIn(query, createdAt), isOfProject(query)),
    )
    .groupBy(sql`1`);
}

/** Reads the sums that are maintained for whole days. */
const readKept = (db: Database, owner: string, query: SpendQuery) =>
  db
    .select({
      key: keyOf(spendByDay, query.groupBy).as("key"),
      amount: sumOf(spendByDay.cost).as("amount"),
      reserved: sumOf(spendByDay.reserved).as("reserved"),
      unknown: sumOf(spendByDay.unknown).as("unknown"),
      calls: sumOf(spendByDay.calls).as("calls"),
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
    )
    .groupBy(sql`1`);

const readOld = (db: Database, owner: string, query: SpendQuery) =>
  db
    .select({
      key: keyOf(spendDays, query.groupBy).as("key"),
      amount: sumOf(spendDays.cost).as("amount"),
      reserved: sumOf(sql`0`).as("reserved"),
      unknown: sumOf(spendDays.unknown).as("unknown"),
      calls: sumOf(spendDays.calls).as("calls"),
    })
    .from(spendDays)
    .leftJoin(projects, eq(projects.id, spendDays.projectId))
    .where(and(eq(spendDays.userId, owner), isIn(query, spendDays.day), isOfProject(query)))
    .groupBy(sql`1`);

/** Reads the calls of a film, and those of partial days at both ends, one by one. */
function readRecent(db: Database, owner: string, query: SpendQuery): ReturnType<typeof readKept>[] {
  const { from, to, groupBy } = query;
  const first = from === undefined ? undefined : Math.ceil(from / dayMs) * dayMs;
  const last = to === undefined ? undefined : Math.floor(to / dayMs) * dayMs;
  const isWithinDay = first !== undefined && last !== undefined && first > last;
  // safe because both select the same columns
  const calls = (part: SpendQuery) => readCalls(db, owner, part) as unknown as ReturnType<typeof readKept>;
  if (groupBy === "film" || isWithinDay) return [calls(query)];
  return [
    readKept(db, owner, { ...query, from: first, to: last }),
    ...(from === first ? [] : [calls({ ...query, to: first })]),
    ...(to === last ? [] : [calls({ ...query, from: last })]),
  ];
}

/** Adds up calls and the sums of older ones, by a key. */
export async function readSpend(db: Database, owner: string, query: SpendQuery): Promise<SpendReport> {
  const [recent, ...others] = readRecent(db, owner, query);
  const all = unionAll(readOld(db, owner, query), recent!, ...others).as("spend"); // safe because there is at least one
  const sum = (name: "amount" | "reserved" | "unknown" | "calls") => sql<string>`coalesce(sum(${all[name]}), 0)::text`;
  const nameOfDay = sql<string>`to_char(to_timestamp(${all.key} * 86400) at time zone 'UTC', 'YYYY-MM-DD')`;
  const rows = await db
    .select({
      key: query.groupBy === "day" ? nameOfDay : all.key,
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
