import type { LedgerStore } from "../ledger/ledger.ts";
import { type FilmStore, type HeldFilms, resumed } from "./film.ts";

type Films = Pick<FilmStore, "listUnderBudget" | "change">;

/** Those that a budget holds, or that run and may have found too little of it. Returns their number. */
export async function goOnUnderBudgets({ films }: { readonly films: Films }, of: HeldFilms): Promise<number> {
  return await goOn(films, await films.listUnderBudget(of));
}

type RoomPorts = { readonly films: Pick<FilmStore, "change">; readonly ledger: Pick<LedgerStore, "filmsWithRoom"> };

/** Those whose next calls have room in the budget that holds them, the oldest first: each once, and no other one. */
export const goOnWithRoom = async (
  { films, ledger }: RoomPorts,
  freed?: Parameters<LedgerStore["filmsWithRoom"]>[1],
): Promise<number> => goOn(films, await ledger.filmsWithRoom(Date.now(), freed));

async function goOn(
  films: Pick<FilmStore, "change">,
  held: readonly Parameters<FilmStore["change"]>[0][],
): Promise<number> {
  for (const film of held) {
    await films.change(film, (found) => (found.waitingFor === "budget" ? resumed(found) : found), { wake: true });
  }
  return held.length;
}

/** A call that has cost less than was reserved for it lets films go on that wait for this. */
export const wakingLedger = (ledger: LedgerStore, films: Pick<FilmStore, "change">): LedgerStore => ({
  ...ledger,
  async end(call) {
    const ended = await ledger.end(call);
    // what cannot be looked at now is found by the next call, or by the clean-up
    if (ended && ended.freed > 0n) await goOnWithRoom({ films, ledger }, ended.scope).catch(() => {});
    return ended;
  },
});
