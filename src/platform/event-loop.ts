import { setImmediate as nextTurn } from "node:timers/promises";

/** Other requests wait for about this long, and one step more. */
const maxTurnMilliseconds = 10;

/** When the first caller of this turn of the event loop came; undefined if nobody has called yet. */
let turnStartedAt: number | undefined;

/**
 * Resolves at once, or in a later turn of the event loop if this one has taken long. Steps that only await each other
 * would otherwise run to their end before anything else, such as the queries of an embedded database.
 */
export async function yieldIfBusy(): Promise<void> {
  while (performance.now() - startOfTurn() > maxTurnMilliseconds) await nextTurn();
}

function startOfTurn(): number {
  if (turnStartedAt !== undefined) return turnStartedAt;
  turnStartedAt = performance.now();
  setImmediate(() => {
    turnStartedAt = undefined;
  });
  return turnStartedAt;
}
