import type { Context } from "hono";
import { DomainError } from "../../errors.ts";
import { linkSignal } from "../../platform/linked-signal.ts";
import type { AppEnv } from "../app-env.ts";

/** As many as operations. */
const maxPerUser = 20;

/** The running requests of this process whose clients have left, by user. */
const detached = new Map<string, Set<Request>>();

/** Throws rate_limited if too many requests of the user already run without a client. */
export function assertMayDetach(userId: string): void {
  const running = detached.get(userId)?.size ?? 0;
  if (running >= maxPerUser) throw new DomainError("rate_limited", { retryAfterSeconds: 10 });
}

/**
 * Lets a request go on after its client has left, until the process stops. Returns a function to call at its end. Does
 * nothing for an operation, which has no client.
 */
export function detachFromClient(c: Context<AppEnv>): () => void {
  if (c.env?.deferred) return () => {};
  const { raw } = c.req;
  const { id: userId } = c.var.caller.user;
  const leave = () => detached.set(userId, (detached.get(userId) ?? new Set()).add(raw));
  const stopped = linkSignal(c.var.stopSignal);
  c.set("detachedSignal", stopped.signal);
  if (raw.signal.aborted) leave();
  raw.signal.addEventListener("abort", leave, { once: true });
  return () => {
    stopped.release();
    raw.signal.removeEventListener("abort", leave);
    const running = detached.get(userId);
    running?.delete(raw);
    if (running?.size === 0) detached.delete(userId);
  };
}
