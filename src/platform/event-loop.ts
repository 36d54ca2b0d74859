import { setImmediate as nextTurn } from "node:timers/promises";

/** Other requests wait for about this long, and one step more. */
const maxTurnMilliseconds = 10;

/** The time of the first call in this turn of the event loop; undefined before it. */
let turnStartedAt: number | undefined;

/** The callers that wait for a later turn, in the order of their calls. */
const waiting: (() => void)[] = [];

/**
 * Resolves at once, or in a later turn of the event loop if this one has taken long. Otherwise, steps that only await
 * each other, such as queries of an embedded database, would run to their end before anything else.
 */
export function yieldIfBusy(): Promise<void> {
  if (waiting.length === 0 && performance.now() - startOfTurn() <= maxTurnMilliseconds) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  if (waiting.length === 1) resumeInOrder();
  return promise;
}

/** Resumes one in each turn: its next step may take long too, and later callers must not overtake earlier ones. */
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
