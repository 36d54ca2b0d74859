import type { Project } from "../projects/projects.ts";
import { requireFound } from "../shared/versioned.ts";
import type { Budget, BudgetState } from "./budgets.ts";
import { type LedgerStore, monthStart } from "./ledger.ts";
import { currency, formatAmount } from "./money.ts";

type BudgetPorts = { readonly ledger: Pick<LedgerStore, "findBudget" | "setBudget" | "removeBudget"> };

export const requireBudget = async ({ ledger }: BudgetPorts, { id }: Project): Promise<BudgetState> =>
  requireFound(await ledger.findBudget(id, Date.now()));

export const setBudget = async ({ ledger }: BudgetPorts, { id }: Project, budget: Budget): Promise<BudgetState> =>
  requireFound(await ledger.setBudget(id, budget, Date.now()));

export async function removeBudget({ ledger }: BudgetPorts, { id }: Project): Promise<void> {
  requireFound((await ledger.removeBudget(id)) || undefined);
}

/** A budget as its owner sees it. A total has no start: it counts from the first call. */
export const budgetView = ({ limit, period, spent, reserved }: BudgetState, { createdAt }: Project) => ({
  limit: formatAmount(limit),
  currency,
  period,
  spent: formatAmount(spent),
  reserved: formatAmount(reserved),
  periodStart: period === "month" ? monthStart(Date.now()) : createdAt,
});
