import type { LedgerStore } from "../ledger/ledger.ts";
import { type FilmStore, type HeldFilms, resumed } from "./film.ts";

type Films = Pick<FilmStore, "listUnderBudget" | "change">;

/** Resumes films that a budget holds, and running ones that may have met its limit. Returns their number. */
export async function resumeUnderBudgets({ films }: { readonly films: Films }, of: HeldFilms): Promise<number> {
  return await resumeAll(films, await films.listUnderBudget(of));
}

type RoomPorts = { readonly films: Pick<FilmStore, "change">; readonly ledger: Pick<LedgerStore, "filmsWithRoom"> };

/** Resumes films whose next calls fit the budget that holds them, the oldest first, each once. */
export const resumeWithRoom = async (
  { films, ledger }: RoomPorts,
  freed?: Parameters<LedgerStore["filmsWithRoom"]>[1],
): Promise<number> => resumeAll(films, await ledger.filmsWithRoom(Date.now(), freed));

async function resumeAll(
  films: Pick<FilmStore, "change">,
  held: readonly Parameters<FilmStore["change"]>[0][],
): Promise<number> {
  for (const film of held) {
    await films.change(film, (found) => (found.waitingFor === "budget" ? resumed(found) : found), { wake: true });
  }
  return held.length;
}

/** Resumes films that wait for a budget when a call has cost less than was reserved for it. */
export const wakingLedger = (ledger: LedgerStore, films: Pick<FilmStore, "change">): LedgerStore => ({
  ...ledger,
  async end(call) {
    const ended = await ledger.end(call);
    // the next call, or the clean-up, finds films that cannot be read now
    if (ended && ended.freed > 0n) await resumeWithRoom({ films, ledger }, ended.scope).catch(() => {});
    return ended;
  },
});
