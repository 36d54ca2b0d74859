import { DomainError, invalid } from "../../errors.ts";
import { withoutUndefined } from "../../platform/values.ts";
import type { AssetStore } from "../assets/assets.ts";
import type { ExportStore } from "../exports/lifecycle/jobs.ts";
import { exportStep, type RemoveExportPorts, removeExport } from "../exports/lifecycle/request.ts";
import type { Micros } from "../ledger/money.ts";
import { isId } from "../shared/ids.ts";
import { canonicalJson } from "../shared/json.ts";
import { type ExpectedRevision, requireFound, requireRevision } from "../shared/versioned.ts";
import type { ScenarioScene, Work } from "../works/works.ts";
import { requireModels } from "./chosen-models.ts";
import {
  categoryOf,
  type Film,
  type FilmStep,
  type FilmStore,
  hasEnded,
  isBroken,
  requireFilm,
  resumed,
  type SealedKeys,
  wishesOf,
  withFindings,
} from "./film.ts";
import {
  canBeLeftOut,
  dependentsOf,
  mergePlan,
  planSteps,
  type StepKind,
  stops,
  withSkipped,
  withStale,
} from "./plan.ts";
import { jobsOfFilm, type ProviderJobPorts } from "./provider-jobs.ts";
import { secondsOf } from "./voice-length.ts";

type FilmPorts = { readonly films: FilmStore };

export const notWaiting = () => new DomainError("not_waiting", {});

/** Omits the attempt: a user's change also applies to the next attempt. */
const keyOf = ({ id, projectId }: Film) => ({ id, projectId });

export const requireStep = ({ steps }: Film, stepId: string): FilmStep =>
  requireFound(steps.find(({ id }) => id === stepId));

type Approval = { readonly step?: string; readonly scenario?: readonly ScenarioScene[] };

/** Resumes from a wait for an approval, or without a failed step. Throws not_waiting. */
export async function approveFilm({ films }: FilmPorts, film: Film, { step, scenario }: Approval): Promise<Film> {
  requireWait(film, step);
  const changed = await films.change(
    keyOf(film),
    (found, _, work) => {
      requireWait(found, step);
      if (step !== undefined) return { ...resumed(found), steps: withSkipped(found.steps, step) };
      const at = found.waitingAt;
      const passed = at ? stops.filter((stop) => stops.indexOf(stop) <= stops.indexOf(at)) : [];
      const approved = { ...resumed(found), approved: [...new Set([...found.approved, ...passed])] };
      return scenario && work ? withScenario(approved, { before: work.scenes, after: scenario }) : approved;
    },
    { wake: true, editWork: scenario && withScenes(() => scenario) },
  );
  return requireFound(changed);
}

type Scenes = readonly ScenarioScene[];

const withScenes =
  (edit: (scenes: Scenes) => Scenes) =>
  (work: Work): Work => ({ ...work, scenes: edit(work.scenes), updatedAt: Date.now() });

function requireWait(film: Film, step: string | undefined): void {
  if (film.status !== "waiting") throw notWaiting();
  if (step === undefined) {
    if (film.waitingFor !== "approval") throw notWaiting();
    return;
  }
  const found = requireStep(film, step);
  if (!isBroken(found) || !canBeLeftOut(found.kind)) throw notWaiting();
}

type EditedScenario = { readonly before: Scenes; readonly after: Scenes };

/** Remakes only steps whose inputs differ. */
function withScenario(film: Film, { before, after }: EditedScenario): Film {
  const planned = mergePlan(
    planSteps(wishesOf(film.order), after.length),
    film.steps,
    (step): FilmStep => ({ ...step, status: "waiting", attempts: [], checkpoints: {} }),
  );
  const differs = (scene: number) => inputsOf(before[scene], scene) !== inputsOf(after[scene], scene);
  const changed = planned.filter(({ kind, scene }) => scene !== undefined && kind !== "video" && differs(scene));
  const found = withFindings(film.order.found, { sceneSeconds: secondsOf(after) });
  const order = { ...film.order, found };
  return { ...film, order, steps: withRetried(planned, [...changed.map(({ id }) => id), "compose"]) };
}

