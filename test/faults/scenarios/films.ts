import { preparedServerDatabase } from "../../support/database.ts";
import { type Kill, killedFilm, killedKinds, moments, paidAgain } from "../../support/killed-films.ts";

/**
 * Kills the process of a film at each moment of a call of each kind, with the embedded database, and one of two processes
 * on the server that TEST_DATABASE_URL names. Prints what the provider counted; true if nothing was paid twice but what
 * was unknown. FAULTS_KILLS names some of the kills, as `arrived/image stored/poll`.
 */
export async function killedFilms(): Promise<boolean> {
  const url = process.env.TEST_DATABASE_URL;
  const wanted = process.env.FAULTS_KILLS?.split(" ");
  const all = moments.flatMap((moment) => killedKinds.map((kind): Kill => [moment, kind]));
  // the polls follow the stored job: nothing is paid before them
  const kills = all.filter((kill) => kill.join("/") !== "before/poll" && (wanted?.includes(kill.join("/")) ?? true));
  let isKept = true;
  for (const databaseUrl of url ? [undefined, url] : [undefined]) {
    console.log(databaseUrl ? "\nserver, one of two processes killed" : "\nembedded");
    for (const kill of kills) isKept = (await isPaidOnce(kill, databaseUrl)) && isKept;
  }
  return isKept;
}

async function isPaidOnce(kill: Kill, serverUrl: string | undefined): Promise<boolean> {
  const database = serverUrl === undefined ? undefined : await preparedServerDatabase(serverUrl);
  const killed = await killedFilm([kill], database && { databaseUrl: database.databaseUrl, processes: 2 });
  try {
    const begunAt = performance.now();
    const result = await killed.run();
    const { film, isKilled, unknown, counts, repeatedKeys, spend } = result;
    const again = Object.entries(paidAgain(result));
    const isKept =
      isKilled &&
      film.status === "done" &&
      repeatedKeys.length === 0 &&
      again.every((of) => of[1].again >= 0 && of[1].again <= of[1].unknown);
    const beyond = again.map(([kind, of]) => `${kind} ${of.again}`).join(", ");
    const seconds = ((performance.now() - begunAt) / 1000).toFixed(0);
    console.log(
      `${isKept ? "kept  " : "BROKEN"} ${kill.join("/")}: ${film.status} after ${seconds} s; again ${beyond}`,
    );
    console.log(`         unknown ${unknown.join(", ") || "none"}; calls ${JSON.stringify(counts)}`);
    console.log(`         spent ${spend.total}, unknown ${spend.unknown}`);
    if (!isKept) console.log(`         killed ${isKilled}, keys twice ${repeatedKeys.length}, ${film.waitingReason}`);
    return isKept;
  } finally {
    await killed.end();
    await database?.drop();
  }
}
