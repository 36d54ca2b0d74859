import { setTimeout as sleep } from "node:timers/promises";
import { processStopped, RetryAfterError } from "../../../platform/async.ts";
import { outageProofLeaseMs, takeLease } from "../../../platform/leases.ts";
import type { LedgerStore } from "../../ledger/ledger.ts";
import { holdWhileWanted, type WantedCallPorts } from "../../ledger/paid-calls.ts";
import { throughOutage } from "../../shared/outages.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import { resumeWithRoom } from "../budget-waits.ts";
import { type Halt, reasonOf, recoveredStep } from "../failures.ts";
import { type Film, type FilmStep, gatesOf, hasEnded, wishesOf, withFindings, withoutWait } from "../film.ts";
import { mergePlan, type PlannedStep, planSteps, readySteps, restOf } from "../plan.ts";
import type { FilmResult } from "../reuse.ts";
import type { Made } from "../steps/making.ts";
import { begunStep, canSendAgain, inFilmStep, type RunStepPorts, runStep } from "./step.ts";

type AdvancePorts = RunStepPorts & {
  readonly ledger: Pick<LedgerStore, "hasCalled" | "endAbandoned" | "filmsWithRoom"> & WantedCallPorts["ledger"];
  readonly telemetry: Telemetry;
};

type LogError = (error: unknown) => void;

/** The most concurrent provider calls and exports of one film. */
const maxAtOnce = 4;

/** The interval in which a cancelled or removed film is noticed. All films of a process are polled together. */
const pollEveryMs = 6_000;

const pollNumber = () => Math.floor(performance.now() / pollEveryMs);

const untilNextPoll = (signal: AbortSignal) =>
  sleep((pollNumber() + 1) * pollEveryMs - performance.now() + 1, undefined, { signal }).catch(() => {});

/** Aborts when no step may begin in this process. */
type Draining = { readonly draining?: AbortSignal };

/**
 * Job handler: advances a film as far as possible, from the stored steps alone. `stopped` aborts when this process
 * stops, or has lost the job; the handler then throws, and another process resumes. Throws RetryAfterError to be called
 * again later.
 */
export async function advanceFilm(
  ports: AdvancePorts,
  filmId: string,
  stopped: AbortSignal,
  logError: LogError = () => {},
  { draining = new AbortController().signal }: Draining = {},
): Promise<void> {
  const lease = await takeLease(ports, [`film/${filmId}`], { leaseMs: outageProofLeaseMs });
  if (!lease) throw new RetryAfterError("The film is being advanced.", 1);
  const ended = new AbortController();
  // jobs of providers resume in another process; an end of the film cancels them
  const stop = () => ended.abort(processStopped);
  stopped.addEventListener("abort", stop);
  try {
    const film = await ports.films.acquire(filmId);
    if (!film) return;
    stopped.throwIfAborted();
    // one for all calls of the film
    const held = await holdWhileWanted(ports, film, () => {});
    const run = new FilmRun(ports, film, ended, logError);
    const retryAfter = await run.advance(draining).finally(held.release);
    if (retryAfter !== undefined) throw new RetryAfterError("The film waits for a provider.", retryAfter);
  } finally {
    stopped.removeEventListener("abort", stop);
    await lease.release();
  }
}

const newStep = (step: PlannedStep): FilmStep => ({ ...step, status: "waiting", attempts: [], checkpoints: {} });

/** The steps of an order before its scenario exists. */
export const firstSteps = (order: Film["order"]): readonly FilmStep[] => planSteps(wishesOf(order)).map(newStep);

/** Includes a step that became stale while it ran. */
const wasLeft = ({ status, attempts }: FilmStep): boolean =>
  status === "running" || (status === "stale" && attempts.at(-1)?.state === "running");

/** A step before its attempt, and the film in which the attempt is stored, if it is. */
type BegunStep = { readonly step: FilmStep; readonly begun?: Film | undefined };

/** `made` is present if the step is done. */
type StepEdit = { readonly apply: (film: Film) => Film; readonly made: Made | undefined };

class FilmRun {
  readonly #ports: AdvancePorts;
  readonly #film: Film;
  readonly #ended: AbortController;
  readonly #logError: LogError;
  #halt: FilmHalt | undefined;
  /** The film as this attempt last read or wrote it. */
  #latest: Film;
  readonly #running = new Map<string, Promise<void>>();
  /** Steps that did not fit the budget beside running ones; retried when one of those ends. */
  readonly #crowded = new Set<string>();
  readonly #failures: unknown[] = [];
  /** Steps stored as running by the statement that stored the end of others. */
  readonly #begun: BegunStep[] = [];
  #mayBegin = () => false;
  #isWritten = true;
  #poll = pollNumber();
  /** Edits of steps, until the next statement writes them together. */
  #edits: StepEdit[] = [];
  #writing: Promise<Film | undefined> = Promise.resolve(undefined);

  constructor(ports: AdvancePorts, film: Film, ended: AbortController, logError: LogError) {
    this.#ports = ports;
    this.#film = film;
    this.#latest = film;
    this.#ended = ended;
    this.#logError = logError;
  }

