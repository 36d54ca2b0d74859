import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareDataFolder } from "./database.ts";
import { filmPrices, filmProvider, type PaidKind } from "./models/film-provider.ts";
import { filmKeys, type Json, paidOrder } from "./paid-films.ts";
import { textOf } from "./processes.ts";
import { jsonInit } from "./service.ts";

/**
 * `before` the call is reserved, when it has `arrived` at the provider, when it is `answered` and booked, and when its
 * answer, or the id of its job, is `stored`.
 */
export const moments = ["before", "arrived", "answered", "stored"] as const;
export type Moment = (typeof moments)[number];

const program = join(import.meta.dir, "killed-service.ts");

type Options = { readonly databaseUrl?: string; readonly processes?: number };

/** One film, whose processes die at these moments of the first call of each kind, one after the other. */
export async function killedFilm(
  kills: readonly (readonly [Moment, PaidKind])[],
  { databaseUrl, processes = 1 }: Options = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "reelwright-killed-"));
  const data = join(folder, "data");
  if (!databaseUrl) await prepareDataFolder(data);
  await Bun.write(join(folder, "prices.json"), JSON.stringify(filmPrices));
  const provider = await filmProvider();
  let running: { readonly child: Bun.Subprocess<"ignore", "pipe", "pipe">; readonly url: string }[] = [];
  let kill = 0;

  const start = async () => {
    const [moment, kind] = kills[kill] ?? [];
    const { PATH = "", HOME = "" } = process.env;
    const env = {
      ...{
        PATH,
        HOME,
        DATA_DIR: data,
        RATE_LIMIT: "off",
        PRICES_FILE: join(folder, "prices.json"),
        ...provider.settings,
      },
      ...(databaseUrl && { DATABASE_URL: databaseUrl, JWT_SECRET: "a secret that both processes share" }),
      ...(moment && { KILL_AT: `${moment}/${kind}`, KILL_ONCE: join(folder, `kill-${kill}`) }),
    };
    const child = Bun.spawn(["bun", program], { env, stdout: "pipe", stderr: "pipe" });
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      return running.push({ child, url: chunk.trim() });
    }
    throw new Error(await textOf(child.stderr));
  };
  const startAll = async () => {
    for (let count = 0; count < processes; count++) await start();
  };

  let deaths = 0;
  provider.before = async (kind) => {
    const [moment, wanted] = kills[kill] ?? [];
    if (moment !== "arrived" || kind !== wanted || deaths > kill) return;
    deaths = kill + 1;
    for (const { child } of running) child.kill("SIGKILL");
    // nobody waits for the answer
    await Promise.all(running.map(({ child }) => child.exited));
  };

  let token = "";
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Json> => {
    const authorization = token && { authorization: `Bearer ${token}` };
    const response = await fetch(running[0]!.url + path, jsonInit(method, body, { ...authorization, ...headers }));
    if (!response.ok) throw new Error(await response.text());
    return await response.json();
  };

  /** The film once it rests, or undefined if the processes have died. */
  const rested = async (path: string): Promise<Json> => {
    for (;;) {
      const isAlive = running.every(({ child }) => child.exitCode === null && child.signalCode === null);
      if (!isAlive) return undefined;
      const film = await call("GET", path).catch(() => undefined);
      if (film && !["queued", "running"].includes(film.status) && film.waitingFor !== "provider") return film;
      await Bun.sleep(100);
    }
  };

  const endAll = async () => {
    for (const { child } of running) child.kill("SIGKILL");
    await Promise.all(running.map(({ child }) => child.exited));
    running = [];
  };

  return {
    /** What was paid for, which steps were unknown after which kill, and the film and its spending at the end. */
    async run() {
      await startAll();
      const ann = { email: "ann@example.com", password: "a good long password", name: "Ann" };
      token = (await call("POST", "/api/auth/register", ann)).accessToken;
      const project = await call("POST", "/api/projects", { name: "Cups" });
      const base = `/api/projects/${project.id}/films`;
      const { id } = await call("POST", base, paidOrder, filmKeys);
      const path = `${base}/${id}`;
      const unknown: string[][] = [];
      let film: Json;
      for (kill = 0; kill <= kills.length; ) {
        film = await rested(path);
        if (film) {
          const steps = film.steps.filter(({ status }: Json) => status === "unknown").map((step: Json) => step.id);
          if (film.status !== "waiting" || film.waitingFor !== "step") break;
          unknown.push(steps);
          for (const step of steps) await call("POST", `${path}/steps/${step}/retry`);
          continue;
        }
        await endAll();
        kill++;
        await startAll();
      }
      const spend = await call("GET", "/api/spend?groupBy=film");
      return { film, unknown, kills: kill, counts: provider.counts(), spend };
    },

    async end() {
      await endAll();
      await provider.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
