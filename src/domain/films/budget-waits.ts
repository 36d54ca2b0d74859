import { type FilmStore, type HeldFilms, resumed } from "./film.ts";

/** Those that a budget holds, or that run and may have found too little of it. Returns their number. */
export async function goOnUnderBudgets(
  { films }: { readonly films: Pick<FilmStore, "listUnderBudget" | "change"> },
  of: HeldFilms,
): Promise<number> {
  const held = await films.listUnderBudget(of);
  for (const film of held) {
    await films.change(film, (found) => (found.waitingFor === "budget" ? resumed(found) : found), { wake: true });
  }
  return held.length;
}
