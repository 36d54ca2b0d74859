import { DomainError, invalid } from "../../errors.ts";
import { findModel, type Models } from "../ai/models.ts";
import type { LedgerStore } from "../ledger/ledger.ts";
import type { Micros } from "../ledger/money.ts";
import type { PriceRow } from "../ledger/prices.ts";
import type { Project } from "../projects/projects.ts";
import type { PricePorts } from "./estimate.ts";
import { type FilmCategory, type FilmModel, type FilmOrder, filmCategories } from "./film.ts";
import type { GivenKeys } from "./keys.ts";

/** The models that an order names; `false` for none. */
export type NamedModels = { readonly [Name in FilmCategory]?: FilmModel | false };

/** Voices and picture checks are made only by named models, and music only if the order asks for it. */
function isMadeUnasked(category: FilmCategory, musicPrompt: string | undefined): boolean {
  if (category === "music") return musicPrompt !== undefined;
  return category !== "speech" && category !== "vision";
}

/** The models that make the film: the named ones, else the service's own, or `local` if those need a key. */
export function chosenModels(
  models: Models,
  { models: named, musicPrompt }: { readonly models: NamedModels; readonly musicPrompt?: string | undefined },
  keys: GivenKeys,
): FilmOrder["models"] {
  if (musicPrompt !== undefined && !named.music) {
    throw invalid("models.music", "Must name a provider: it makes the music of the prompt.");
  }
  const chosen = filmCategories.flatMap((category): [FilmCategory, FilmModel][] => {
    const wish = named[category];
    if (wish === false || (wish === undefined && !isMadeUnasked(category, musicPrompt))) return [];
    const choice = wish ?? {};
    const { needsKey, id } = models.select(category, choice);
    const lacksKey =
      wish === undefined && category !== "music" && needsKey && keys[category] === undefined && keys.any === undefined;
    const isLocal = lacksKey || id.provider === "local";
    return [[category, isLocal ? { ...choice, provider: "local" } : choice]];
  });
  return Object.fromEntries(chosen);
}

type RequireModelsPorts = PricePorts & { readonly ledger: Pick<LedgerStore, "findBudget"> };

/**
 * Throws price_unknown if there is a budget and a model has no price, and provider_model_unavailable for a model that
 * is not offered, which would otherwise fail after others were paid.
 */
export async function requireModels(
  ports: RequireModelsPorts,
  project: Pick<Project, "id">,
  order: Pick<FilmOrder, "models" | "allowUnpriced">,
  maxSpend: Micros | undefined,
): Promise<void> {
  await requirePrices(ports, project, order, maxSpend);
  const { models, prices } = ports;
  for (const category of filmCategories) {
    const choice = order.models[category];
    if (choice?.modelId === undefined) continue;
    const { provider, model } = models.select(category, choice).id;
    // an operator may add a model by its price
    const isOf = (row: PriceRow) => row.provider === provider && row.model === model && row.category === category;
    if (!prices.list().some(isOf)) models.requireOffered(category, choice);
  }
}

async function requirePrices(
  { ledger, ...ports }: RequireModelsPorts,
  project: Pick<Project, "id">,
  order: Pick<FilmOrder, "models" | "allowUnpriced">,
  maxSpend: Micros | undefined,
): Promise<void> {
  if (order.allowUnpriced) return;
  const unpriced = unpricedModels(ports, order);
  if (unpriced.length === 0) return;
  const hasBudget = maxSpend !== undefined || (await ledger.findBudget(project.id, Date.now())) !== undefined;
  if (hasBudget) throw new DomainError("price_unknown", { model: unpriced.join(" and ") });
}

export const unpricedModels = ({ models, prices }: PricePorts, order: Pick<FilmOrder, "models">): readonly string[] => [
  ...new Set(
    filmCategories.flatMap((category) => {
      const choice = order.models[category];
      const selected = choice && findModel(models, category, choice);
      return selected?.needsKey && !prices.isPriced(selected.id) ? [selected.id.model] : [];
    }),
  ),
];
