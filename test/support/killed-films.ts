import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareDataFolder } from "./database.ts";
import { filmPrices, filmProvider, paidKinds } from "./models/film-provider.ts";
import { allFilmKeys, allPaid, type Json, paidOrder } from "./paid-films.ts";
import { jsonInit } from "./service.ts";
import { formOf, png } from "./uploads.ts";

/**
 * `before` the call is reserved, when it has `arrived` at the provider, when it is `answered`, and when its answer is
 * `stored`. The answer of a video's creation names its job, and is told apart from the polls that bring the video.
 */
export const moments = ["before", "arrived", "answered", "stored"] as const;
type Moment = (typeof moments)[number];

export const killedKinds = [...paidKinds, "poll"] as const;
export type KilledKind = (typeof killedKinds)[number];

/** A moment of the first call of a kind. */
export type Kill = readonly [Moment, KilledKind];

const program = join(import.meta.dir, "killed-service.ts");

type Options = {
  readonly databaseUrl?: string;
  /** Another one goes on after the only kill. */
  readonly processes?: 1 | 2;
  /** Called when a call, or a poll, has arrived at the provider. */
  readonly onArrived?: (kind: KilledKind) => void;
};

const hosts = ["127.0.0.1", "localhost"];

type Running = {
  readonly child: Bun.Subprocess<"ignore", "pipe", Bun.BunFile>;
  readonly url: string;
  readonly host: string;
};

const isAlive = ({ child }: Running) => child.exitCode === null && child.signalCode === null;

/** One film of which everything is paid for, and whose processes die at these moments, one after the other. */
export async function killedFilm(kills: readonly Kill[], { databaseUrl, processes = 1, onArrived }: Options = {}) {
  const folder = await mkdtemp(join(tmpdir(), "reelwright-killed-"));
  const data = join(folder, "data");
  if (!databaseUrl) await prepareDataFolder(data);
  await Bun.write(join(folder, "prices.json"), JSON.stringify(filmPrices));
  const provider = await filmProvider();
  let running: Running[] = [];
  let kill = 0;
  const onceFile = (at: number) => join(folder, `kill-${at}`);

  const start = async (host: string) => {
    const [moment, kind] = kills[kill] ?? [];
    const { PATH = "", HOME = "" } = process.env;
    const env = {
      ...{ PATH, HOME, DATA_DIR: data, RATE_LIMIT: "off", PRICES_FILE: join(folder, "prices.json") },
      ...provider.settingsFor(host),
      ...(databaseUrl && { DATABASE_URL: databaseUrl, JWT_SECRET: "a secret that both processes share" }),
      ...(moment && { KILL_AT: `${moment}/${kind}`, KILL_ONCE: onceFile(kill) }),
    };
    const log = join(folder, `log-${kill}-${host}`);
    const child = Bun.spawn([process.execPath, program], { env, stdout: "pipe", stderr: Bun.file(log) });
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      return running.push({ child, url: chunk.trim(), host });
    }
    throw new Error(await Bun.file(log).text());
  };
  const startAll = async () => {
    for (const host of hosts.slice(0, processes)) await start(host);
  };

  /** Kills the process whose call has arrived, if it is to die then. */
  const arrived = async (kind: KilledKind, { url }: { readonly url: URL }) => {
    onArrived?.(kind);
    const [moment, wanted] = kills[kill] ?? [];
    const caller = running.find(({ host }) => host === url.hostname);
    if (moment !== "arrived" || kind !== wanted || !caller || existsSync(onceFile(kill))) return;
    await Bun.write(onceFile(kill), "");
    caller.child.kill("SIGKILL");
    // nobody waits for the answer
    await caller.child.exited;
  };
  provider.before = (kind, request) => (kind === "translation" ? Promise.resolve() : arrived(kind, request));
  provider.poll = async (request) => {
    await arrived("poll", request);
    return undefined;
  };

  let token = "";
  const send = (path: string, init: RequestInit) => {
    const headers = { ...init.headers, ...(token && { authorization: `Bearer ${token}` }) };
    return fetch(running.find(isAlive)!.url + path, { ...init, headers }); // safe because the tests wait for one
  };
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Json> => {
    const response = await send(path, jsonInit(method, body, headers));
    if (!response.ok) throw new Error(await response.text());
    return await response.json();
  };

  /** The film once it rests, or undefined if no process lives. */
  const rested = async (path: string): Promise<Json> => {
    while (running.some(isAlive)) {
      const film = await call("GET", path).catch(() => undefined);
      if (film && !["queued", "running"].includes(film.status) && film.waitingFor !== "provider") return film;
      await Bun.sleep(100);
    }
    return undefined;
  };

  const endAll = async () => {
    for (const { child } of running) child.kill("SIGKILL");
    await Promise.all(running.map(({ child }) => child.exited));
    running = [];
  };

  const order = async () => {
    const ann = { email: "ann@example.com", password: "a good long password", name: "Ann" };
    token = (await call("POST", "/api/auth/register", ann)).accessToken;
    const { id: projectId } = await call("POST", "/api/projects", { name: "Cups" });
    const base = `/api/projects/${projectId}`;
    const upload = await send(`${base}/assets`, { method: "POST", body: formOf({ file: png(64, 64) }) });
    const body = { ...paidOrder, ...allPaid((await upload.json()).id) };
    const { id } = await call("POST", `${base}/films`, body, allFilmKeys);
    return `${base}/films/${id}`;
  };

  return {
    /**
     * What was paid for, the steps that were unknown, each of which was then retried once, and the film and its spending
     * at the end.
     */
    async run() {
      await startAll();
      const path = await order();
      const unknown: string[] = [];
      let film: Json;
      for (;;) {
        film = await rested(path);
        if (!film) {
          kill++;
          running = [];
          await startAll();
          continue;
        }
        const steps: readonly string[] = film.steps
          .filter(({ status }: Json) => status === "unknown")
          .map(({ id }: Json) => id);
        if (film.waitingFor !== "step" || steps.length === 0) break;
        unknown.push(...steps);
        for (const step of steps) await call("POST", `${path}/steps/${step}/retry`);
      }
      const spend = await call("GET", "/api/spend?groupBy=film");
      const isKilled = kills.every((_, at) => existsSync(onceFile(at)));
      return { film, unknown, isKilled, counts: provider.counts(), repeatedKeys: provider.repeatedKeys(), spend };
    },

    /** The files of the data folder and the logs in which one of the texts stands. Ends the processes. */
    async filesWith(texts: readonly string[]): Promise<readonly string[]> {
      await endAll();
      const found: string[] = [];
      for await (const path of new Bun.Glob("**/*").scan({ cwd: folder, dot: true })) {
        const bytes = Buffer.from(await Bun.file(join(folder, path)).bytes());
        if (texts.some((text) => bytes.includes(text))) found.push(path);
      }
      return found;
    },

    async end() {
      await endAll();
      await provider.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type KilledFilm = Awaited<ReturnType<Awaited<ReturnType<typeof killedFilm>>["run"]>>;

/** How often each kind was paid for beyond once a step, and how many of its steps were unknown. */
export const paidAgain = ({ film, unknown, counts }: KilledFilm) =>
  Object.fromEntries(
    paidKinds.map((kind) => {
      const steps = film.steps.filter((step: Json) => step.kind === kind).length;
      const isOf = (id: string) => id === kind || id.endsWith(`-${kind}`);
      return [kind, { again: counts[kind] - steps, unknown: unknown.filter(isOf).length }] as const;
    }),
  );
