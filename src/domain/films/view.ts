import { targetsOf } from "../exports/request/targets.ts";
import type { Warning } from "../exports/request/warnings.ts";
import type { StepSpend } from "../ledger/ledger.ts";
import { currency, formatAmount, sumOf } from "../ledger/money.ts";
import type { Work } from "../works/works.ts";
import { unpricedModels } from "./chosen-models.ts";
import { estimateOf, filmEstimate, type PricePorts, plannedSteps, usualSceneCount } from "./estimate.ts";
import { autoBed, type Film, type FilmOrder, type FilmStep, hasEffects } from "./film.ts";
import type { PlannedStep } from "./plan.ts";

export type { PricePorts } from "./estimate.ts";

const estimateView = (ports: PricePorts, order: FilmOrder, steps: readonly PlannedStep[]) => {
  const { low, high } = filmEstimate(ports, order, steps);
  return { low: formatAmount(low), high: formatAmount(high), currency, unpriced: [...unpricedModels(ports, order)] };
};

/** `scenario` has the scenes of the film if they are known before it is ordered. */
export function estimateFilm(
  ports: PricePorts,
  order: FilmOrder,
  { warnings, scenario }: { readonly warnings: readonly Warning[]; readonly scenario: Work["scenes"] | undefined },
) {
  const count = usualSceneCount(order);
  const steps = plannedSteps(order, count);
  return {
    steps: steps.map((step) => ({
      ...plainStep(step),
      estimate: formatAmount(estimateOf(ports, order, step, count).high),
    })),
    estimate: estimateView(ports, order, []),
    warnings: [...warnings],
    ...(scenario && { scenario: [...scenario] }),
  };
}

const plainStep = ({ id, kind, scene, dependsOn }: PlannedStep) => ({
  ...{ id, kind, dependsOn: [...dependsOn] },
  ...(scene !== undefined && { scene }),
});

function stepView(ports: PricePorts, { order, steps }: Film, step: FilmStep, spend: StepSpend | undefined) {
  const count = steps.filter(({ kind }) => kind === "image").length || usualSceneCount(order);
  return {
    ...plainStep(step),
    status: step.status,
    attempts: step.attempts.map(({ cost, ...attempt }) => ({ ...attempt, cost: formatAmount(BigInt(cost ?? "0")) })),
    estimate: formatAmount(estimateOf(ports, order, step, count).high),
    cost: formatAmount(spend?.spent ?? 0n),
  };
}

/** What a film sounds of, besides its clips. */
function soundView(order: FilmOrder) {
  const { bed, audioUrl, musicPrompt, models, found } = order;
  const music = audioUrl ? "own" : musicPrompt ? "generated" : bed ? "bed" : "none";
  const name = bed === autoBed ? found?.bed : bed;
  return {
    ...{ music, ...(name !== undefined && { bed: name }) },
    ...{ voice: models.speech !== undefined, effects: hasEffects(order) },
  } as const;
}

export type FilmSpend = ReadonlyMap<string, StepSpend>;

export function filmView(ports: PricePorts, film: Film, spend: FilmSpend) {
  const { order, steps } = film;
  const isDone = film.status === "done";
  const url = (target: string) => `/api/projects/${film.projectId}/films/${film.id}/file?target=${target}`;
  return {
    ...{ id: film.id, projectId: film.projectId, workId: film.workId, name: film.name, status: film.status },
    ...(film.waitingFor && { waitingFor: film.waitingFor, waitingReason: film.waitingReason ?? "" }),
    ...(film.waitingAt && { waitingAt: film.waitingAt }),
    steps: steps.map((step) => stepView(ports, film, step, spend.get(step.id))),
    estimate: estimateView(ports, order, steps),
    spent: { amount: formatAmount(sumOf([...spend.values()].map(({ spent }) => spent))), currency },
    unknown: { amount: formatAmount(sumOf([...spend.values()].map(({ unknown }) => unknown))), currency },
    ...(film.maxSpend !== undefined && { budget: { limit: formatAmount(film.maxSpend), currency } }),
    ...(film.exportId && { exportId: film.exportId }),
    files: isDone
      ? targetsOf({ options: { targets: [...order.targets] } }).map((target) => ({ target, url: url(target) }))
      : [],
    warnings: [...film.warnings],
    sound: soundView(order),
    stopAt: [...order.stopAt],
    createdAt: film.createdAt,
    updatedAt: film.updatedAt,
    ...(film.endedAt !== undefined && { endedAt: film.endedAt }),
    ...(film.failure && { error: film.failure.message, code: film.failure.code }),
  };
}
