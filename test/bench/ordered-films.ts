import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filmPrices, filmProvider } from "../support/models/film-provider.ts";
import { allFilmKeys, paidOrder } from "../support/paid-films.ts";
import { registerOn, type TestUser } from "../support/service.ts";
import { startCountedService } from "./counted-service.ts";
import { report } from "./figures.ts";
import { cpuSeconds, memoryKilobytes } from "./measure.ts";

/**
 * Films of four seconds at 270×480, of which everything is paid for, that many users order at once: how fair their turns
 * are, what `/api/health` takes meanwhile, and what they ask the database. A film of another user is ordered in the middle.
 */
const userCount = Number(process.env.BENCH_USERS ?? 20);
const filmsOfUser = Number(process.env.BENCH_FILMS ?? 10);
const callMs = Number(process.env.BENCH_CALL_MS ?? 5_000);
const waitingFilms = 20;
const idleMs = 30_000;
const healthEveryMs = 100;
/** A scenario, and a picture, a video and a voice for each of three scenes. */
const paidSteps = 10;

const folder = await mkdtemp(join(tmpdir(), "reelwright-bench-"));
await Bun.write(join(folder, "prices.json"), JSON.stringify(filmPrices));
const provider = await filmProvider();
provider.before = () => Bun.sleep(callMs);
const settings = { ...provider.settingsFor(), PRICES_FILE: join(folder, "prices.json"), RATE_LIMIT: "off" };
const service = await startCountedService(Number(process.env.FIRST_PORT ?? 4410), settings);

try {
  const register = (name: string) => registerOn((path, init) => fetch(service.url + path, init), name);
  const alone = await register("Alone");
  await secondsOf(await order(alone)); // warm-up
  const aloneSeconds = await secondsOf(await order(alone));
  await Bun.sleep(5_000);
  const fresh = await idleTime();
  const idleRate = fresh.statements / fresh.seconds;

  const users: TestUser[] = [];
  for (let at = 0; at < userCount; at++) users.push(await register(`User ${at}`));
  const projects = await Promise.all(users.map(newProject));
  const total = userCount * filmsOfUser;
  let single: number | undefined;
  const health: number[] = [];
  const memory: { readonly done: number; readonly megabytes: number }[] = [];
  const begunAt = Date.now();

  const counted = await service.countDuring(async () => {
    const ordering = users.map(async (user, at) => {
      for (let film = 0; film < filmsOfUser; film++) await order(user, projects[at]);
    });
    await Promise.all(ordering);
    let singleEnds: Promise<void> | undefined;
    for (let next = 0; ; next = Math.max(next + healthEveryMs, performance.now())) {
      await Bun.sleep(Math.max(0, next - performance.now()));
      const asked = performance.now();
      await (await fetch(`${service.url}/api/health`)).text();
      health.push(performance.now() - asked);
      if (health.length % 10 > 0) continue;
      const [{ done }] =
        await service.query(`select /* bench */ count(*) filter (where ended_at is not null)::int as done
        from films where created_at >= ${begunAt}`);
      memory.push({ done, megabytes: memoryOfAll() });
      if (done >= total / 2 && !singleEnds) {
        singleEnds = order(alone)
          .then(secondsOf)
          .then((seconds) => {
            single = seconds;
          });
      }
      // the single one is counted, too
      if (done > total && single !== undefined) break;
    }
    await singleEnds;
  });

  const rows = await service.query(`select /* bench */ user_id, status, created_at, ended_at from films
    where created_at >= ${begunAt} and user_id <> '${alone.user.id}'`);
  const broken = rows.filter(({ status }) => status !== "done").length;
  const lasts = users.map(({ user }) => {
    const own = rows.filter(({ user_id }) => user_id === user.id);
    return (Math.max(...own.map((row) => Number(row.ended_at))) - begunAt) / 1000;
  });
  const mean = lasts.reduce((sum, seconds) => sum + seconds, 0) / lasts.length;
  const counts = provider.counts();
  const paid = counts.scenario + counts.image + counts.video + counts.voice;

  // proxies of the last films are built meanwhile
  await Bun.sleep(20_000);
  const used = await idleTime();
  for (let at = 0; at < waitingFilms; at++) await order(users[at % users.length]!, undefined, { stopAt: ["scenario"] });
  const waiting = `select /* bench */ count(*)::int as count from films where waiting_for = 'approval'`;
  while ((await service.query(waiting))[0].count < waitingFilms) await Bun.sleep(500);
  await Bun.sleep(20_000);
  const withWaiting = await idleTime();

  const after20 = memory.find(({ done }) => done >= Math.min(20, total / 2))?.megabytes ?? 0;
  const most = Math.max(...memory.filter(({ done }) => done >= Math.min(20, total / 2)).map((each) => each.megabytes));
  const ordered = health.toSorted((one, other) => one - other);
  const title = `${total} films of ${userCount} users, ${callMs / 1000} s a call`;
  const isTransaction = (text: string) => /^(begin|commit|rollback|savepoint)/i.test(text);
  const transactions = counted.calls.reduce((sum, [text, count]) => sum + (isTransaction(text) ? count : 0), 0);
  // the bench asks for the health all the time
  const pings = counted.calls.find(([text]) => /^select \$1$/.test(text))?.[1] ?? 0;
  const statements = counted.statements - transactions - pings - idleRate * counted.seconds;
  const looks = counted.calls.find(([text]) => /^select "id", "attempt", "revision" from "films"/.test(text));
  report([
    {
      figure: `${title}: not done, or paid more than once a step`,
      measured: `${broken}, ${paid - paidSteps * (total + 3)}`,
      goal: "0, 0",
    },
    { figure: "seconds until all are done", measured: counted.seconds.toFixed(0), goal: "-" },
    {
      figure: "a user's last film, the slowest / the mean",
      measured: (Math.max(...lasts) / mean).toFixed(2),
      goal: "<= 2",
    },
    {
      figure: "a single film in the middle / alone",
      measured: ((single ?? 0) / aloneSeconds).toFixed(2),
      goal: "<= 3",
    },
    { figure: "seconds of a film alone", measured: aloneSeconds.toFixed(1), goal: "-" },
    { figure: "ms of /api/health, 99th percentile", measured: percentile(ordered, 0.99).toFixed(0), goal: "<= 50" },
    {
      figure: "looks at films for each paid step, one statement each",
      measured: ((looks?.[1] ?? 0) / (paidSteps * (total + 1))).toFixed(1),
      goal: "-",
    },
    {
      figure: "statements for each paid step, with its film's others",
      measured: (statements / (paidSteps * (total + 1))).toFixed(1),
      goal: "<= 20",
    },
    {
      figure: `statements a second of idle processes beside ${waitingFilms} films that wait / without / before all films`,
      measured: [withWaiting, used, fresh]
        .map(({ statements, seconds }) => (statements / seconds).toFixed(2))
        .join(" / "),
      goal: "equal",
    },
    {
      figure: `ms of CPU a second of idle processes beside ${waitingFilms} films that wait / without / before all films`,
      measured: [withWaiting, used, fresh].map(({ cpu, seconds }) => ((cpu / seconds) * 1000).toFixed(1)).join(" / "),
      goal: "<= 1 more",
    },
    {
      figure: "MB of the service after 20 films, and the most after them",
      measured: `${after20.toFixed(0)}, ${most.toFixed(0)}`,
      goal: "flat",
    },
  ]);
  if (process.env.BENCH_SHOW === "1") {
    const asked = counted.calls.filter(([text]) => !isTransaction(text));
    const steps = paidSteps * (total + 1);
    for (const [table, calls] of Map.groupBy(asked, ([text]) => tableOf(text))) {
      console.log(`${(calls.reduce((sum, [, count]) => sum + count, 0) / steps).toFixed(2)}\t${table}`);
    }
    for (const [text, count] of asked.slice(0, 120))
      console.log(`${(count / steps).toFixed(2)}\t${text.replace(/\s+/g, " ").slice(0, 220)}`);
  }
} finally {
  await service.end();
  await provider.stop();
  await rm(folder, { recursive: true, force: true });
}