/** The inputs of a scene's steps in one form: an omitted field has its default. */
const inputsOf = (scene: ScenarioScene | undefined, at: number): string | undefined =>
  scene && canonicalJson({ ...scene, scene_index: at, text_overlay: scene.text_overlay ?? null });

/** Remakes these steps and their dependents. Jobs that they wait for belong to earlier inputs. */
function withRetried(steps: readonly FilmStep[], ids: readonly string[]): readonly FilmStep[] {
  const affected = dependentsOf(steps, ids);
  const isAffected = ({ id }: FilmStep) => ids.includes(id) || affected.has(id);
  return withStale(steps, ids).map((step) => (isAffected(step) ? { ...step, checkpoints: {} } : step));
}

type RetryWish = { readonly prompt?: string; readonly model?: string; readonly seed?: number };

type RetryPorts = FilmPorts & Parameters<typeof requireModels>[0];

/** Remakes one step, and then its dependents. */
export async function retryStep(
  { films, ...ports }: RetryPorts,
  film: Film,
  stepId: string,
  { prompt, model, seed }: RetryWish,
): Promise<Film> {
  const { kind, scene } = requireStep(film, stepId);
  requireRetryable(film, stepId);
  if (prompt !== undefined && (scene === undefined || (kind !== "image" && kind !== "video"))) {
    throw invalid("prompt", "Applies only to the steps of pictures and videos.");
  }
  if (model !== undefined) await requireModel(ports, film, kind, model);
  const field = kind === "image" ? "image_prompt" : "video_prompt";
  const edit = ({ assetId: _, ...step }: FilmStep): FilmStep => ({
    ...step,
    force: true,
    wish: { ...step.wish, ...(model !== undefined && { model }), ...(seed !== undefined && { seed }) },
  });
  const editWork =
    prompt === undefined
      ? undefined
      : withScenes((scenes) => scenes.map((each, at) => (at === scene ? { ...each, [field]: prompt } : each)));
  return await again(films, film, stepId, edit, editWork);
}

/** Throws the errors of an order with this model. */
async function requireModel(
  ports: Parameters<typeof requireModels>[0],
  { order, projectId, maxSpend }: Film,
  kind: StepKind,
  modelId: string,
): Promise<void> {
  const category = categoryOf(kind);
  const choice = category && order.models[category];
  if (!choice) throw invalid("model", "Applies only to steps that a model makes.");
  const named = { ...choice, modelId };
  await requireModels(ports, { id: projectId }, { ...order, models: { [category]: named } }, maxSpend);
}

function requireRetryable(film: Film, stepId: string): void {
  const { status } = requireStep(film, stepId);
  const isRunning = status === "running" || status === "waiting";
  if (film.status === "cancelled" || film.status === "error" || isRunning) throw notWaiting();
}

async function again(
  films: FilmStore,
  film: Film,
  stepId: string,
  edit: (step: FilmStep) => FilmStep,
  editWork?: (work: Work) => Work,
): Promise<Film> {
  const changed = await films.change(
    keyOf(film),
    (found) => {
      requireRetryable(found, stepId);
      const { endedAt: _, ...open } = resumed(found);
      const taken = withTaken(found.steps, stepId);
      const steps = withRetried(taken, [stepId]).map((step) => (step.id === stepId ? edit(step) : step));
      return { ...open, steps };
    },
    { wake: true, editWork },
  );
  return requireFound(changed);
}

/** Includes a step that was left out, and with an image the rest of its scene. */
function withTaken(steps: readonly FilmStep[], id: string): readonly FilmStep[] {
  const { kind, scene } = steps.find((step) => step.id === id) ?? {};
  const isTaken = (step: FilmStep) => step.id === id || (kind === "image" && step.scene === scene);
  return steps.map((step) => (step.status === "skipped" && isTaken(step) ? { ...step, status: "stale" } : step));
}

