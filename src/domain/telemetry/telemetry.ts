import { noRenderMetrics, type RenderMetrics } from "../../engine/ports.ts";
import { noTracing, type Tracing } from "../../platform/tracing.ts";

export type Telemetry = { readonly metrics: Metrics; readonly tracing: Tracing };

type EndedRequest = {
  readonly method: string;
  /** The pattern of the route, never the path. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
};

type EndedExport = {
  readonly outcome: string;
  /** The code of the error; empty without one. */
  readonly code: string;
  /** Measured from the request. */
  readonly seconds: number;
};

/** The cause of a retry: an unresponsive part, a machine that renders nothing, or a failure of the export. */
export type RetryReason = "unavailable" | "busy" | "failed";

type ProviderCallFacts = {
  readonly provider: string;
  readonly category: string;
  readonly outcome: string;
  readonly seconds: number;
};

type EndedStep = {
  readonly kind: string;
  /** `waiting`: the film waits for a provider, a key, a budget or room. */
  readonly outcome: "done" | "error" | "unknown" | "waiting";
  /** The time of this attempt, including its polls. */
  readonly seconds: number;
};

type Spent = {
  readonly provider: string;
  /** A model in the price table. */
  readonly model: string;
  /** In millionths of a dollar. */
  readonly amount: bigint;
};

export type StoreRequestFacts = {
  readonly operation: string;
  /** The status of the response; "none" without one. */
  readonly status: string;
  readonly seconds: number;
};

/** Counters for operators. Every text comes from a closed list: no ids, no names, no values of callers. */
export type Metrics = RenderMetrics & {
  requestEnded(request: EndedRequest): void;
  bodyReceived(sizeBytes: number): void;
  fileSent(sizeBytes: number): void;
  exportEnded(ended: EndedExport): void;
  exportRetried(reason: RetryReason): void;
  /** Counts segments that this process rendered for an export of another process. */
  exportHelped(): void;
  providerCalled(call: ProviderCallFacts): void;
  spent(spent: Spent): void;
  /** Counts calls that could have exceeded the budget of this scope. */
  budgetRefused(scope: string): void;
  /** `outcome` is a status that ends a film. */
  filmsEnded(outcome: string, count: number): void;
  stepEnded(step: EndedStep): void;
  /** `outcome` is a status that ends a batch. */
  batchEnded(outcome: string): void;
  /** `outcome` is a status of a film of a batch: `invalid` or `unchanged` after the check, `done`, `unchanged` or `error`. */
  batchFilmsEnded(outcome: string, count: number): void;
  storeRequested(request: StoreRequestFacts): void;
  /** `outcome` is one of `webhookOutcomes`. */
  webhookAttempted(outcome: string): void;
  /** `step` is a name of the maintenance's own list. */
  maintenanceEnded(step: string, outcome: "ok" | "failed"): void;
};

const ignore = () => {};

export const noMetrics: Metrics = {
  ...noRenderMetrics,
  requestEnded: ignore,
  bodyReceived: ignore,
  fileSent: ignore,
  exportEnded: ignore,
  exportRetried: ignore,
  exportHelped: ignore,
  providerCalled: ignore,
  spent: ignore,
  budgetRefused: ignore,
  filmsEnded: ignore,
  stepEnded: ignore,
  batchEnded: ignore,
  batchFilmsEnded: ignore,
  storeRequested: ignore,
  webhookAttempted: ignore,
  maintenanceEnded: ignore,
};

/** The jobs of a queue, over all processes. */
export type QueueDepth = {
  readonly queue: string;
  /** Jobs that may run now. */
  readonly waiting: number;
  /** Jobs that wait for their retry. */
  readonly delayed: number;
  readonly active: number;
  /** The time since which the oldest waiting job could run. */
  readonly oldestWaitingSeconds: number;
};

/** The number of unfinished films, or batches. */
export type StatusCount = { readonly status: string; readonly waitingFor: string | null; readonly count: number };

export const noTelemetry: Telemetry = { metrics: noMetrics, tracing: noTracing };