async function newProject(user: TestUser): Promise<string> {
  return (await (await user.json("POST", "/api/projects", { name: "Bench" })).json()).id;
}

async function order(user: TestUser, projectId?: string, more: object = {}): Promise<{ user: TestUser; path: string }> {
  const base = `/api/projects/${projectId ?? (await newProject(user))}/films`;
  const body = { ...paidOrder, seconds: 4, resolution: { width: 270, height: 480 }, fresh: true, ...more };
  const response = await user.json("POST", base, body, allFilmKeys);
  if (!response.ok) throw new Error(await response.text());
  return { user, path: `${base}/${(await response.json()).id}` };
}

/** The table that a statement writes, or reads from first. */
function tableOf(text: string): string {
  const [, table = text.slice(0, 40)] = /(?:insert into|update|delete from|\bfrom)\s+("?[\w.]+"?)/i.exec(text) ?? [];
  return table.replaceAll('"', "");
}

/** Looks at the rows: a request would count. */
async function secondsOf({ path }: { path: string }): Promise<number> {
  const id = path.split("/").at(-1)!; // safe because paths of films end with their ids
  for (;;) {
    const [film] = await service.query(`select /* bench */ status, waiting_for, waiting_reason, created_at, ended_at
      from films where id = '${id}'`);
    if (film.status === "done") return (Number(film.ended_at) - Number(film.created_at)) / 1000;
    if (film.status === "error" || (film.status === "waiting" && film.waiting_for !== "provider")) {
      throw new Error(`The film is ${film.status}: ${film.waiting_reason}`);
    }
    await Bun.sleep(200);
  }
}

/** What both processes use, and ask the database, while nothing happens. */
async function idleTime() {
  const before = cpuOfAll();
  const counted = await service.countDuring(() => Bun.sleep(idleMs));
  return { ...counted, cpu: cpuOfAll() - before };
}

/** Seconds of both processes, with their children. */
function cpuOfAll(): number {
  return service.pids().reduce((sum, pid) => {
    const { own, running, ended } = cpuSeconds(pid);
    return sum + own + running + ended;
  }, 0);
}

function memoryOfAll(): number {
  return service.pids().reduce((sum, pid) => sum + memoryKilobytes(pid, "VmRSS") / 1024, 0);
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
