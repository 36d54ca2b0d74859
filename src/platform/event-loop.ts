import { setImmediate as nextTurn } from "node:timers/promises";

/** Other requests wait for about this long, and one step more. */
const maxTurnMilliseconds = 10;

/** When the first caller of this turn of the event loop came; undefined if nobody has called yet. */
let turnStartedAt: number | undefined;

/** The callers that wait for a later turn, in the order of their calls. */
const waiting: (() => void)[] = [];

/**
 * Resolves at once, or in a later turn of the event loop if this one has taken long. Steps that only await each other
 * would otherwise run to their end before anything else, such as the queries of an embedded database.
 */
export function yieldIfBusy(): Promise<void> {
  if (waiting.length === 0 && performance.now() - startOfTurn() <= maxTurnMilliseconds) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  if (waiting.length === 1) resumeInOrder();
  return promise;
}

/** One in each turn: what it does next may take long too, and a caller that came later must not overtake the others. */
async function resumeInOrder(): Promise<void> {
  for (let [next] = waiting; next; [next] = waiting) {
    await nextTurn();
    startOfTurn();
    waiting.shift();
    next();
  }
}

function startOfTurn(): number {
  if (turnStartedAt !== undefined) return turnStartedAt;
  turnStartedAt = performance.now();
  setImmediate(() => {
    turnStartedAt = undefined;
  });
  return turnStartedAt;
}
