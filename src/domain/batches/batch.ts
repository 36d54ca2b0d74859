import type { Format } from "../../engine/timeline/format.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Scope } from "../accounts/scopes.ts";
import type { AcceptedDestination } from "../destinations/accept.ts";
import type { ExportFailure } from "../exports/lifecycle/jobs.ts";
import type { CompleteRequest } from "../exports/request/fill-from-editor.ts";
import type { VideoTarget } from "../exports/request/targets.ts";
import type { Webhook } from "../exports/webhooks/webhooks.ts";
import type { ChangedCheckpoints, Film, FilmOrder, SealedKeys } from "../films/film.ts";
import type { Checkpoint } from "../idempotency/checkpoints.ts";
import type { Micros } from "../ledger/money.ts";
import type { Page, PageRequest } from "../shared/paging.ts";
import { requireFound } from "../shared/versioned.ts";
import type { Finding } from "./findings.ts";
import type { TableRow } from "./rows.ts";

export const batchStatuses = [
  ...(["validating", "ready", "waiting", "running"] as const),
  ...(["done", "partial", "error", "cancelled"] as const),
] as const;
type BatchStatus = (typeof batchStatuses)[number];

export const batchWaits = ["approval", "storage", "exports", "budget", "key", "provider", "step"] as const;
export type BatchWait = (typeof batchWaits)[number];

export const itemStatuses = ["invalid", "waiting", "running", "done", "unchanged", "error", "cancelled"] as const;
type ItemStatus = (typeof itemStatuses)[number];

export const approvals = ["none", "approved", "rejected"] as const;
export type Approval = (typeof approvals)[number];

export const batchStops = ["translations", "preview"] as const;
type BatchStop = (typeof batchStops)[number];

/** Defines how a table becomes films. */
export type BatchOrder = {
  /** Language tags, or one empty text for films without a language. */
  readonly languages: readonly string[];
  /** Targets, or one empty text for films in the base's own frame. */
  readonly targets: readonly VideoTarget[];
  /** May contain placeholders. */
  readonly fileName: string;
  /** The format of the files; absent for MP4. */
  readonly format?: Format;
  readonly columns: readonly string[];
  readonly stopAt: readonly BatchStop[];
  readonly onError: "continue" | "stop";
  /** The number of concurrent films. */
  readonly concurrency: number;
  /** Also renders unchanged films. */
  readonly force: boolean;
  /** `llm` translates; the others make films from briefs. */
  readonly models?: FilmOrder["models"];
};

/** The order of a film as its route takes it, with placeholders, and without models and budget. */
export type FilmBase = { readonly film: { readonly [field: string]: unknown } };

/** Contains placeholders; an empty language means all. `texts`: template texts that exist in another language only. */
export type BatchBase = {
  readonly language: string;
  readonly request: CompleteRequest | FilmBase;
  readonly texts?: { readonly [key: string]: string };
};

/** The lowest and highest cost of models, in millionths. */
export type ModelCosts = { readonly low: Micros; readonly high: Micros };

export type BatchEstimate = ModelCosts & {
  /** The number of films to render. */
  readonly films: number;
  /** The total duration of these films. */
  readonly seconds: number;
};

export type Batch = {
  readonly id: string;
  readonly userId: string;
  readonly projectId: string;
  /** Absent if each film has its own work. */
  readonly workId?: string;
  readonly name: string;
  /** The scopes of the credential that ordered it. */
  readonly scopes: readonly Scope[];
  readonly order: BatchOrder;
  readonly rows: number;
  readonly checked: number;
  /** The numbers of the rows to validate again. */
  readonly recheck?: readonly number[];
  /** The total duration of the films to render. */
  readonly seconds: number;
  readonly maxSpend?: Micros;
  /** In millionths, as text. */
  readonly estimate?: { readonly low: string; readonly high: string };
  readonly checkpoints: { readonly [name: string]: Checkpoint };
  readonly status: BatchStatus;
  readonly waitingFor?: BatchWait;
  readonly waitingReason?: string;
  readonly waitingAt?: BatchStop;
  readonly approved: readonly BatchStop[];
  readonly webhook?: Webhook;
  readonly destinations?: readonly AcceptedDestination[];
  /** The span of the order. */
  readonly traceparent?: string;
  /** Incremented by each worker that advances it. */
  readonly attempt: number;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt?: number;
};

