import type { ModelId } from "../../engine/timeline/source.ts";
import type { Checkpoint } from "../idempotency/checkpoints.ts";
import type { Page, PageRequest } from "../shared/paging.ts";
import type { Budget, BudgetPeriod, BudgetState } from "./budgets.ts";
import type { Purpose, UsageAmounts, UsageRecord } from "./call.ts";
import type { Micros } from "./money.ts";
import type { SpendQuery, SpendReport } from "./spend.ts";

/**
 * `reserved`: the call runs, and its upper bound is set aside. `settled`: it was paid. `released`: it cost nothing.
 * `unknown`: its payment is unknown, as after the death of its process; its estimate counts as spent.
 */
const callStates = ["reserved", "settled", "released", "unknown"] as const;
export type CallState = (typeof callStates)[number];

/** The owners of a call: it counts towards the budgets of all of these. */
export type CallScope = {
  readonly userId: string;
  readonly projectId?: string;
  readonly workId?: string;
  readonly filmId?: string;
  readonly stepId?: string;
  readonly batchId?: string;
};

/** A call before it begins. */
export type Reservation = CallScope &
  ModelId & {
    readonly id: string;
    readonly purpose: Purpose;
    /** The upper bound of its cost; undefined for a model without a price. */
    readonly estimate: Micros | undefined;
    /** Identifies the call for `resume` before it has a job of the provider. */
    readonly job?: string;
    /** The process that makes the call: when its lease has ended, the call is `unknown`. */
    readonly holderId: string;
    readonly createdAt: number;
    /** Permits calls of a model without a price under a budget. */
    readonly allowUnpriced?: boolean;
    /** The film's attempt: a process that has lost the film to another one begins no call. */
    readonly filmAttempt?: number;
    /** The checkpoints of the film's step, stored with the call. */
    readonly checkpoints?: { readonly [name: string]: Checkpoint };
  };

/** A continuing job, with the call that an earlier process made for it; earlier versions kept its id in the ledger. */
type ResumedJob = { readonly id: string; readonly callId?: string | undefined };

export type EndedCall = UsageAmounts & {
  readonly id: string;
  /** The call as this process began it: it is read only if it has changed. */
  readonly begun?: Reservation | undefined;
  readonly state: Exclude<CallState, "reserved">;
  readonly cost: Micros;
  readonly outcome: UsageRecord["outcome"];
  readonly milliseconds: number;
  readonly images?: number;
  readonly characters?: number;
};

/** `freed` is the part of the reservation that its budgets have again. */
export type BookedCall = ModelId & { readonly scope: CallScope; readonly freed: Micros };

/** `spent` was paid; `unknown` is the estimate of calls with unknown payment. */
export type StepSpend = { readonly spent: Micros; readonly reserved: Micros; readonly unknown: Micros };

/** One record for each paid call of every route, and the sums for budgets. */
export type LedgerStore = {
  /**
   * Stores the call as begun, in the transaction that checks every budget above it. Throws budget_exceeded,
   * price_unknown for a call without an estimate under a budget, request_in_progress if the film has another attempt,
   * and not_found if the project was removed.
   */
  reserve(call: Reservation): Promise<void>;
  /** False if the user or the project of the call was removed. */
  isWanted(scope: CallScope): Promise<boolean>;
  /** Takes over an earlier process's call with a continuing job. Undefined if none may have cost anything. */
  resume(scope: CallScope & Pick<ModelId, "provider">, job: ResumedJob, holderId: string): Promise<string | undefined>;
  /** Returns undefined and does nothing if the call was already settled or released. */
  end(call: EndedCall): Promise<BookedCall | undefined>;
  /** Sets calls of dead processes to `unknown`. Returns their number. */
  endAbandoned(): Promise<number>;
  filmSpend(filmId: string): Promise<ReadonlyMap<string, StepSpend>>;
  /** Returns the spend of several films by id. */
  filmSpends(filmIds: readonly string[]): Promise<ReadonlyMap<string, ReadonlyMap<string, StepSpend>>>;
  /** The cost of the calls for films or for batches, by id. */
  spendOf(of: "film" | "batch", ids: readonly string[]): Promise<ReadonlyMap<string, StepSpend>>;
  /** True if a call of the step of a film or a batch has begun since then that cost something, or may have. */
  hasCalled(id: string, stepId: string, since: number): Promise<boolean>;
  /**
   * The films waiting for a budget that now has room for all their next calls, the oldest first; with `freed`, those
   * that wait for a budget of this call.
   */
  filmsWithRoom(
    now: number,
    freed?: CallScope,
  ): Promise<readonly { readonly id: string; readonly projectId: string }[]>;
  /** The ended calls, newest first. */
  list(userId: string, page: PageRequest): Promise<Page<UsageRecord>>;
  report(userId: string, query: SpendQuery): Promise<SpendReport>;
  /** Replaces a group of the calls before `time` by their sums by day, project and model. Returns their number. */
  summarizeBefore(time: number): Promise<number>;
  findBudget(projectId: string, now: number): Promise<BudgetState | undefined>;
  /** Undefined if the project was removed. */
  setBudget(projectId: string, budget: Budget, now: number): Promise<BudgetState | undefined>;
  removeBudget(projectId: string): Promise<boolean>;
};

/** Lets a year be compared with the previous one, month by month. */
export const callsKeptMs = 400 * 86_400_000;

/** The calendar month in UTC. */
export const monthOf = (time: number): string => new Date(time).toISOString().slice(0, 7);

export const monthStart = (time: number): number => Date.parse(`${monthOf(time)}-01`);

export const periodOf = (period: BudgetPeriod, time: number): string => (period === "total" ? "total" : monthOf(time));
