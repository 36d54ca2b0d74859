import { preparedServerDatabase } from "../../support/database.ts";
import { killedFilm, moments } from "../../support/killed-films.ts";
import { paidKinds } from "../../support/models/film-provider.ts";

/**
 * Kills the processes of a film at each moment of a call of each kind, with the embedded database, and with two processes
 * on the server that TEST_DATABASE_URL names. Prints what the provider counted; true if nothing was paid twice but what
 * was unknown.
 */
export async function killedFilms(): Promise<boolean> {
  const url = process.env.TEST_DATABASE_URL;
  let isKept = true;
  for (const databaseUrl of [undefined, ...(url ? [url] : [])]) {
    for (const moment of moments) {
      const database = databaseUrl === undefined ? undefined : await preparedServerDatabase(databaseUrl);
      const options = database ? { databaseUrl: database.databaseUrl, processes: 2 } : {};
      const killed = await killedFilm(
        paidKinds.map((kind) => [moment, kind] as const),
        options,
      );
      try {
        const { film, unknown, counts, spend } = await killed.run();
        const unknowns = unknown.flat();
        const extra = Object.fromEntries(
          paidKinds.map((kind) => [
            kind,
            counts[kind] - (kind === "scenario" ? 1 : film.steps.filter(isOf(kind)).length),
          ]),
        );
        const isTwice = paidKinds.some(
          (kind) => (extra[kind] ?? 0) > unknowns.filter((id) => isNamed(id, kind)).length,
        );
        isKept &&= film.status === "done" && !isTwice;
        const place = database ? "server, two processes" : "embedded";
        console.log(`${place}, ${moment}: ${film.status}, calls ${JSON.stringify(counts)}, of which beyond one a step`);
        console.log(
          `  ${JSON.stringify(extra)}; unknown ${unknowns.join(", ") || "none"}; spend ${JSON.stringify(spend)}`,
        );
      } finally {
        await killed.end();
        await database?.drop();
      }
    }
  }
  return isKept;
}

const isNamed = (id: string, kind: string): boolean => id === kind || id.endsWith(`-${kind}`);

const isOf = (wanted: string) => (step: { readonly kind: string }) => step.kind === wanted;
