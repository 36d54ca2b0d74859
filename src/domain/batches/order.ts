import { invalid } from "../../errors.ts";
import { currentOrigin } from "../../platform/origin.ts";
import type { Caller } from "../accounts/caller.ts";
import { targetsOf } from "../exports/targets.ts";
import type { WebhookRequest } from "../exports/webhooks/schema.ts";
import { type AcceptWebhookPorts, acceptWebhook } from "../exports/webhooks/webhooks.ts";
import type { Fetcher } from "../files/fetcher.ts";
import type { Checkpoints } from "../idempotency/checkpoints.ts";
import type { Project } from "../projects/projects.ts";
import { newId } from "../shared/ids.ts";
import { defaultFps } from "../works/editor-state.ts";
import { type BaseOrder, type BasePorts, makeBases } from "./base.ts";
import { type Batch, type BatchBase, type BatchEstimate, type BatchStore, filmCount } from "./batch.ts";
import { type CheckPorts, checkRows, startCheck } from "./check.ts";
import { defaultFileName, requireFileNames } from "./file-names.ts";
import type { Finding } from "./findings.ts";
import { namedPictures } from "./pictures.ts";
import { maxFilms, type Table } from "./rows.ts";

/** What callers send, with the table that was read. */
export type BatchRequest = Partial<Omit<Batch["order"], "columns" | "targets">> & {
  readonly name?: string | undefined;
  readonly base: BaseOrder;
  readonly table: Table;
  readonly webhook?: WebhookRequest | undefined;
  readonly targets?: Batch["order"]["targets"] | undefined;
};

type Orderer = { readonly caller: Caller; readonly project: Project };

const defaultConcurrency = 4;

/** The base as it is now, and how the table becomes films. Throws what prevents all of them. */
async function prepare(ports: BasePorts, { caller, project }: Orderer, request: BatchRequest) {
  const { table, languages = [""] } = request;
  const place = { userId: caller.user.id, projectId: project.id };
  const { work, bases } = await makeBases(ports, place, request.base, languages);
  // safe because there is at least one base
  const targets = request.targets ?? targetsOf(bases[0]!.request);
  const order: Batch["order"] = {
    ...{ languages, targets, columns: table.columns },
    fileName: request.fileName ?? defaultFileName({ languages, targets }),
    stopAt: request.stopAt ?? [],
    onError: request.onError ?? "continue",
    concurrency: request.concurrency ?? defaultConcurrency,
    force: request.force ?? false,
  };
  const films = filmCount({ rows: table.rows.length, order });
  if (films > maxFilms) throw invalid("rows", `Must give at most ${maxFilms} films: they give ${films}.`);
  requireFileNames(order, table.rows);
  return { work, bases, order };
}

export type OrderPorts = BasePorts & AcceptWebhookPorts & { readonly batches: BatchStore };

/** Stores a batch as its base is now, and enqueues its check. Nothing is rendered or paid here. */
export async function orderBatch(
  ports: OrderPorts,
  { checkpoints, ...orderer }: Orderer & { readonly checkpoints: Checkpoints },
  request: BatchRequest,
): Promise<Batch> {
  const { caller, project } = orderer;
  return await checkpoints.createOnce("batch", {
    newId: () => newId("batch"),
    find: (id) => ports.batches.find(project.id, id),
    async create(id) {
      const { work, bases, order } = await prepare(ports, orderer, request);
      const webhook = request.webhook && (await acceptWebhook(ports, request.webhook));
      const { traceparent } = currentOrigin();
      const now = Date.now();
      const batch: Batch = {
        ...{ id, userId: caller.user.id, projectId: project.id, workId: work.id, scopes: caller.scopes, order },
        ...{ name: request.name ?? work.name, rows: request.table.rows.length, checked: 0, seconds: 0 },
        ...{ status: "validating", approved: [], attempt: 0, revision: 1, createdAt: now, updatedAt: now },
        ...{ ...(webhook && { webhook }), ...(traceparent && { traceparent }) },
      };
      await ports.batches.add(batch, bases, request.table.rows);
      return batch;
    },
  });
}

export type BatchReport = {
  readonly counts: { readonly [Name in "rows" | "films" | "valid" | "invalid" | "unchanged"]: number };
  readonly estimate: BatchEstimate;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** There are more errors or warnings. */
  readonly isTruncated: boolean;
};

/** Findings of one report: a person corrects fewer at once. */
const maxFindings = 1_000;

/** Rows that are checked together. */
export const rowsAtOnce = 25;

/** Checks a table as the batch of the order would. Nothing is stored. */
export async function validateBatch(
  ports: BasePorts & CheckPorts & { readonly fetcher: Pick<Fetcher, "checkUrl"> },
  orderer: Orderer,
  request: BatchRequest,
  signal: AbortSignal,
): Promise<BatchReport> {
  const { work, bases, order } = await prepare(ports, orderer, request);
  const { rows } = request.table;
  const check = startCheck({
    ...{ ports, caller: orderer.caller, work, order, bases },
    pictures: namedPictures(ports.fetcher),
  });
  const errors = new FindingList();
  const warnings = new FindingList();
  let [valid, unchanged, frames] = [0, 0, 0];
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    signal.throwIfAborted();
    for (const item of await checkRows(check, rows.slice(from, from + rowsAtOnce))) {
      errors.add(item.errors);
      warnings.add(item.warnings);
      if (item.status !== "invalid") valid++;
      if (item.status === "unchanged") unchanged++;
      if (item.status === "waiting") frames += item.frames;
    }
  }
  const films = filmCount({ rows: rows.length, order });
  return {
    counts: { rows: rows.length, films, valid, invalid: films - valid, unchanged },
    estimate: { films: valid - unchanged, seconds: frames / rateOf(bases[0]!) },
    errors: errors.list,
    warnings: warnings.list,
    isTruncated: errors.isFull || warnings.isFull,
  };
}

/** Each finding once: the films of a row share them. */
class FindingList {
  readonly list: Finding[] = [];
  isFull = false;
  #row = 0;
  #ofRow = new Set<string>();

  add(findings: readonly Finding[]): void {
    for (const finding of findings) {
      const { row, path, code, language = "", column = "" } = finding;
      if (row !== this.#row) this.#ofRow = new Set();
      this.#row = row;
      const name = [path, code, language, column].join(" ");
      if (this.#ofRow.has(name)) continue;
      this.#ofRow.add(name);
      if (this.list.length < maxFindings) this.list.push(finding);
      else this.isFull = true;
    }
  }
}

/** Of a base, in frames a second. */
export const rateOf = ({ request }: BatchBase): number => request.options?.fps ?? defaultFps;
