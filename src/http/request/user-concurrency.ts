import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { type ConcurrencyLimit, concurrencyLimit, inSlot } from "../../platform/limits/concurrency-limit.ts";
import type { AppEnv } from "../app-env.ts";

/** A large list or body keeps the thread busy for up to 100 ms; this many of one user delay others. */
const perUser = 4;

type Turns = { readonly limit: ConcurrencyLimit; requests: number };

/** The turns of each user with requests, and of some former ones, who often send another. */
const turnsByUser = new Map<string, Turns>();
const maxUsers = 1000;

/**
 * The flows of a user share the turns equally. Each session is its own flow, because it is checked only when its turn
 * comes: requests of an ended session must not delay others.
 */
type TurnOwner = { readonly userId: string; readonly flow: string };

/** Runs a request when few others of the same user are running. Sets `leaveUserSlot`. */
export async function inUserSlot(
  c: Context<AppEnv>,
  { userId, flow }: TurnOwner,
  next: () => Promise<void>,
): Promise<void> {
  const turns = turnsByUser.get(userId) ?? newTurns(userId);
  turns.requests++;
  try {
    await inSlot(turns.limit, { owner: flow, signal: c.req.raw.signal }, (leave) => {
      c.set("leaveUserSlot", leave);
      return next();
    });
  } finally {
    turns.requests--;
    if (turns.requests === 0 && turnsByUser.size > maxUsers) turnsByUser.delete(userId);
  }
}

/** For routes that wait for something outside this process from here on, which has its own limits. */
export const leaveUserSlot = createMiddleware<AppEnv>((c, next) => {
  c.get("leaveUserSlot")();
  return next();
});

function newTurns(userId: string): Turns {
  if (turnsByUser.size >= maxUsers) removeIdle();
  const turns = { limit: concurrencyLimit({ concurrency: perUser }), requests: 0 };
  turnsByUser.set(userId, turns);
  return turns;
}

function removeIdle(): void {
  for (const [userId, { requests }] of turnsByUser) if (requests === 0) turnsByUser.delete(userId);
}
