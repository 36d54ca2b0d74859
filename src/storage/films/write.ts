import { and, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import { alias, type PgTable } from "drizzle-orm/pg-core";
import { type Film, type FilmStep, hasEnded, type SealedKeys } from "../../domain/films/film.ts";
import type { FilmResult } from "../../domain/films/reuse.ts";
import { eventOfChange } from "../../domain/films/webhook-events.ts";
import type { Database } from "../database/database.ts";
import { filmKeys, filmResults, filmSteps, films } from "../tables/films.ts";
import { isAttempt, notified, type StepRow, toRow, toStepRow } from "./rows.ts";

/** One statement. Undefined, with nothing written, if the film has changed or the change has consequences. */
export async function writeUnchanged(
  db: Database,
  before: Film,
  edited: Film,
  results: readonly FilmResult[],
): Promise<Film | undefined> {
  const after = { ...edited, revision: before.revision + 1, updatedAt: Date.now() };
  const { steps, ...film } = after;
  const ids = new Set(steps.map(({ id }) => id));
  const losesSteps = before.steps.some(({ id }) => !ids.has(id));
  if (losesSteps || hasEnded(after) || eventOfChange(before, after)) return undefined;
  const isSame = and(isAttempt(film.id, film.attempt), eq(films.revision, before.revision));
  const write = db
    .update(films)
    .set(toRow(film))
    .where(isSame)
    .returning({ id: films.id, notified: notified.as("notified") });
  const differing = steps.flatMap((step, place) =>
    step === before.steps[place] ? [] : [toStepRow(film.id, step, place)],
  );
  if (differing.length === 0) return (await write).length > 0 ? after : undefined;
  const written = db.$with("written").as(write);
  const rows = differing.map((row) => sql`select ${stepValues(row)} from ${written}`);
  const remembered = results.length > 0 ? [db.$with("remembered").as(puttingResults(db, after, results))] : [];
  const saved = await db
    .with(written, ...remembered)
    .insert(filmSteps)
    .select(sql.join(rows, sql` union all `))
    .onConflictDoUpdate({ target: [filmSteps.filmId, filmSteps.id], set: inserted(filmSteps) })
    .returning({ id: filmSteps.id });
  return saved.length > 0 ? after : undefined;
}

/** Replaces earlier results of the same input. */
export function puttingResults(
  db: Database,
  { id: filmId, projectId }: Pick<Film, "id" | "projectId">,
  results: readonly FilmResult[],
) {
  const rows = results.map((result) => ({ projectId, filmId, output: null, sha256: null, ...result }));
  const { filmId: film, output, sha256 } = inserted(filmResults);
  return db
    .insert(filmResults)
    .values([...new Map(rows.map((row) => [row.hash, row])).values()])
    .onConflictDoUpdate({
      target: [filmResults.projectId, filmResults.hash],
      set: { filmId: film, output, sha256 },
    })
    .returning({ hash: filmResults.hash });
}

/** The columns of existing rows, set to the values of the rejected insert. */
const inserted = <Table extends PgTable>(table: Table) => {
  const columns = getTableColumns(alias(table, "excluded"));
  // safe because each column becomes an expression
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, sql`${column}`])) as {
    [Name in keyof Table["_"]["columns"]]: SQL;
  };
};

const stepColumns = Object.entries(getTableColumns(filmSteps));

/** A select does not derive the types of its parameters from the columns that it fills. */
const stepValues = (row: StepRow): SQL =>
  sql.join(
    // safe because a row has the columns of its table
    stepColumns.map(
      ([name, column]) => sql`${sql.param(row[name as keyof StepRow], column)}::${sql.raw(column.getSQLType())}`,
    ),
    sql`, `,
  );

export async function saveSteps(
  transaction: Database,
  filmId: string,
  before: readonly FilmStep[],
  after: readonly FilmStep[],
): Promise<void> {
  const known = new Map(before.map((step, place) => [step.id, { step, place }]));
  for (const [place, step] of after.entries()) {
    const found = known.get(step.id);
    known.delete(step.id);
    if (found?.step === step && found.place === place) continue;
    const row = toStepRow(filmId, step, place);
    await transaction
      .insert(filmSteps)
      .values(row)
      .onConflictDoUpdate({ target: [filmSteps.filmId, filmSteps.id], set: row });
  }
  const gone = [...known.keys()];
  if (gone.length === 0) return;
  await transaction.delete(filmSteps).where(and(eq(filmSteps.filmId, filmId), inArray(filmSteps.id, gone)));
}

export async function putKeys(transaction: Database, filmId: string, keys: SealedKeys): Promise<void> {
  // safe because these are the names of the record
  const rows = Object.entries(keys).map(([category, sealed]) => ({
    filmId,
    category: category as keyof SealedKeys,
    sealed,
  }));
  if (rows.length === 0) return;
  await transaction
    .insert(filmKeys)
    .values(rows)
    .onConflictDoUpdate({ target: [filmKeys.filmId, filmKeys.category], set: { sealed: sql`excluded.sealed` } });
}
