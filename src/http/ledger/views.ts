import { z } from "zod";
import { budgetPeriods } from "../../domain/ledger/budgets.ts";
import { currency } from "../../domain/ledger/money.ts";
import { priceCategories, priceUnits } from "../../domain/ledger/prices.ts";
import { named, namedObject, Timestamp } from "../schemas/responses.ts";

export const Amount = z.string().meta({
  description: "A decimal with two to six places.",
  examples: ["0.042"],
  pattern: "^\\d+\\.\\d{2,6}$",
});

export const Currency = z.literal(currency);

export const Prices = named(
  "Prices",
  z.array(
    namedObject("Price", {
      provider: z.string().describe("As in the usage list."),
      model: z.string(),
      category: z.enum(priceCategories),
      unit: z.enum(priceUnits),
      size: z.string().optional().describe("The size of the image or the video that this price is for."),
      aboveInputTokens: z
        .int()
        .optional()
        .describe("This price applies to all tokens of a request whose input has more tokens than this."),
      price: z.string().describe("A decimal."),
      currency: Currency,
      asOf: z.string().meta({ description: "The day on which the price was read.", format: "date" }),
      source: z.string().describe("The page that publishes the price."),
    }),
  ),
);

export const Budget = namedObject("Budget", {
  limit: Amount,
  currency: Currency,
  period: z.enum(budgetPeriods).describe("The calendar month in UTC, or all time."),
  spent: Amount.describe("Includes the estimates of calls that may or may not have been paid."),
  reserved: Amount.describe("The maximum cost of running calls."),
  periodStart: Timestamp,
});

const sums = {
  amount: Amount.describe("The amount paid."),
  reserved: Amount,
  unknown: Amount.describe("The estimates of calls that may or may not have been paid."),
  calls: z.int().min(0).describe("Paid calls."),
};

export const Spend = namedObject("Spend", {
  currency: Currency,
  total: Amount.describe("The amount paid."),
  reserved: Amount,
  unknown: Amount,
  groups: z.array(
    namedObject("SpendGroup", {
      key: z
        .string()
        .nullable()
        .describe("The day, project, model or film; null for calls outside of any project or film."),
      ...sums,
    }),
  ),
});
