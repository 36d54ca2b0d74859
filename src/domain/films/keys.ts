import type { SecretBox } from "../exports/webhooks/secret-box.ts";
import type { Film, FilmCategory, SealedKeys } from "./film.ts";

/** Those that can still be opened. */
export function openKeys(
  box: SecretBox,
  { id }: Pick<Film, "id">,
  sealed: SealedKeys,
): { readonly [Name in FilmCategory]?: string } {
  const opened = Object.entries(sealed).map(([category, key]) => [category, box.open(key, id)]);
  return Object.fromEntries(opened.filter(([, key]) => key !== undefined));
}