export type BatchItem = {
  readonly id: string;
  readonly batchId: string;
  /** Counted from 0, by row, language and target. */
  readonly place: number;
  readonly row: number;
  readonly key: string;
  readonly language: string;
  readonly target: VideoTarget;
  readonly fileName: string;
  readonly status: ItemStatus;
  /** The hash of the content; absent for an invalid film, and until its texts are translated. */
  readonly identity?: string;
  /** The values of the placeholders. */
  readonly values: { readonly [key: string]: string };
  /** The total length of its texts. */
  readonly textLength: number;
  readonly frames: number;
  readonly isPreview: boolean;
  readonly exportId?: string;
  readonly filmId?: string;
  readonly sha256?: string;
  readonly sizeBytes?: number;
  readonly warnings: readonly Finding[];
  readonly errors: readonly Finding[];
  readonly failure?: ExportFailure;
  readonly approval: Approval;
  readonly note?: string;
};

export type CheckedItem = Omit<BatchItem, "approval" | "note" | "batchId">;

export type ItemCounts = { readonly [Status in ItemStatus]: number };

/** A finished film of the project with the same content. */
export type SameFilm = Required<Pick<BatchItem, "exportId" | "sha256" | "sizeBytes">> & Pick<BatchItem, "warnings">;

export type BatchVideo = { readonly fileName: string; readonly key: string; readonly sizeBytes: number };

export type ItemChanges = Partial<
  Pick<BatchItem, "status" | "exportId" | "filmId" | "sha256" | "sizeBytes" | "failure" | "approval" | "note">
>;

type BatchKey = Pick<Batch, "id" | "projectId">;
type BatchAttempt = Pick<Batch, "id" | "attempt">;

/** A text that a model has translated, under the hash of text, language and model. */
export type Translation = {
  readonly hash: string;
  readonly language: string;
  readonly text: string;
  readonly translation: string;
};

export type FilmWait = Pick<Film, "waitingFor" | "waitingReason"> & { readonly filmId: string };

export type ItemFilter = { readonly status?: ItemStatus | undefined; readonly approval?: Approval | undefined };

