import { type Micros, parseAmount } from "./money.ts";

export const budgetPeriods = ["month", "total"] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

export type Budget = { readonly limit: Micros; readonly period: BudgetPeriod };

/** `spent` includes calls with unknown payment. */
export type BudgetState = Budget & { readonly spent: Micros; readonly reserved: Micros };

export const budgetScopes = ["film", "batch", "project", "user"] as const;
export type BudgetScope = (typeof budgetScopes)[number];

const maxLimit: Micros = 1_000_000_000_000n;

/** Parses a caller's limit; undefined if it is invalid. */
export function parseLimit(value: string | number): Micros | undefined {
  const limit = parseAmount(value);
  return limit !== undefined && limit <= maxLimit ? limit : undefined;
}
