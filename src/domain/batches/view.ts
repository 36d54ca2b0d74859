import { toThousandths, withoutUndefined } from "../../platform/values.ts";
import { type ExportFailure, errorOf } from "../exports/lifecycle/jobs.ts";
import type { InternalUrls } from "../files/internal-urls.ts";
import type { LedgerStore, StepSpend } from "../ledger/ledger.ts";
import { currency, formatAmount, type Micros } from "../ledger/money.ts";
import {
  type Batch,
  type BatchEstimate,
  type BatchItem,
  type BatchStore,
  type FilmWait,
  filmCount,
  type ItemCounts,
} from "./batch.ts";
import type { Finding } from "./findings.ts";
import type { Cells } from "./rows.ts";

export type BatchReport = {
  /** Counts for the whole table; films are valid, invalid or unchanged as far as they were validated. */
  readonly counts: { readonly [Name in "rows" | "films" | "valid" | "invalid" | "unchanged"]: number };
  /** The placeholders of the base that rows fill. */
  readonly placeholders: readonly string[];
  readonly columns: readonly string[];
  /** The first rows, with shortened texts. */
  readonly sample: readonly Cells[];
  readonly estimate: BatchEstimate;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** True if there are more errors or warnings. */
  readonly isTruncated: boolean;
};

/** Exports alone cost nothing. */
const estimateView = ({ films, seconds, low, high }: BatchReport["estimate"]) => ({
  ...{ films, renderSeconds: toThousandths(seconds) },
  ...{ low: formatAmount(low), high: formatAmount(high), currency },
});

const findingView = ({ targets, ...finding }: Finding) => ({
  ...finding,
  ...(targets && { targets: [...targets] }),
});

export const reportView = ({ counts, estimate, errors, warnings, isTruncated, ...table }: BatchReport) => ({
  ok: counts.invalid === 0,
  counts,
  placeholders: [...table.placeholders],
  columns: [...table.columns],
  sample: [...table.sample],
  estimate: estimateView(estimate),
  errors: errors.map(findingView),
  warnings: warnings.map(findingView),
  truncated: isTruncated,
});

export type BatchSpend = Pick<StepSpend, "spent" | "unknown"> | undefined;

export function batchView(batch: Batch, counts: ItemCounts | undefined, spend: BatchSpend) {
  const { order, waitingFor, waitingReason, waitingAt, endedAt, maxSpend, estimate } = batch;
  const { invalid = 0, unchanged = 0, waiting = 0, running = 0, done = 0, error = 0, cancelled = 0 } = counts ?? {};
  const valid = unchanged + waiting + running + done + error + cancelled;
  return {
    ...{ id: batch.id, projectId: batch.projectId, name: batch.name, status: batch.status },
    ...withoutUndefined({ workId: batch.workId, waitingFor, waitingReason, waitingAt }),
    counts: {
      ...{ rows: batch.rows, films: filmCount(batch), valid, invalid, unchanged },
      ...{ waiting, running, done, error, cancelled },
    },
    checkedRows: batch.checked,
    estimate: estimateView({
      ...{ films: valid - unchanged, seconds: batch.seconds },
      ...{ low: BigInt(estimate?.low ?? 0), high: BigInt(estimate?.high ?? 0) },
    }),
    spent: { amount: formatAmount(spend?.spent ?? 0n), currency },
    unknown: { amount: formatAmount(spend?.unknown ?? 0n), currency },
    ...(maxSpend !== undefined && { budget: { limit: formatAmount(maxSpend), currency } }),
    languages: order.languages.filter((language) => language !== ""),
    targets: order.targets.filter((target) => target !== ""),
    fileName: order.fileName,
    ...{ stopAt: [...order.stopAt], onError: order.onError, concurrency: order.concurrency },
    ...{ createdAt: batch.createdAt, updatedAt: batch.updatedAt },
    ...(endedAt !== undefined && { endedAt }),
  };
}

export type ItemUrls = Pick<InternalUrls, "exportFile">;

const isMade = ({ status }: BatchItem): boolean => status === "done" || status === "unchanged";

export type ItemFilm = Partial<Pick<FilmWait, "waitingFor" | "waitingReason">> & { readonly cost?: Micros };

export function itemView(item: BatchItem, urls: ItemUrls, { cost = 0n, waitingFor, waitingReason }: ItemFilm = {}) {
  const { id, row, key, language, target, status, fileName, exportId, sha256, sizeBytes, approval, note } = item;
  return {
    ...{ id, key, row, ...(language !== "" && { language }), ...(target !== "" && { target }), status, fileName },
    ...(status === "waiting" && waitingFor && { waitingFor, waitingReason: waitingReason ?? "" }),
    ...withoutUndefined({ exportId, filmId: item.filmId }),
    ...(isMade(item) && exportId !== undefined && { url: urls.exportFile(exportId, target) }),
    ...(sha256 !== undefined && isMade(item) && { sha256, size: sizeBytes ?? 0 }),
    warnings: item.warnings.map(findingView),
    ...errorView(item),
    ...{ cost: formatAmount(cost), approval },
    ...(note !== undefined && { note }),
  };
}

type ItemFilmPorts = {
  readonly batches: Pick<BatchStore, "filmWaits">;
  readonly ledger: Pick<LedgerStore, "spendOf">;
};

/** The films of items, by the items' ids. The item of the first target has the cost of the film. */
export async function filmsOfItems(
  { batches, ledger }: ItemFilmPorts,
  { order }: Pick<Batch, "order">,
  items: readonly BatchItem[],
): Promise<ReadonlyMap<string, ItemFilm>> {
  const ids = [...new Set(items.flatMap(({ filmId }) => filmId ?? []))];
  if (ids.length === 0) return new Map();
  const [spend, waits] = await Promise.all([ledger.spendOf("film", ids), batches.filmWaits(ids)]);
  const waitOf = new Map(waits.map((wait) => [wait.filmId, wait]));
  return new Map(
    items.map(({ id, filmId = "", target }) => {
      const cost = target === order.targets[0] ? spend.get(filmId)?.spent : undefined;
      return [id, { ...waitOf.get(filmId), ...(cost !== undefined && { cost }) }];
    }),
  );
}

type FindingView = ReturnType<typeof findingView>;

type ItemError = Partial<Omit<FindingView, "code" | "message">> & {
  readonly code: FindingView["code"] | ExportFailure["code"];
  readonly message: string;
  readonly errors?: FindingView[];
};

/** The first error of an invalid film, with all of them. */
function errorView({ errors, failure, status }: BatchItem): { readonly error?: ItemError } {
  const [first] = errors;
  if (status === "invalid" && first) {
    return { error: { ...findingView(first), errors: errors.map(findingView) } };
  }
  if (status !== "error" || !failure) return {};
  const { message } = errorOf(failure);
  return {
    error: { code: failure.code, message: failure.code === "internal" ? "Something broke on our side." : message },
  };
}