/** Replaces a generated picture or clip by the caller's own file. */
export async function replaceStep(
  { films, assets }: FilmPorts & { readonly assets: Pick<AssetStore, "find"> },
  film: Film,
  stepId: string,
  assetId: string,
): Promise<Film> {
  const { kind } = requireStep(film, stepId);
  if (kind !== "image" && kind !== "video") throw invalid("step", "Must be the step of a picture or a video.");
  const asset = isId("asset", assetId) ? await assets.find(film.projectId, assetId) : undefined;
  if (!asset) throw new DomainError("asset_missing", { path: "assetId", what: "The asset" });
  if (asset.type !== kind) {
    const expected = kind === "image" ? "an image" : "a video";
    throw new DomainError("asset_wrong_type", { path: "assetId", what: "The asset", expected });
  }
  return await again(films, film, stepId, ({ force: _, ...step }) => ({ ...step, assetId }));
}

/** Throws validation_error for a limit below the spent and reserved amounts. */
export function requireCovered(maxSpend: Micros, committed: Micros): void {
  if (maxSpend < committed) throw invalid("budget.limit", "Must not be less than the spent and reserved amounts.");
}

type FilmChanges = Partial<Pick<Film, "name" | "maxSpend">> & { readonly stopAt?: Film["order"]["stopAt"] };

/** Changes the named fields. A film with a raised budget resumes immediately. */
export async function changeFilm(
  { films }: FilmPorts,
  film: Film,
  { name, maxSpend, stopAt }: FilmChanges,
  expected: ExpectedRevision,
): Promise<Film> {
  // resumes a film that began to wait for its budget since it was read
  const resumes = maxSpend !== undefined;
  const changed = await films.change(
    keyOf(film),
    (found, committed) => {
      requireRevision(found, expected);
      if (hasEnded(found)) throw notWaiting();
      if (maxSpend !== undefined) requireCovered(maxSpend, committed);
      const base = resumes && found.waitingFor === "budget" ? resumed(found) : found;
      return {
        ...base,
        ...withoutUndefined({ name, maxSpend }),
        ...(stopAt && { order: { ...found.order, stopAt } }),
      };
    },
    { wake: resumes, countsSpend: resumes },
  );
  return requireFound(changed);
}

/** Resumes with other keys. Throws not_waiting if the film does not wait for one. */
export async function setKeys({ films }: FilmPorts, film: Film, keys: SealedKeys): Promise<Film> {
  const edit = (found: Film) => {
    if (found.status !== "waiting" || found.waitingFor !== "key") throw notWaiting();
    return resumed(found);
  };
  return requireFound(await films.change(keyOf(film), edit, { wake: true, keys }));
}

type CancelPorts = FilmPorts &
  ProviderJobPorts &
  RemoveExportPorts & { readonly exports: Pick<ExportStore, "findState"> };

/** Cancels a film; repeating it gives the same answer. Finished parts stay in the work, except a video in progress. */
export async function cancelFilm(ports: CancelPorts, film: Film): Promise<Film> {
  if (hasEnded(film)) return film;
  const cancelJobs = await jobsOfFilm(ports, film);
  const changed = await ports.films.change(keyOf(film), (found) =>
    hasEnded(found)
      ? found
      : { ...resumed(found), status: "cancelled", endedAt: Date.now(), attempt: found.attempt + 1 },
  );
  await cancelJobs();
  const ended = requireFound(changed);
  // the process that requested it may have died
  const requested = ended.steps.find(({ kind }) => kind === "export")?.checkpoints[exportStep];
  const job = requested?.state === "job" ? await ports.exports.findState(ended.userId, requested.id) : undefined;
  if (job) await removeExport(ports, job);
  return ended;
}

/** Cancels a film and removes it with its videos; the work stays. */
export async function removeFilm(ports: CancelPorts, { projectId, id }: Film): Promise<void> {
  const film = await requireFilm(ports.films, projectId, id);
  // it may have ended with a video since it was read
  const { exportId, userId } = await cancelFilm(ports, film);
  if (exportId !== undefined) await removeExport(ports, { id: exportId, userId });
  await ports.films.remove(film);
}
