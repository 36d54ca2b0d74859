import { closeSync, openSync } from "node:fs";
import { pino } from "pino";
import { createApp } from "../../src/app.ts";
import { runExportJob } from "../../src/domain/exports/lifecycle/run.ts";
import type { FilmStore } from "../../src/domain/films/film.ts";
import { advanceFilm } from "../../src/domain/films/run/advance.ts";
import type { LedgerStore } from "../../src/domain/ledger/ledger.ts";
import { readEnvironment } from "../../src/env.ts";
import { describeError } from "../../src/http/response/log.ts";
import { createObservedServices } from "../../src/process/monitoring.ts";
import { openResources } from "../../src/process/resources.ts";
import { openTelemetry } from "../../src/process/telemetry.ts";
import type { KilledKind } from "./killed-films.ts";

/**
 * A program: the service, whose process dies as by kill -9 at a moment of a paid call. KILL_AT is `<moment>/<kind>`; of
 * all processes with the same KILL_ONCE, a file, one dies.
 */
const [moment = "", kind = ""] = (process.env.KILL_AT ?? "").split("/");
const once = process.env.KILL_ONCE ?? "";

function die(): void {
  try {
    closeSync(openSync(once, "wx"));
  } catch {
    return;
  }
  process.kill(process.pid, "SIGKILL");
}

const kindOf: Readonly<Record<string, KilledKind>> = {
  scenario: "scenario",
  image: "image",
  match: "match",
  video: "video",
  speech: "voice",
  music: "music",
};

/** The answer of a video's creation names its job; what the call has cost is booked with the last poll. */
const bookedAs = (purpose: string): KilledKind | undefined => (purpose === "video" ? "poll" : kindOf[purpose]);

/** Dies before a call is reserved, or after its cost is booked and before its answer is stored. */
function dyingLedger(ledger: LedgerStore): LedgerStore {
  const calls = new Map<string, string>();
  return {
    ...ledger,
    async reserve(call) {
      if (moment === "before" && kindOf[call.purpose] === kind) die();
      await ledger.reserve(call);
      calls.set(call.id, call.purpose);
    },
    async end(call) {
      const ended = await ledger.end(call);
      if (moment === "answered" && bookedAs(calls.get(call.id) ?? "") === kind) die();
      return ended;
    },
  };
}

/** Dies once the answer of a call, or the id of its job, is stored; or before the id of a video's job is. */
function dyingFilms(films: FilmStore): FilmStore {
  return {
    ...films,
    async saveCheckpoints(film, stepId, checkpoints) {
      const states = Object.values(checkpoints).flatMap((checkpoint) => checkpoint?.state ?? []);
      const isOf = (name: string) => stepId === name || stepId.endsWith(`-${name}`);
      const hasJob = kind === "video" && isOf("video") && states.includes("job");
      if (moment === "answered" && hasJob) die();
      const saved = await films.saveCheckpoints(film, stepId, checkpoints);
      if (moment === "stored" && states.some(isAnswer) && isOf(kind)) die();
      return saved;
    },
    async change(film, edit, options) {
      const changed = await films.change(film, edit, options);
      const isStored = changed?.steps.some((step) => step.kind === "video" && step.status === "done");
      if (moment === "stored" && kind === "poll" && isStored) die();
      return changed;
    },
  };
}

const isAnswer = (state: string): boolean => state !== "started";

const env = readEnvironment(process.env);
const log = pino({ level: "trace" }, pino.destination({ dest: 2, sync: true }));
const telemetry = await openTelemetry(env);
const resources = { ...(await openResources(env, telemetry)), telemetry };
const { queues } = resources;
const wired = createObservedServices(env, resources, "http://localhost", log);
const services = { ...wired, ledger: dyingLedger(wired.ledger), films: dyingFilms(wired.films) };
const app = createApp(services, { log, corsOrigins: [], trustedProxies: [] });
queues.registerHandler("exports", (exportId, signal) => runExportJob(services, exportId, signal));
const logError = (error: unknown) => log.error({ error: describeError(error) }, "film");
queues.registerHandler("films", (filmId, signal) => advanceFilm(services, filmId, signal, logError));
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => app.fetch(request) });
await queues.start();
process.stdout.write(`${server.url.origin}\n`);
