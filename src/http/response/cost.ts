import type { Context } from "hono";
import { currency, formatAmount } from "../../domain/ledger/money.ts";
import type { AppEnv } from "../app-env.ts";

export const costHeader = "X-Cost";

/** The cost of the request; undefined if it called no provider. */
export function costOf(c: Context<AppEnv>): string | undefined {
  const spending = c.get("spending");
  return spending && spending.calls > 0 ? `${formatAmount(spending.cost)} ${currency}` : undefined;
}

/** The cost of a stored response: nothing was paid again. */
export const noCost = `${formatAmount(0n)} ${currency}`;

/** Sets the header with the cost of the request, also on errors. */
export function applyCost(c: Context<AppEnv>): void {
  const cost = costOf(c);
  if (cost !== undefined) c.res.headers.set(costHeader, cost);
}
