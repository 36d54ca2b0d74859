import { type ExportFailure, errorOf } from "../exports/jobs.ts";
import type { InternalUrls } from "../files/internal-urls.ts";
import { currency, formatAmount } from "../ledger/money.ts";
import { type Batch, type BatchItem, filmCount, type ItemCounts } from "./batch.ts";
import type { Finding } from "./findings.ts";
import type { BatchReport } from "./order.ts";

/** Exports alone cost nothing. */
const nothing = formatAmount(0n);

const estimateView = ({ films, seconds }: BatchReport["estimate"]) => ({
  ...{ films, renderSeconds: Math.round(seconds * 1000) / 1000 },
  ...{ low: nothing, high: nothing, currency },
});

const findingView = ({ targets, ...finding }: Finding) => ({
  ...finding,
  ...(targets && { targets: [...targets] }),
});

/** A checked table as its caller sees it. */
export const reportView = ({ counts, estimate, errors, warnings, isTruncated }: BatchReport) => ({
  ok: counts.invalid === 0,
  counts,
  estimate: estimateView(estimate),
  errors: errors.map(findingView),
  warnings: warnings.map(findingView),
  truncated: isTruncated,
});

/** A batch as its owner sees it. */
export function batchView(batch: Batch, counts: ItemCounts | undefined) {
  const { order, waitingFor, waitingReason, waitingAt, endedAt } = batch;
  const { invalid = 0, unchanged = 0, waiting = 0, running = 0, done = 0, error = 0, cancelled = 0 } = counts ?? {};
  const valid = unchanged + waiting + running + done + error + cancelled;
  return {
    ...{ id: batch.id, projectId: batch.projectId, workId: batch.workId, name: batch.name, status: batch.status },
    ...(waitingFor && { waitingFor }),
    ...(waitingReason !== undefined && { waitingReason }),
    ...(waitingAt && { waitingAt }),
    counts: {
      ...{ rows: batch.rows, films: filmCount(batch), valid, invalid, unchanged },
      ...{ waiting, running, done, error, cancelled },
    },
    checkedRows: batch.checked,
    estimate: estimateView({ films: valid - unchanged, seconds: batch.seconds }),
    spent: { amount: nothing, currency },
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

/** A film of a batch as its owner sees it. */
export function itemView(item: BatchItem, urls: ItemUrls) {
  const { id, row, key, language, target, status, fileName, exportId, sha256, sizeBytes, approval, note } = item;
  return {
    ...{ id, key, row, ...(language !== "" && { language }), ...(target !== "" && { target }), status, fileName },
    ...(exportId !== undefined && { exportId }),
    ...(isMade(item) && exportId !== undefined && { url: urls.exportFile(exportId, target) }),
    ...(sha256 !== undefined && isMade(item) && { sha256, size: sizeBytes ?? 0 }),
    warnings: item.warnings.map(findingView),
    ...errorView(item),
    ...{ cost: nothing, approval },
    ...(note !== undefined && { note }),
  };
}

type FindingView = ReturnType<typeof findingView>;

type ItemError = Partial<Omit<FindingView, "code" | "message">> & {
  readonly code: FindingView["code"] | ExportFailure["code"];
  readonly message: string;
  readonly errors?: FindingView[];
};

/** Of an invalid film the first error, with all of them. */
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
