import { maxReferenceAssets } from "../ai/generation/references.ts";
import { type Category, findModel, type ModelInfo, type Models } from "../ai/models.ts";
import { type Micros, sumOf } from "../ledger/money.ts";
import { boundOf } from "../ledger/paid-calls.ts";
import { imageSize, type PriceTable, type Units, videoSize } from "../ledger/prices.ts";
import { defaultResolution } from "../works/editor-state.ts";
import { defaultFilmSeconds, type FilmCategory, type FilmModel, type FilmOrder, wishesOf } from "./film.ts";
import { type PlannedStep, planSteps } from "./plan.ts";

export type PricePorts = { readonly models: Models; readonly prices: PriceTable };

/** The usual and the highest cost of a step. */
type StepEstimate = { readonly low: Micros; readonly high: Micros };

/** Used until the number of scenes is known. */
const unknownScenes = { low: 4, usual: 5, high: 6 };

/** The units of one model call of a step; a step has one call per category. */
type StepUnits = { readonly category: FilmCategory; readonly low: Units; readonly high: Units };

/** Upper bounds of the prompts of a scenario, and of an answer. */
const mostTokens: Units = { inputTokens: 30_000, outputTokens: 32_000 };

/** The length of one scene. */
type SceneLength = { readonly seconds: number; readonly sceneCount: number };

/** The models of an order that determine the units of a step. */
type FilmModels = { readonly image: ModelInfo | undefined; readonly video: ModelInfo | undefined };

function unitsOf(
  { kind }: PlannedStep,
  order: FilmOrder,
  length: SceneLength,
  models: FilmModels,
): readonly StepUnits[] {
  const { seconds, sceneCount } = length;
  const { brief } = order;
  const tokens = Math.ceil((brief.text?.length ?? 0) / 3);
  switch (kind) {
    case "read":
      return [
        ...(brief.url === undefined ? [] : unitsFor("llm", { inputTokens: 6_000, outputTokens: 700 }, mostTokens)),
        // only a named model views the reference
        ...(brief.reference
          ? unitsFor("vision", { inputTokens: 12_000, outputTokens: 1_500 }, boundOf({ purpose: "analyze" }))
          : []),
      ];
    case "scenario":
      if (order.scenario) return [];
      return unitsFor("llm", { inputTokens: 1_800 + tokens, outputTokens: 250 + 320 * sceneCount }, mostTokens);
    case "image": {
      const low = { images: 1, inputTokens: 500, outputTokens: 1_500, ...picturesOf(order, models.image, 1) };
      return unitsFor("image", low, { ...boundOf({ purpose: "image" }), ...picturesOf(order, models.image, 4) });
    }
    case "match":
      return unitsFor("vision", { inputTokens: 3_000, outputTokens: 300 }, boundOf({ purpose: "match" }));
    case "video":
      return unitsFor("video", { seconds: clipSeconds(models.video, seconds), ...oneFrame }, videoBound(models.video));
    case "voice": {
      const low = { characters: 13 * seconds, seconds: 0.8 * seconds, inputTokens: 120, outputTokens: 25 * seconds };
      const most = Math.max(400, 30 * seconds);
      return unitsFor("speech", rounded(low), {
        characters: most,
        seconds: most / 10,
        inputTokens: 1_000,
        outputTokens: 1_500,
      });
    }
    case "music":
      return unitsFor("music", { seconds: Math.ceil(seconds * sceneCount) }, boundOf({ purpose: "music" }));
    default:
      return [];
  }
}

const unitsFor = (category: FilmCategory, usual: Units, high: Units): readonly StepUnits[] => [
  { category, low: { ...usual, ...shortTexts(usual) }, high },
];

/** The share of a text's usual length, which its author decides: keeps the low end of an estimate below the cost. */
const shortShare = 0.8;

const textUnits = ["inputTokens", "outputTokens", "characters"] as const;

