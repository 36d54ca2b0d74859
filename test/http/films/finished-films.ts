import type { Json, Order, paidFilms } from "../../support/paid-films.ts";

/** Films followed to their end, with what their providers were paid for. */
export const finishedFilms = (films: Awaited<ReturnType<typeof paidFilms>>) => ({
  async finished(order: Order | Promise<Order>) {
    const { user, path } = await order;
    const before = films.counts();
    const film = await films.rested(user, path);
    const after = films.counts();
    const kinds = ["scenario", "image", "video", "voice"] as const;
    const paid = Object.fromEntries(kinds.map((kind) => [kind, after[kind] - before[kind]]));
    return { film, path, paid, cost: film.spent.amount };
  },

  /** The hash of a file of the film's work. */
  async contents(user: Order["user"], film: Json, slot: string): Promise<string> {
    const response = await user.request(`/api/projects/${film.projectId}/works/${film.workId}/media/${slot}`);
    return new Bun.CryptoHasher("sha256").update(await response.arrayBuffer()).digest("hex");
  },
});
