import type { Context } from "hono";
import { currency, formatAmount } from "../../domain/ledger/money.ts";
import type { AppEnv } from "../app-env.ts";

export const costHeader = "X-Cost";

/** What the request has paid; undefined if it called no provider. */
export function costOf(c: Context<AppEnv>): string | undefined {
  const spending = c.get("spending");
  return spending && spending.calls > 0 ? `${formatAmount(spending.cost)} ${currency}` : undefined;
}

/** Of a stored response: nothing was paid again. */
export const noCost = `${formatAmount(0n)} ${currency}`;

/** Writes what the request has paid, also into an error. */
export function applyCost(c: Context<AppEnv>): void {
  const cost = costOf(c);
  if (cost !== undefined) c.res.headers.set(costHeader, cost);
}
