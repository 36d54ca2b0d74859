import { freezableProxy } from "../../storage/freezable-proxy.ts";
import { preparedServerDatabase } from "../../support/database.ts";
import { type Kill, killedFilm, killedKinds, moments, paidAgain } from "../../support/killed-films.ts";
import type { Json } from "../../support/paid-films.ts";

const outageMs = 10_000;

/**
 * Kills the process of a film at each moment of a call of each kind, with the embedded database, and one of two processes
 * on the server that TEST_DATABASE_URL names; freezes that server for ten seconds while pictures are drawn. Prints what the
 * provider counted; true if nothing was paid twice but what was unknown. FAULTS_KILLS names some, as
 * `arrived/image stored/poll outage`, and FAULTS_DATABASES one of `embedded server`.
 */
export async function killedFilms(): Promise<boolean> {
  const { TEST_DATABASE_URL: url, FAULTS_KILLS: named, FAULTS_DATABASES: databases = "embedded server" } = process.env;
  const isWanted = (name: string) => named?.split(" ").includes(name) ?? true;
  const all = moments.flatMap((moment) => killedKinds.map((kind): Kill => [moment, kind]));
  // the polls follow the stored job: nothing is paid before them
  const kills = all.filter((kill) => kill.join("/") !== "before/poll" && isWanted(kill.join("/")));
  let isKept = true;
  if (databases.includes("embedded")) {
    console.log("\nembedded");
    for (const kill of kills) isKept = (await report(kill.join("/"), await killedFilm([kill]))) && isKept;
  }
  if (!url || !databases.includes("server")) return isKept;
  console.log("\nserver, two processes of which one is killed");
  for (const kill of kills) {
    const database = await preparedServerDatabase(url);
    const options = { databaseUrl: database.databaseUrl, processes: 2 } as const;
    isKept = (await report(kill.join("/"), await killedFilm([kill], options))) && isKept;
    await database.drop();
  }
  return (isWanted("outage") ? await outlivesOutage(url) : true) && isKept;
}

async function outlivesOutage(serverUrl: string): Promise<boolean> {
  const database = await preparedServerDatabase(serverUrl);
  const proxy = await freezableProxy(database.databaseUrl);
  let pictures = 0;
  const onArrived = (kind: string) => {
    if (kind !== "image" || ++pictures > 1) return;
    proxy.freeze();
    setTimeout(proxy.thaw, outageMs);
  };
  const film = await killedFilm([], { databaseUrl: proxy.databaseUrl, processes: 2, onArrived });
  try {
    return await report("outage", film);
  } finally {
    proxy.close();
    await database.drop();
  }
}

async function report(name: string, killed: Awaited<ReturnType<typeof killedFilm>>): Promise<boolean> {
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
    console.log(`${isKept ? "kept  " : "BROKEN"} ${name}: ${film.status} after ${seconds} s; again ${beyond}`);
    console.log(`         unknown ${unknown.join(", ") || "none"}; calls ${JSON.stringify(counts)}`);
    console.log(`         spent ${spend.total}, unknown ${spend.unknown}`);
    if (!isKept) console.log(`         killed ${isKilled}, keys twice ${repeatedKeys.length}, ${film.waitingReason}`);
    for (const step of isKept ? [] : film.steps.filter(({ status }: Json) => status !== "done")) {
      console.log(`         ${step.id} ${step.status} ${JSON.stringify(step.attempts)}`);
    }
    return isKept;
  } finally {
    await killed.end();
  }
}