  /** Decides about the steps that a process left running: they resume, or their payment is unknown. */
  async #recover(): Promise<void> {
    const left = this.#film.steps.filter(wasLeft);
    if (left.length === 0) return;
    await this.#ports.ledger.endAbandoned();
    const states = new Map<string, "resumes" | "unknown">();
    for (const step of left) states.set(step.id, (await this.#isUnclear(step)) ? "unknown" : "resumes");
    await this.#change((film) => ({
      ...film,
      steps: film.steps.map((step) => {
        const state = states.get(step.id);
        if (!state) return step;
        const isSafe = canSendAgain(this.#ports, film, step);
        return recoveredStep(film.order, step, { isUnclear: state === "unknown", isSafe });
      }),
    }));
  }

  /** True if a call may have been sent, without leaving a job or a result. */
  async #isUnclear({ id, checkpoints, attempts }: FilmStep): Promise<boolean> {
    const begun = attempts.at(-1)?.startedAt ?? 0;
    const started = Object.values(checkpoints).flatMap((found) =>
      found.state === "started" ? (found.at ?? begun) : [],
    );
    // the ledger records the call before it is sent
    return started.length > 0 && (await this.#ports.ledger.hasCalled(this.#film.id, id, Math.min(...started)));
  }

  /** Runs steps until none can begin. Returns the seconds until the next poll, if any. */
  async advance(draining: AbortSignal): Promise<number | undefined> {
    await this.#recover();
    const { signal } = this.#ended;
    const running = this.#running;
    const failures = this.#failures;
    const isHeld = () => this.#halt !== undefined || draining.aborted || failures.length > 0 || this.#crowded.size > 0;
    this.#mayBegin = () => !isHeld();
    const start = (film: Film, { step, begun }: BegunStep) => {
      const run = this.#run(film, { step, begun })
        .catch((error) => void failures.push(error))
        .finally(() => running.delete(step.id));
      running.set(step.id, run);
    };
    try {
      for (;;) {
        signal.throwIfAborted();
        // running steps are paid for: they continue while the database is unavailable
        const film = await throughOutage(() => this.#load(), { signal });
        if (!film) return void (await this.#leave());
        if (failures.length > 0 && running.size === 0) throw failures[0];
        for (const each of this.#begun.splice(0)) start(each.begun ?? film, each);
        const ready = isHeld() ? [] : this.#readySteps(film);
        for (const step of ready.slice(0, maxAtOnce - running.size)) start(film, { step });
        if (running.size === 0) {
          if (draining.aborted && !this.#halt) return 1;
          const rest = await this.#rest();
          if (rest !== "resumed") return rest;
          continue;
        }
        await Promise.race([...running.values(), untilNextPoll(signal)]);
      }
    } finally {
      this.#ended.abort();
      await Promise.allSettled(running.values());
    }
  }

  #readySteps({ steps, ...film }: Film): readonly FilmStep[] {
    return readySteps(steps, gatesOf(film)).filter(({ id }) => !this.#running.has(id));
  }

  async #run(film: Film, { step, begun }: BegunStep): Promise<void> {
    const ended = await inFilmStep(this.#ports.telemetry, film, step, () =>
      runStep(this.#ports, {
        ...{ film: { ...film, attempt: this.#film.attempt }, step, begun },
        ...{ signal: this.#ended.signal, logError: this.#logError },
        change: (edit, made) => this.#changeStep(step.id, edit, made),
      }),
    );
    const halt = ended?.halt;
    if (halt?.waitingFor === "budget") this.#crowded.add(step.id);
    else this.#crowded.clear();
    // running steps may cost less than was reserved for them
    const isCrowded = [...this.#running.keys()].some((id) => !this.#crowded.has(id));
    if (!halt || (halt.waitingFor === "budget" && isCrowded)) return;
    this.#crowded.clear();
    this.#halt ??= { ...halt, maxSpend: film.maxSpend };
  }

  /** Leaves jobs of providers to the process that has the film now; the end of the film cancels them. */
  async #leave(): Promise<void> {
    const { id, projectId } = this.#film;
    const film = await throughOutage(() => this.#ports.films.find(projectId, id), { signal: this.#ended.signal });
    if (film && !hasEnded(film)) this.#ended.abort(processStopped);
  }

  /** Most polls find changes of this attempt itself; a few find changes by others. */
  async #load(): Promise<Film | undefined> {
    const { id, attempt } = this.#film;
    const isWritten = this.#isWritten && this.#poll === pollNumber();
    this.#isWritten = false;
    if (isWritten) return this.#latest;
    this.#poll = pollNumber();
    const revision = await this.#ports.films.loadRevision(id, attempt);
    if (revision === undefined) return undefined;
    if (this.#latest.revision === revision) return this.#latest;
    const film = await this.#ports.films.load(id, attempt);
    // a step may have been written meanwhile
    if (film && film.revision >= this.#latest.revision) this.#latest = film;
    return film && this.#latest;
  }

  async #change(edit: (film: Film) => Film, results: readonly FilmResult[] = []): Promise<Film | undefined> {
    const { id, projectId, attempt } = this.#film;
    const changed = await this.#ports.films.change({ id, projectId, attempt }, edit, { results, seen: this.#latest });
    if (changed) [this.#latest, this.#isWritten] = [changed, true];
    return changed;
  }

  /** Writes steps that begin or end together in one statement. */
  #changeTogether(edit: StepEdit): Promise<Film | undefined> {
    this.#edits.push(edit);
    if (this.#edits.length > 1) return this.#writing;
    const writeAll = () => this.#writeEdits();
    this.#writing = this.#writing.then(writeAll, writeAll);
    return this.#writing;
  }

  async #writeEdits(): Promise<Film | undefined> {
    await sleep(0);
    const edits = this.#edits.splice(0);
    const results = edits.flatMap(({ made }) => made?.results ?? []);
    let begun: readonly FilmStep[] = [];
    const changed = await this.#change((film) => {
      const edited = edits.reduce((before, { apply }) => apply(before), film);
      // a failure may hold the film
      begun = edits.every(({ made }) => made) ? this.#nextSteps(edited, edits.length) : [];
      const isBegun = (step: FilmStep) => begun.includes(step);
      return begun.length === 0
        ? edited
        : {
            ...edited,
            steps: edited.steps.map((step) => (isBegun(step) ? begunStep(this.#ports, edited, step) : step)),
          };
    }, results);
    if (changed) this.#begun.push(...begun.map((step) => ({ step, begun: changed })));
    return changed;
  }

  /** The steps that begin when others end. */
  #nextSteps(film: Film, endedCount: number): readonly FilmStep[] {
    if (!this.#mayBegin()) return [];
    const free = maxAtOnce - this.#running.size - this.#begun.length + endedCount;
    return this.#readySteps(film).slice(0, Math.max(0, free));
  }

  #changeStep(stepId: string, edit: (step: FilmStep) => FilmStep, made?: Made): Promise<Film | undefined> {
    const apply = (film: Film): Film => {
      // the result of a stale step is not used
      const isCurrent = film.steps.some(({ id, status }) => id === stepId && status !== "stale");
      const { sceneCount, found, results: _, ...changes }: Made = isCurrent ? (made ?? {}) : {};
      const order = found ? { ...film.order, found: withFindings(film.order.found, found) } : film.order;
      const steps = film.steps.map((step) => (step.id === stepId ? edit(step) : step));
      const isPlanned = sceneCount !== undefined;
      const planned = isPlanned ? mergePlan(planSteps(wishesOf(film.order), sceneCount), steps, newStep) : steps;
      return { ...withoutWait(film), ...changes, order, status: "running", steps: planned };
    };
    return this.#changeTogether({ apply, made });
  }

  /** Records the film's wait or end. Returns seconds, like `advance`, or "resumed" if its owner has changed it meanwhile. */
  async #rest(): Promise<number | "resumed" | undefined> {
    const halt = this.#halt;
    let isResumed = false;
    await this.#change((found) => {
      const rested = halt ? halted(found, halt) : restedFilm(found);
      isResumed = rested === undefined;
      return rested ?? found;
    });
    if (isResumed) this.#halt = undefined;
    // a call that has just ended found no waiting film
    else if (halt?.budgetWait) await resumeWithRoom(this.#ports, this.#film);
    return isResumed ? "resumed" : halt?.retryAfterSeconds;
  }
}

/** Contains the film's budget at that time. */
type FilmHalt = Halt & { readonly maxSpend: Film["maxSpend"] };

/** Undefined if its budget was raised meanwhile. */
function halted(film: Film, halt: FilmHalt): Film | undefined {
  const { waitingFor, reason: waitingReason, maxSpend, budgetWait } = halt;
  if (waitingFor === "budget" && film.maxSpend !== maxSpend) return undefined;
  const waiting: Film = { ...withoutWait(film), status: "waiting", waitingFor, waitingReason };
  return budgetWait ? { ...waiting, budgetWait } : waiting;
}

/** The film with its wait, or at its end; undefined if a step can begin. */
function restedFilm(film: Film): Film | undefined {
  const rest = restOf(film.steps, gatesOf(film));
  const cleared = withoutWait(film);
  const endedAt = Date.now();
  switch (rest?.state) {
    case undefined:
      return undefined;
    case "done":
      return { ...cleared, status: "done", endedAt };
    case "approval":
      return {
        ...{ ...cleared, status: "waiting", waitingFor: "approval", waitingAt: rest.at },
        waitingReason: `Look at the ${rest.at}, and approve to go on.`,
      };
    case "step":
      return { ...cleared, status: "waiting", waitingFor: "step", waitingReason: reasonOf(film.steps, rest.step) };
    case "empty":
      return {
        ...{ ...cleared, status: "error", endedAt },
        failure: { code: "nothing_to_export", message: "All scenes are left out: there is nothing to show." },
      };
  }
}
