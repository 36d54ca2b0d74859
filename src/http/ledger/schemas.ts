import { z } from "zod";
import { budgetPeriods, parseLimit } from "../../domain/ledger/budgets.ts";
import { currency } from "../../domain/ledger/money.ts";
import { spendGroupings } from "../../domain/ledger/spend.ts";
import { namedObject } from "../../domain/shared/schemas.ts";

/** A limit in a body; `parseLimit` accepts every valid value. */
export const LimitAmount = z
  .union([z.string(), z.number()])
  .refine((limit) => parseLimit(limit) !== undefined, "Must be an amount from 0 to 1000000 with at most six decimals.")
  .transform((limit) => parseLimit(limit) ?? 0n)
  .meta({ description: "0 to 1,000,000 with at most six decimals: 0 lets only `local` run.", examples: ["25.00"] });

export const LimitCurrency = z.literal(currency, `Must be ${currency}.`).optional();

export const NewBudget = namedObject("NewBudget", {
  limit: LimitAmount,
  currency: LimitCurrency,
  period: z.enum(budgetPeriods),
});

const Time = z
  .string()
  .regex(/^\d{1,15}$/, "Must be a time in milliseconds.")
  .transform(Number)
  .optional();

export const SpendQuery = z.object({
  from: Time.describe("Milliseconds since the epoch, inclusive."),
  to: Time.describe("Milliseconds since the epoch, exclusive."),
  projectId: z.string().max(200).optional().describe("Only the calls of this project."),
  groupBy: z.enum(spendGroupings).default("day").describe("`day` by default; days are those of UTC."),
});
