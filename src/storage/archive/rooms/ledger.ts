import { and, eq, isNull, sql } from "drizzle-orm";
import { z } from "zod";
import { batches } from "../../tables/batches.ts";
import { films } from "../../tables/films.ts";
import { projectBudgets, upstreamCalls } from "../../tables/ledger.ts";
import { type ArchivedTable, archived, Id } from "./archived-table.ts";

/** A running call belongs to a process of one service: elsewhere its cost stays unknown. */
const stateOfCall = sql`case when ${upstreamCalls.state} = 'reserved' then 'unknown' else ${upstreamCalls.state} end`;

const micros = z.int().min(0);

const calls = {
  omitted: [upstreamCalls.holderId],
  names: [
    { column: upstreamCalls.filmId, of: films },
    { column: upstreamCalls.batchId, of: batches },
  ],
  // the removal of a film or a batch sets them to null
  notCompared: [upstreamCalls.filmId, upstreamCalls.stepId, upstreamCalls.batchId],
  detached: [upstreamCalls.projectId],
  columns: {
    ...{ id: Id, user_id: Id, project_id: Id, film_id: Id, batch_id: Id },
    state: z.enum(["settled", "released", "unknown"]),
    // an import adds them to the account's spending of a month
    ...{ estimate: micros, cost: micros, created_at: z.int().min(0).max(8.64e15) },
  },
};

/** Calls of an account outside its projects. */
export const callsOfUser: ArchivedTable = archived(upstreamCalls, {
  ...calls,
  ownedBy: (id) => and(eq(upstreamCalls.userId, id), isNull(upstreamCalls.projectId)),
  replaced: { state: stateOfCall, film_id: sql`null::text`, batch_id: sql`null::text` },
});

/** Archived after the films and batches that they name. Sums are computed at the import. */
export const ledgerTables: readonly ArchivedTable[] = [
  archived(projectBudgets, {
    ownedBy: (id) => eq(projectBudgets.projectId, id),
    columns: { project_id: Id },
  }),
  archived(upstreamCalls, {
    ...calls,
    ownedBy: (id) => eq(upstreamCalls.projectId, id),
    replaced: {
      state: stateOfCall,
      film_id: sql`(select f.id from films as f where f.id = ${upstreamCalls.filmId})`,
      batch_id: sql`(select b.id from batches as b where b.id = ${upstreamCalls.batchId})`,
    },
  }),
];
