import { csvLine } from "../../platform/texts.ts";
import { currency, formatAmount, type Micros } from "./money.ts";

export const spendGroupings = ["day", "project", "model", "film"] as const;
export type SpendGrouping = (typeof spendGroupings)[number];

/** Times are in milliseconds: `from` is included, `to` is not. */
export type SpendQuery = {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly projectId?: string | undefined;
  readonly groupBy: SpendGrouping;
};

type SpendSums = {
  readonly amount: Micros;
  readonly reserved: Micros;
  readonly unknown: Micros;
  /** The number of paid calls. */
  readonly calls: number;
};

/** `key` is absent for calls outside of any project or film. */
type SpendGroup = SpendSums & { readonly key?: string | undefined };

export type SpendReport = readonly SpendGroup[];

const shown = ({ amount, reserved, unknown, calls }: SpendSums) => ({
  amount: formatAmount(amount),
  reserved: formatAmount(reserved),
  unknown: formatAmount(unknown),
  calls,
});

const total = (groups: SpendReport, field: "amount" | "reserved" | "unknown"): string =>
  formatAmount(groups.reduce((sum, group) => sum + group[field], 0n));

export const spendView = (groups: SpendReport) => ({
  currency,
  total: total(groups, "amount"),
  reserved: total(groups, "reserved"),
  unknown: total(groups, "unknown"),
  groups: groups.map(({ key, ...sums }) => ({ key: key ?? null, ...shown(sums) })),
});

const columns = ["key", "amount", "reserved", "unknown", "calls", "currency"];

export function spendCsv(groups: SpendReport): string {
  const lines = groups.map((group) => {
    const { amount, reserved, unknown, calls } = shown(group);
    return [group.key ?? "", amount, reserved, unknown, `${calls}`, currency];
  });
  return [columns, ...lines].map(csvLine).join("");
}
