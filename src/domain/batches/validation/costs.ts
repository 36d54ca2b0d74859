import type { PricePorts } from "../../films/estimate.ts";
import { defaultFps } from "../../works/editor-state.ts";
import type { Batch, BatchBase, ModelCosts } from "../batch.ts";
import { tableTranslation, translationCosts, translationHash, type WantedText } from "./translations.ts";
import type { ValidatedRows } from "./validate-rows.ts";

/** The frame rate of a base, in frames per second. */
export const rateOf = ({ request }: BatchBase): number =>
  ("film" in request ? undefined : request.options?.fps) ?? defaultFps;

/** Adds up the model costs for the rows of a table, each text once. */
export function costSum({ models, prices }: PricePorts, order: Batch["order"]) {
  const model = tableTranslation(models, order)?.model;
  const known = new Set<string>();
  let [low, high] = [0n, 0n];
  const count = (costs: ModelCosts | undefined) => {
    low += costs?.low ?? 0n;
    high += costs?.high ?? 0n;
  };
  return {
    add({ films, wanted }: ValidatedRows): void {
      for (const { costs } of films) count(costs);
      if (!model) return;
      const isNew = (text: WantedText) => !known.has(translationHash(model, text));
      const added = wanted.filter(isNew);
      for (const text of added) known.add(translationHash(model, text));
      count(translationCosts(prices, model, added));
    },
    sum: (): ModelCosts => ({ low, high }),
  };
}
