import { DomainError } from "../../errors.ts";
import type { SecretBox } from "../accounts/secrets.ts";
import type { Models } from "../ai/models.ts";
import { type Film, type FilmCategory, type FilmOrder, filmCategories, type SealedKeys } from "./film.ts";

/**
 * Keys by category; `any` is for the one provider without a key of its own. `kept` has those of the account by
 * provider, for models without another key.
 */
export type GivenKeys = { readonly [Name in FilmCategory]?: string } & {
  readonly any?: string;
  readonly kept?: ReadonlyMap<string, string>;
};

type OrderKeys = Omit<GivenKeys, "any" | "kept">;

const keyHeaderOf = (category: FilmCategory): string => `x-${category}-api-key`;

/** The key of each model that needs one. Never sends one key to two providers. Throws provider_key_required. */
export function keysFor(models: Models, order: Pick<FilmOrder, "models">, given: GivenKeys): OrderKeys {
  const needed = filmCategories.flatMap((category) => {
    const choice = order.models[category];
    const selected = choice && models.select(category, choice);
    return selected?.needsKey ? [{ category, provider: selected.id.provider }] : [];
  });
  const own = new Map(
    needed.flatMap(({ category, provider }) => (given[category] ? [[provider, given[category]]] : [])),
  );
  const lacking = needed.filter(
    ({ category, provider }) => !given[category] && !own.has(provider) && (given.any || !given.kept?.has(provider)),
  );
  const providers = [...new Set(lacking.map(({ provider }) => provider))];
  const [first] = lacking;
  if (first && (providers.length > 1 || !given.any)) {
    const headers = lacking.map(({ category }) => keyHeaderOf(category));
    throw new DomainError("provider_key_required", {
      provider: providers.join(" and "),
      header: providers.length > 1 ? headers.join(" and ") : `${headers[0]} or x-api-key`,
    });
  }
  return Object.fromEntries(
    needed.map(({ category, provider }) => [
      category,
      given[category] ?? own.get(provider) ?? given.any ?? given.kept?.get(provider),
    ]),
  );
}

export const sealKeys = (box: SecretBox, filmId: string, keys: OrderKeys): SealedKeys =>
  Object.fromEntries(
    Object.entries(keys).flatMap(([category, key]) => (key === undefined ? [] : [[category, box.seal(key, filmId)]])),
  );

/** Decrypts the keys that can still be opened. */
export function openKeys(
  box: SecretBox,
  { id }: Pick<Film, "id">,
  sealed: SealedKeys,
): { readonly [Name in FilmCategory]?: string } {
  const opened = Object.entries(sealed).map(([category, key]) => [category, box.open(key, id)]);
  return Object.fromEntries(opened.filter(([, key]) => key !== undefined));
}
