import type { FileStore } from "../../../engine/ports.ts";
import { isDomainError, isUnavailable } from "../../../errors.ts";
import { isProcessStop } from "../../../platform/async.ts";
import { currentOrigin, runFrom } from "../../../platform/tracing.ts";
import type { SecretBox } from "../../accounts/secrets.ts";
import { findModel, type SelectedModel } from "../../ai/models.ts";
import { type ProviderCallPorts, providerCall } from "../../ai/provider-calls.ts";
import type { ExportState } from "../../exports/lifecycle/jobs.ts";
import { exportStep, removeExport } from "../../exports/lifecycle/request.ts";
import { finishedVideos } from "../../exports/lifecycle/view.ts";
import { sha256OfFile } from "../../files/file-store.ts";
import { type Checkpoint, CheckpointedSteps } from "../../idempotency/checkpoints.ts";
import { newSpending } from "../../ledger/paid-calls.ts";
import { throughOutage } from "../../shared/outages.ts";
import { requireFound } from "../../shared/versioned.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import { callNumber, describe, endedAttempts, failureOf, type Halt, nextAttempt, resumesAfter } from "../failures.ts";
import {
  callerOf,
  categoryOf,
  type Film,
  type FilmCategory,
  type FilmStep,
  type FilmStore,
  type FilmTarget,
  type StepAttempt,
} from "../film.ts";
import { openKeys } from "../keys.ts";
import { endedStatus } from "../plan.ts";
import { type FilmResult, type Reuse, reusingModels } from "../reuse.ts";
import { makeStep } from "../steps/make.ts";
import type { Made, MakePorts } from "../steps/making.ts";

export type RunStepPorts = MakePorts &
  ProviderCallPorts & { readonly films: FilmStore; readonly filmKeyBox: SecretBox };

type StepRun = {
  readonly film: Film;
  /** The step before the attempt. */
  readonly step: FilmStep;
  /** The film in which the attempt is already stored. */
  readonly begun?: Film | undefined;
  /** Aborts when this process stops, or the film has ended. */
  readonly signal: AbortSignal;
  readonly logError: (error: unknown) => void;
  /** Changes the stored step; undefined if another attempt has begun, or the film was removed. */
  change(edit: (step: FilmStep) => FilmStep, made?: Made): Promise<Film | undefined>;
};

/** The end of an attempt, and the obstacle to the film, if any. */
type EndedRun = { readonly state: Exclude<StepAttempt["state"], "running">; readonly halt?: Halt | undefined };

type StepProgress = {
  /** The checkpoints that it has reached. */
  readonly known: Map<string, Checkpoint>;
  /** True if its call can be sent again without a second payment. */
  readonly isSafe: boolean;
  readonly spending: ReturnType<typeof newSpending>;
  readonly results: FilmResult[];
  /** Remove leftovers at providers, once the step is stored. */
  readonly removals: (() => Promise<void>)[];
};

/** Makes one step, or records its failure. Undefined if another process resumes, or the film was removed. */
export async function runStep(ports: RunStepPorts, run: StepRun): Promise<EndedRun | undefined> {
  const { film, step, signal, change } = run;
  const isSafe = canSendAgain(ports, film, step);
  const begun = run.begun ?? (await change((found) => begunStep(ports, film, found)));
  if (!begun) return undefined;
  const known = new Map(Object.entries(step.checkpoints));
  const progress: StepProgress = { known, isSafe, spending: newSpending(), results: [], removals: [] };
  const { spending, results, removals } = progress;
  try {
    const made = await makeBegun(ports, run, begun, progress);
    const done = (found: FilmStep) => doneStep(found, spending);
    const isStored = await throughOutage(() => change(done, { ...made, results }), { signal });
    await (isStored ? removeReplacedVideo(ports, film, isStored, made) : removeLeftVideo(ports, film, known));
    await Promise.all(removals.map((remove) => remove()));
    return { state: "done" };
  } catch (error) {
    if (signal.aborted && !isProcessStop(signal)) await removeLeftVideo(ports, film, known);
    // another process resumes, or the film was removed
    if (signal.aborted || isUnavailable(error)) throw error;
    if (!isDomainError(error)) run.logError(error);
    const failure = failureOf(film.order, step, error, { known, isSafe, isPaid: spending.isPaid });
    const failed = (found: FilmStep) => failedStep(found, failure, outcome(failure.state, spending, describe(error)));
    await throughOutage(() => change(failed), { signal });
    return { state: failure.state, halt: failure.halt };
  }
}