export type BatchStore = {
  /** Adds a batch with its rows and enqueues its first job, in one transaction. Throws limit_reached. */
  add(batch: Batch, bases: readonly BatchBase[], rows: readonly TableRow[], keys: SealedKeys): Promise<void>;
  find(projectId: string, batchId: string): Promise<Batch | undefined>;
  /** Lists the newest first. */
  list(projectId: string, page: PageRequest): Promise<Page<Batch>>;
  bases(batchId: string): Promise<readonly BatchBase[]>;
  /** Reads at most `limit` rows, beginning with number `from`. */
  rows(batchId: string, from: number, limit: number): Promise<readonly TableRow[]>;
  /** Begins a new attempt. Undefined if the batch has ended, waits for its owner, or was removed. */
  acquire(batchId: string): Promise<Batch | undefined>;
  /** Undefined if another attempt has begun, or the batch has ended or was removed. */
  load(batch: BatchAttempt): Promise<Batch | undefined>;
  /** See `FilmStore.change`. */
  change(
    batch: BatchKey & { readonly attempt?: number },
    edit: (found: Batch, committed: Micros) => Batch,
    options?: { readonly wake?: boolean; readonly countsSpend?: boolean; readonly keys?: SealedKeys },
  ): Promise<Batch | undefined>;
  /** See `FilmStore.saveCheckpoints`. */
  saveCheckpoints(batch: BatchAttempt, changed: ChangedCheckpoints): Promise<boolean>;
  keys(batchId: string): Promise<SealedKeys>;
  /** Erases the keys of batches that have waited since before this time. Returns their number. */
  expireKeys(before: number): Promise<number>;
  findTranslations(projectId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Stores translations for later batches, and shows them in this one. */
  addTranslations(batch: BatchKey, translations: readonly Translation[]): Promise<void>;
  /** Lists the first translations of a batch. */
  listTranslations(batchId: string, limit: number): Promise<readonly Translation[]>;
  /** Finds films of these rows that wait for translations. */
  untranslated(batchId: string, from: number, to: number): Promise<readonly Pick<BatchItem, "row" | "language">[]>;
  /** Adds validated films and the progress, if the attempt is current. Does not change finished films. */
  addChecked(
    batch: BatchAttempt,
    items: readonly CheckedItem[],
    progress: Pick<Batch, "checked" | "estimate">,
  ): Promise<boolean>;
  /** Sums up the validated films, and marks those of the preview. */
  endCheck(batch: BatchAttempt): Promise<void>;
  counts(batchIds: readonly string[]): Promise<ReadonlyMap<string, ItemCounts & { readonly frames: number }>>;
  findItem(batchId: string, itemId: string): Promise<BatchItem | undefined>;
  /** Lists items in the order of the table. */
  listItems(batchId: string, filter: ItemFilter, page: PageRequest): Promise<Page<BatchItem>>;
  /** Lists items of one status that can resume, in the order of the table. */
  itemsWith(batchId: string, status: ItemStatus, limit: number, onlyPreview: boolean): Promise<readonly BatchItem[]>;
  /** Undefined if the film was removed; with `attempt`, also if another one has begun, or the batch is cancelled. */
  changeItem(
    batch: Pick<Batch, "id"> & { readonly attempt?: number },
    itemId: string,
    changes: ItemChanges,
  ): Promise<BatchItem | undefined>;
  /** Finds films of the project with these contents whose files exist. */
  findSame(projectId: string, identities: readonly string[]): Promise<ReadonlyMap<string, SameFilm>>;
  /** Sets failed and invalid films to waiting. Returns the numbers of their rows. */
  reopen(batchId: string): Promise<readonly number[]>;
  /** Lists the files of finished films, in the order of the table. */
  videos(batchId: string, approval: Approval | undefined): Promise<readonly BatchVideo[]>;
  /** Cancels films with one of these statuses. */
  cancelItems(batchId: string, statuses: readonly ItemStatus[]): Promise<void>;
  runningExports(batchId: string): Promise<readonly string[]>;
  filmIds(batchId: string): Promise<readonly string[]>;
  /** Returns the film of a row in a language: the existing one, or else the named one, which it stores. */
  nameFilm(batchId: string, of: Pick<BatchItem, "row" | "language">, filmId: string): Promise<string>;
  /** Tells why these films wait, for those that do. */
  filmWaits(filmIds: readonly string[]): Promise<readonly FilmWait[]>;
  /** Removes the batch and a part of the exports that only it has; call it until `isGone`. */
  remove(batch: BatchKey): Promise<{ readonly isGone: boolean; readonly fileKeys: readonly string[] }>;
};

export const batchOutcomes: readonly BatchStatus[] = ["done", "partial", "error", "cancelled"];

export const hasEnded = ({ status }: Pick<Batch, "status">): boolean => batchOutcomes.includes(status);

export const requireBatch = async (batches: BatchStore, projectId: string, batchId: string): Promise<Batch> =>
  requireFound(await batches.find(projectId, batchId));

export const requireItem = async (batches: BatchStore, batchId: string, itemId: string): Promise<BatchItem> =>
  requireFound(await batches.findItem(batchId, itemId));

/** Returns the batch without its waiting reason. */
export function resumed({ waitingFor: _, waitingReason: __, waitingAt: ___, ...batch }: Batch): Batch {
  return batch;
}

export const filmCount = ({ rows, order }: Pick<Batch, "rows" | "order">): number =>
  rows * order.languages.length * order.targets.length;

export const callerOf = (user: Caller["user"], { scopes }: Pick<Batch, "scopes">): Caller => ({
  user,
  via: "login",
  scopes,
});