const shortTexts = (usual: Units): Units =>
  Object.fromEntries(
    textUnits.flatMap((unit) => (usual[unit] === undefined ? [] : [[unit, Math.floor(usual[unit] * shortShare)]])),
  );

const rounded = (units: Units): Units =>
  Object.fromEntries(Object.entries(units).map(([name, value]) => [name, Math.ceil(value ?? 0)]));

/** The length of the model's clip for a scene of this length. */
const clipSeconds = (model: ModelInfo | undefined, seconds: number): number =>
  (model?.durations ?? []).reduce(
    (best, duration) => (Math.abs(duration - seconds) < Math.abs(best - seconds) ? duration : best),
    model?.durations?.[0] ?? Math.ceil(seconds),
  );

/** The upper bound: a voice may make its scene as long as the longest clip of the model. */
function videoBound(model: ModelInfo | undefined): Units {
  const bound = boundOf({ purpose: "video" });
  const longest = Math.max(0, ...(model?.durations ?? []));
  return { ...bound, ...(longest > 0 && { seconds: longest }), ...oneFrame };
}

/** The drawn picture of a scene. */
const oneFrame: Units = { inputImages: 1, inputMegapixels: 4 };

/** The product pictures sent to the model with each scene, if each has this many megapixels. */
function picturesOf({ brief, references }: FilmOrder, model: ModelInfo | undefined, megapixels: number): Units {
  const given = references === false ? 0 : Math.min(brief.assetIds?.length ?? 0, maxReferenceAssets);
  const inputImages = Math.min(given, model?.maxReferences ?? 0);
  return { inputImages, inputMegapixels: inputImages * megapixels };
}

const modelInfo = ({ models }: PricePorts, category: Category, choice?: FilmModel): ModelInfo | undefined =>
  choice && findModel(models, category, choice)?.info;

export function estimateOf(ports: PricePorts, order: FilmOrder, step: PlannedStep, sceneCount: number): StepEstimate {
  const { image, video } = order.models;
  const models = { image: modelInfo(ports, "image", image), video: modelInfo(ports, "video", video) };
  const length = { seconds: (order.seconds ?? defaultFilmSeconds) / sceneCount, sceneCount };
  const { resolution = defaultResolution } = order;
  const calls = unitsOf(step, order, length, models).flatMap((units): readonly StepEstimate[] => {
    const choice = order.models[units.category];
    const id = choice && findModel(ports.models, units.category, choice)?.id;
    if (!id) return [];
    const size = units.category === "image" ? imageSize(resolution) : videoSize(resolution);
    const high = ports.prices.costOf(id, units.high, size) ?? 0n;
    const low = ports.prices.costOf(id, units.low, size) ?? 0n;
    return [{ low: low < high ? low : high, high }];
  });
  return sumOfEstimates(calls);
}

const sumOfEstimates = (estimates: readonly StepEstimate[]): StepEstimate => ({
  low: sumOf(estimates.map(({ low }) => low)),
  high: sumOf(estimates.map(({ high }) => high)),
});

const total = (ports: PricePorts, order: FilmOrder, steps: readonly PlannedStep[], sceneCount: number) =>
  sumOfEstimates(steps.map((step) => estimateOf(ports, order, step, sceneCount)));

/** The estimate of a film with planned scenes, or with the usual number of scenes. */
export function filmEstimate(ports: PricePorts, order: FilmOrder, steps: readonly PlannedStep[]): StepEstimate {
  const planned = steps.filter(({ kind }) => kind === "image").length || order.scenes;
  const sumFor = (count: number) => total(ports, order, plannedSteps(order, count), count);
  if (planned === undefined) return { low: sumFor(unknownScenes.low).low, high: sumFor(unknownScenes.high).high };
  return sumFor(planned);
}

export const usualSceneCount = ({ scenes }: FilmOrder): number => scenes ?? unknownScenes.usual;

export const plannedSteps = (order: FilmOrder, sceneCount: number): readonly PlannedStep[] =>
  planSteps(wishesOf(order), sceneCount);