async function makeBegun(ports: RunStepPorts, run: StepRun, begun: Film, progress: StepProgress): Promise<Made> {
  const { film, step, signal } = run;
  const { known, isSafe, spending, results, removals } = progress;
  const { user, project, work, keys: sealed } = requireFound(await targetOf(ports, begun));
  const keys = openKeys(ports.filmKeyBox, film, sealed);
  const caller = callerOf(user, film);
  const checkpoints = checkpointsOf(ports, run, known, isSafe);
  const call = providerCall(ports, caller, signal, checkpoints, {
    ...{ projectId: film.projectId, workId: film.workId, filmId: film.id, stepId: step.id, spending },
    ...(film.batchId !== undefined && { batchId: film.batchId }),
    ...{ allowUnpriced: film.order.allowUnpriced, filmAttempt: film.attempt },
    checkpoints: () => Object.fromEntries(known),
    awaitsJobs: true,
    afterwards: async (remove) => void removals.push(remove),
    resumesAfter: (error) => resumesAfter(step, error),
    // equal for each attempt at the same call, and new for each retry
    requestKey: `${film.id}/${step.id}/${callNumber(step, { isResumed: known.size > 0, isSafe })}`,
  });
  const choiceOf = (wanted: FilmCategory) => {
    const choice = film.order.models[wanted];
    const apiKey = keys[wanted];
    return choice && { ...choice, ...(apiKey !== undefined && { apiKey }) };
  };
  const models = reusingModels(ports.models, reuseOf(ports, run, results));
  const patient = { ...ports, files: patientFiles(ports.files, signal), models };
  return await makeStep(patient, { film, step, caller, call, checkpoints, choiceOf }, { project, work });
}

const outcome = (state: StepAttempt["state"], { cost }: StepProgress["spending"], error?: StepAttempt["error"]) => ({
  state,
  cost: `${cost}`,
  ...(error && { error }),
});

function doneStep(found: FilmStep, spending: StepProgress["spending"]): FilmStep {
  const ended = { ...found, checkpoints: {}, attempts: endedAttempts(found, outcome("done", spending)) };
  if (endedStatus(found, "done") !== "done") return ended;
  const { force: _, ...kept } = ended;
  return { ...kept, status: "done" };
}

function failedStep(
  found: FilmStep,
  { status, checkpoints }: Pick<FilmStep, "status" | "checkpoints">,
  ending: ReturnType<typeof outcome>,
): FilmStep {
  const isStale = endedStatus(found, status) !== status;
  const attempts = endedAttempts(found, ending);
  return { ...found, attempts, ...(isStale ? { checkpoints: {} } : { status, checkpoints }) };
}

/** The model that makes the step. Without it the attempt fails. */
function modelOf(
  { models }: Pick<RunStepPorts, "models">,
  { order }: Film,
  { kind, wish }: FilmStep,
): SelectedModel | undefined {
  const category = kind === "scenario" && order.scenario ? undefined : categoryOf(kind);
  const model = category && order.models[category];
  return model && findModel(models, category, { ...model, ...(wish?.model && { modelId: wish.model }) });
}

export function begunStep(ports: Pick<RunStepPorts, "models">, film: Film, step: FilmStep): FilmStep {
  const attempt = { state: "running" as const, startedAt: Date.now(), ...modelOf(ports, film, step)?.id };
  return { ...step, status: "running", attempts: nextAttempt(step.attempts, attempt) };
}

/** True if a call of the step can be sent again without a second payment. A caller's retry is a new call. */
export const canSendAgain = (ports: Pick<RunStepPorts, "models">, film: Film, step: FilmStep): boolean =>
  !step.force && modelOf(ports, film, step)?.honoursIdempotencyKey === true;

/** Removes the video of a film that was cancelled or removed meanwhile: no film names it. */
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

const targets = new WeakMap<Film, Promise<FilmTarget | undefined>>();

/** Steps that have begun together share their resources. */
function targetOf({ films }: RunStepPorts, begun: Film): Promise<FilmTarget | undefined> {
  const target = targets.get(begun) ?? films.findTarget(begun);
  targets.set(begun, target);
  return target;
}

