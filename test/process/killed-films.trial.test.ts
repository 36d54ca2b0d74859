import { expect, test } from "bun:test";
import { killedFilm, paidAgain } from "../support/killed-films.ts";
import { allFilmKeys } from "../support/paid-films.ts";

/** All moments of all kinds, on both databases: `bun run faults films`. */
test("a film whose process dies twice is finished, pays again only for what nobody knows, and leaves no key", async () => {
  // the first one dies while pictures are drawn, the second one once a video's job is stored
  const killed = await killedFilm([
    ["arrived", "image"],
    ["stored", "video"],
  ]);
  try {
    const result = await killed.run();
    const { film, isKilled, unknown, repeatedKeys } = result;
    expect([film.status, film.waitingReason, isKilled]).toEqual(["done", undefined, true]);
    const again = paidAgain(result);
    expect(again.image!.unknown).toBeGreaterThan(0);
    for (const { again: count, unknown: known } of Object.values(again)) {
      expect(count).toBeGreaterThanOrEqual(0);
      expect(count).toBeLessThanOrEqual(known);
    }
    expect(again).toMatchObject({ scenario: { again: 0 }, match: { again: 0 } });
    expect(repeatedKeys).toEqual([]);
    const attempts = film.steps.filter(({ id }: { id: string }) => unknown.includes(id));
    for (const step of attempts) expect(step.attempts[0].state).toBe("unknown");

    expect(await killed.filesWith(Object.values(allFilmKeys))).toEqual([]);
    // there is something to search
    expect(await killed.filesWith(["Cup: it keeps warm."])).not.toEqual([]);
    expect(await killed.filesWith(["/api/auth/register"])).toContainEqual(expect.stringMatching(/^log-/));
  } finally {
    await killed.end();
  }
});
