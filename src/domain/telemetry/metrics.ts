import { noRenderMetrics, type RenderMetrics } from "../../engine/ports.ts";

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
  /** Since it was requested. */
  readonly seconds: number;
};

/** What an attempt at an export met: a part that did not respond, a machine that renders nothing, or its own failure. */
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
  /** Of this attempt, with its polls. */
  readonly seconds: number;
};

/** Of a call that was settled. */
type Spent = {
  readonly provider: string;
  /** One of the table of prices. */
  readonly model: string;
  /** In millionths of a dollar. */
  readonly amount: bigint;
};

export type StoreRequestFacts = {
  readonly operation: string;
  /** That of the response; "none" without one. */
  readonly status: string;
  readonly seconds: number;
};

/** What is counted for the operators. Every text comes from a closed list: no id, no name, nothing that a caller chooses. */
export type Metrics = RenderMetrics & {
  requestEnded(request: EndedRequest): void;
  bodyReceived(sizeBytes: number): void;
  fileSent(sizeBytes: number): void;
  exportEnded(ended: EndedExport): void;
  exportRetried(reason: RetryReason): void;
  /** This process has rendered segments of an export of another one. */
  exportHelped(): void;
  providerCalled(call: ProviderCallFacts): void;
  spent(spent: Spent): void;
  /** A call was not begun, because it could have passed the budget of this scope. */
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
