import type { SecretBox } from "../exports/webhooks/secret-box.ts";
import type { Film, FilmCategory, FilmStore } from "./film.ts";

type KeyPorts = { readonly films: Pick<FilmStore, "keys">; readonly filmKeyBox: SecretBox };

/** Those that can still be opened. */
export async function openKeys(
  { films, filmKeyBox }: KeyPorts,
  { id }: Pick<Film, "id">,
): Promise<{ readonly [Name in FilmCategory]?: string }> {
  const sealed = await films.keys(id);
  const opened = Object.entries(sealed).map(([category, key]) => [category, filmKeyBox.open(key, id)]);
  return Object.fromEntries(opened.filter(([, key]) => key !== undefined));
}
