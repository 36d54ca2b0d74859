import { setTimeout as sleep } from "node:timers/promises";
import { isDomainError, isUnavailable } from "../../errors.ts";
import { isProcessStop } from "../../platform/process-stop.ts";
import type { UserStore } from "../accounts/users.ts";
import { type ProviderCallPorts, providerCall } from "../ai/provider-calls.ts";
import { exportStep, removeExport } from "../exports/lifecycle/request.ts";
import type { SecretBox } from "../exports/webhooks/secret-box.ts";
import type { FileStore } from "../files/file-store.ts";
import { type Checkpoint, CheckpointedSteps } from "../idempotency/checkpoints.ts";
import { newSpending } from "../ledger/paid-calls.ts";
import { describe, endedAttempts, failureOf, type Halt, nextAttempt } from "./failures.ts";
import {
  callerOf,
  categoryOf,
  type Film,
  type FilmCategory,
  type FilmStep,
  type FilmStore,
  type StepAttempt,
} from "./film.ts";
import { openKeys } from "./keys.ts";
import { makeStep } from "./make.ts";
import type { Made, MakePorts } from "./making.ts";
import { endedStatus } from "./plan.ts";
import { type Reuse, reusingModels } from "./reuse.ts";

export type RunStepPorts = MakePorts &
  ProviderCallPorts & {
    readonly films: FilmStore;
    readonly filmKeyBox: SecretBox;
    readonly users: Pick<UserStore, "find">;
  };

export type StepRun = {
  readonly film: Film;
  readonly step: FilmStep;
  /** Aborts when this process stops, or the film has ended. */
  readonly signal: AbortSignal;
  readonly logError: (error: unknown) => void;
  /** Changes the row of the step; undefined once another attempt has begun, or the film is gone. */
  change(edit: (step: FilmStep) => FilmStep, made?: Made): Promise<Film | undefined>;
};

/** How an attempt has ended, and what keeps the film from going on, if anything. */
type EndedRun = { readonly state: Exclude<StepAttempt["state"], "running">; readonly halt?: Halt | undefined };

/** Makes one step, or records why it failed. Undefined if another process goes on, or the film is gone. */
export async function runStep(ports: RunStepPorts, run: StepRun): Promise<EndedRun | undefined> {
  const { film, step, signal, change } = run;
  const user = await ports.users.find(film.userId);
  if (!user) return undefined;
  const keys = await openKeys(ports, film);
  const category = categoryOf(step.kind);
  const model = category && film.order.models[category];
  const { model: modelId, seed } = step.wish ?? {};
  const target = model ? ports.models.select(category, { ...model, ...(modelId && { modelId }) }).id : undefined;
  const begun = await change((found) => ({
    ...found,
    status: "running",
    attempts: nextAttempt(found.attempts, { state: "running", startedAt: Date.now(), ...target }),
  }));
  if (!begun) return undefined;
  const known = new Map<string, Checkpoint>(Object.entries(step.checkpoints));
  const checkpoints = checkpointsOf(ports, run, known);
  const caller = callerOf(user, film);
  const spending = newSpending();
  const call = providerCall(ports, caller, signal, checkpoints, {
    ...{ projectId: film.projectId, workId: film.workId, filmId: film.id, stepId: step.id, spending },
    ...{ allowUnpriced: film.order.allowUnpriced, filmAttempt: film.attempt },
    // the same for the same attempt of the caller, and another one for each retry
    requestKey: `${film.id}/${step.id}/${step.attempts.length - (known.size > 0 ? 1 : 0)}`,
  });
  const choiceOf = (wanted: FilmCategory) => {
    const choice = film.order.models[wanted];
    const apiKey = keys[wanted];
    return choice && { ...choice, ...(apiKey !== undefined && { apiKey }) };
  };
  const outcome = (state: StepAttempt["state"], error?: StepAttempt["error"]) => ({
    ...{ state, cost: `${spending.cost}` },
    ...(error && { error }),
  });
  const patient = { ...ports, files: patientFiles(ports.files, signal) };
  const models = reusingModels(ports.models, reuseOf(ports, run, seed));
  try {
    const made = await makeStep({ ...patient, models }, { film, step, caller, call, checkpoints, choiceOf });
    const done = (found: FilmStep): FilmStep => {
      const ended = { ...found, checkpoints: {}, attempts: endedAttempts(found, outcome("done")) };
      if (endedStatus(found, "done") !== "done") return ended;
      const { force: _, ...kept } = ended;
      return { ...kept, status: "done" };
    };
    if (!(await untilAvailable(signal, () => change(done, made)))) await removeLeftVideo(ports, film, known);
    return { state: "done" };
  } catch (error) {
    if (signal.aborted && !isProcessStop(signal)) await removeLeftVideo(ports, film, known);
    // another process goes on, or the film is gone
    if (signal.aborted || isUnavailable(error)) throw error;
    if (!isDomainError(error)) run.logError(error);
    const {
      halt,
      state,
      status,
      checkpoints: kept,
    } = failureOf(film.order, step, error, {
      known,
      isPaid: spending.cost > 0n,
    });
    await untilAvailable(signal, () =>
      change((found) => {
        const attempts = endedAttempts(found, outcome(state, describe(error)));
        const isStale = endedStatus(found, status) !== status;
        return { ...found, attempts, ...(isStale ? { checkpoints: {} } : { status, checkpoints: kept }) };
      }),
    );
    return { state, halt };
  }
}

/** Of a film that was cancelled or removed while its video was made: no film names it. */
async function removeLeftVideo(
  ports: RunStepPorts,
  { id, projectId, userId }: Film,
  known: ReadonlyMap<string, Checkpoint>,
): Promise<void> {
  const requested = known.get(exportStep);
  if (requested?.state !== "job") return;
  const film = await ports.films.find(projectId, id);
  if (!film || film.status === "cancelled") await removeExport(ports, { id: requested.id, userId });
}

const retryMs = 1_000;

/** What is paid for is stored when the database, or the store, is back. */
export async function untilAvailable<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await sleep(retryMs, undefined, { signal });
    }
  }
}

const patientFiles = (files: FileStore, signal: AbortSignal): FileStore => ({
  ...files,
  store: (file, key) => untilAvailable(signal, () => files.store(file, key)),
  storeCopy: (file, key) => untilAvailable(signal, () => files.storeCopy(file, key)),
});

/** Of the step's row. A call begins only if that is stored; its answer is stored however long that takes. */
function checkpointsOf({ films }: RunStepPorts, { film, step, signal }: StepRun, known: Map<string, Checkpoint>) {
  const save = () => films.saveCheckpoints(film, step.id, Object.fromEntries(known));
  const store = {
    save: (name: string, checkpoint: Checkpoint) => {
      known.set(name, checkpoint);
      return checkpoint.state === "started" ? save() : untilAvailable(signal, save);
    },
    clear: (name: string) => {
      known.delete(name);
      return save();
    },
  };
  return new CheckpointedSteps(store, new Map(known), signal);
}

/** A retry makes anew, and so does an order that wants it; what they make is what later orders find. */
function reuseOf({ films, files }: RunStepPorts, { film, step }: StepRun, seed: number | undefined): Reuse {
  const isAnew = step.force || film.order.fresh;
  return {
    ...{ files, seed },
    find: async (hash) => (isAnew ? undefined : await films.findResult(film, hash)),
    remember: (result) => films.putResult(film, result).catch(() => {}),
  };
}