/** Removes videos of earlier exports: a film has one for each target, and none if it became stale meanwhile. */
async function removeReplacedVideo(ports: RunStepPorts, before: Film, stored: Film, made: Made): Promise<void> {
  const { userId } = before;
  if (made.exportId === undefined || made.exportId === before.exportId) return;
  if (stored.exportId !== made.exportId) return await removeExport(ports, { id: made.exportId, userId });
  if (before.exportId === undefined) return;
  if (before.batchId !== undefined) await renameVideos(ports, before.exportId, { id: made.exportId, userId });
  await removeExport(ports, { id: before.exportId, userId });
}

/** A table, even an ended one, shows the last video of its film. */
async function renameVideos(
  { films, exports, files }: RunStepPorts,
  earlierId: string,
  { id: exportId, userId }: Pick<ExportState, "id" | "userId">,
): Promise<void> {
  const job = await exports.find(userId, exportId);
  const videos = (job ? finishedVideos(job) : []).map(async ({ key, sizeBytes, target }) => {
    const sha256 = await sha256OfFile(files, { key, sizeBytes });
    return { exportId, target, sha256, sizeBytes };
  });
  await films.renameVideos(earlierId, await Promise.all(videos));
}

/** Stores paid results when the database or the store has recovered. */
const patientFiles = (files: FileStore, signal: AbortSignal): FileStore => ({
  ...files,
  store: (file, key) => throughOutage(() => files.store(file, key), { signal }),
  storeCopy: (file, key) => throughOutage(() => files.storeCopy(file, key), { signal }),
});

/**
 * The step's checkpoints. The start of a call is stored with the call before it is sent, unless an earlier attempt may
 * have done so; its answer is stored however long that takes. That a picture or a clip is in its slot is stored with
 * the end of the step: until then, its answer can be stored there again.
 */
function checkpointsOf(
  { films }: RunStepPorts,
  { film, step, signal }: StepRun,
  known: Map<string, Checkpoint>,
  isSafe: boolean,
) {
  const store = {
    save: (name: string, checkpoint: Checkpoint) => {
      known.set(name, checkpoint);
      const save = () => films.saveCheckpoints(film, step.id, { [name]: checkpoint });
      const isInSlot = checkpoint.state === "done" && (step.kind === "image" || step.kind === "video");
      if (checkpoint.state === "started") return isSafe ? save() : Promise.resolve(true);
      return isInSlot ? Promise.resolve(true) : throughOutage(save, { signal });
    },
    clear: (name: string) => {
      known.delete(name);
      return films.saveCheckpoints(film, step.id, { [name]: undefined });
    },
  };
  return new CheckpointedSteps(store, new Map(known), signal);
}

/** A retry, and an order with `fresh`, reuse nothing; later orders find their results. */
function reuseOf({ films, files }: RunStepPorts, { film, step }: StepRun, results: FilmResult[]): Reuse {
  const ignoresResults = step.force || film.order.fresh;
  return {
    ...{ files, seed: step.wish?.seed },
    find: async (hash) => (ignoresResults ? undefined : await films.findResult(film, hash)),
    remember: (result) => void results.push(result),
  };
}

/** Runs a step in a span of its order's trace, in any process; spans of its jobs are below it. */
export function inFilmStep(
  { metrics, tracing }: Telemetry,
  { traceparent: parent }: Pick<Film, "traceparent">,
  { kind }: Pick<FilmStep, "kind">,
  run: () => Promise<EndedRun | undefined>,
): Promise<EndedRun | undefined> {
  const origin = currentOrigin();
  return tracing.span(
    { name: `film ${kind}`, kind: "consumer", parent: parent ?? origin.traceparent },
    async (span) => {
      const startedAt = performance.now();
      const ended = await runFrom({ ...origin, ...(span.traceparent && { traceparent: span.traceparent }) }, run);
      if (!ended) return ended;
      const outcome = ended.halt ? "waiting" : ended.state;
      span.set({ "reelwright.outcome": outcome });
      if (outcome === "error" || outcome === "unknown") span.fail();
      metrics.stepEnded({ kind, outcome, seconds: (performance.now() - startedAt) / 1000 });
      return ended;
    },
  );
}
