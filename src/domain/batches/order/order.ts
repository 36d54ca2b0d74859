import { invalid } from "../../errors.ts";
import { currentOrigin } from "../../platform/origin.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Models } from "../ai/models.ts";
import { type AspectRatio, aspectRatios } from "../exports/schema.ts";
import { targetsOf } from "../exports/targets.ts";
import type { WebhookRequest } from "../exports/webhooks/schema.ts";
import type { SecretBox } from "../exports/webhooks/secret-box.ts";
import { type AcceptWebhookPorts, acceptWebhook } from "../exports/webhooks/webhooks.ts";
import type { Fetcher } from "../files/fetcher.ts";
import type { PricePorts } from "../films/estimate.ts";
import type { FilmOrder } from "../films/film.ts";
import { chosenModels, type FilmRequest, type GivenKeys, keysFor, requirePrices, sealKeys } from "../films/order.ts";
import type { Checkpoints } from "../idempotency/checkpoints.ts";
import type { Micros } from "../ledger/money.ts";
import type { Project } from "../projects/projects.ts";
import { newId } from "../shared/ids.ts";
import { placeholderFields } from "../templates/placeholders.ts";
import { defaultFps } from "../works/editor-state.ts";
import { type BaseOrder, type BasePorts, makeBases, type Place } from "./base.ts";
import {
  type Batch,
  type BatchBase,
  type BatchEstimate,
  type BatchStore,
  type FilmBase,
  filmCount,
  type ModelCosts,
} from "./batch.ts";
import { type CheckedRows, checkRows, startCheck } from "./check.ts";
import type { CheckPorts } from "./checking.ts";
import { defaultFileName, requireFileNames } from "./file-names.ts";
import type { Finding } from "./findings.ts";
import { namedPictures } from "./pictures.ts";
import { type Cells, maxFilms, type Table } from "./rows.ts";
import {
  tableTranslation,
  translationCosts,
  translationHash,
  translationModel,
  type WantedText,
} from "./translations.ts";

/** What callers send, with the table that was read. */
export type BatchRequest = Partial<Omit<Batch["order"], "columns" | "targets" | "models">> & {
  readonly name?: string | undefined;
  readonly base: BaseOrder | FilmBase;
  /** Those that callers name: `llm` translates, the others make films from briefs. */
  readonly models?: FilmRequest["models"] | undefined;
  readonly maxSpend?: Micros | undefined;
  readonly table: Table;
  readonly webhook?: WebhookRequest | undefined;
  readonly targets?: Batch["order"]["targets"] | undefined;
};

type Orderer = { readonly caller: Caller; readonly project: Project; readonly keys: GivenKeys };

const defaultConcurrency = 4;

/** The base as it is now, and how the table becomes films. Throws what prevents all of them. */
async function prepare(ports: PreparePorts, { caller, project, keys }: Orderer, request: BatchRequest) {
  const { table, base, languages = [""] } = request;
  const place = { userId: caller.user.id, projectId: project.id };
  const {
    work,
    bases,
    targets: own,
  } = "film" in base
    ? { work: undefined, bases: [{ language: "", request: base }], targets: targetsOfFilm(base) }
    : await overWork(ports, place, base, languages);
  const targets = request.targets ?? own;
  const models = modelsOf(ports.models, request, keys);
  translationModel(ports.models, { models });
  await requirePrices(ports, project, { models, allowUnpriced: isUnpricedAllowed(base) }, request.maxSpend);
  const order: Batch["order"] = {
    models,
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

async function overWork(ports: BasePorts, place: Place, base: BaseOrder, languages: readonly string[]) {
  const { work, bases } = await makeBases(ports, place, base, languages);
  // safe because there is at least one base
  return { work, bases, targets: targetsOf(bases[0]!.request) };
}

/** As an order without targets has them; wrong ones are an error of each row. */
const targetsOfFilm = ({ film }: FilmBase): Batch["order"]["targets"] => {
  const named: readonly unknown[] = Array.isArray(film.targets) ? film.targets : [];
  const known = named.filter((target) => aspectRatios.some((ratio) => ratio === target));
  // safe because these are ratios
  return known.length > 0 ? (known as AspectRatio[]) : ["9:16"];
};

/** A film's own models before those of the batch; over a work, a model only translates. */
function modelsOf(models: Models, { base, models: named = {} }: BatchRequest, keys: GivenKeys): FilmOrder["models"] {
  if (!("film" in base)) return named.llm ? { llm: named.llm } : {};
  const { music } = base.film as { readonly music?: { readonly prompt?: unknown } };
  const prompt = music?.prompt;
  return chosenModels(models, { models: named, ...(typeof prompt === "string" && { musicPrompt: prompt }) }, keys);
}

const isUnpricedAllowed = (base: BatchRequest["base"]): boolean => "film" in base && base.film.allowUnpriced === true;

type PreparePorts = BasePorts & Parameters<typeof requirePrices>[0];

export type OrderPorts = PreparePorts &
  AcceptWebhookPorts & { readonly batches: BatchStore; readonly filmKeyBox: SecretBox };

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
      const keys = keysFor(ports.models, { models: order.models ?? {} }, orderer.keys);
      const webhook = request.webhook && (await acceptWebhook(ports, request.webhook));
      const { traceparent } = currentOrigin();
      const now = Date.now();
      const batch: Batch = {
        ...{ id, userId: caller.user.id, projectId: project.id, scopes: caller.scopes, order },
        ...(work && { workId: work.id }),
        ...(request.maxSpend !== undefined && { maxSpend: request.maxSpend }),
        ...{
          name: request.name ?? work?.name ?? "Films",
          checkpoints: {},
          rows: request.table.rows.length,
          checked: 0,
          seconds: 0,
        },
        ...{ status: "validating", approved: [], attempt: 0, revision: 1, createdAt: now, updatedAt: now },
        ...{ ...(webhook && { webhook }), ...(traceparent && { traceparent }) },
      };
      await ports.batches.add(batch, bases, request.table.rows, sealKeys(ports.filmKeyBox, id, keys));
      return batch;
    },
  });
}

export type BatchReport = {
  /** Of the whole table; films are valid, invalid or unchanged as far as they were checked. */
  readonly counts: { readonly [Name in "rows" | "films" | "valid" | "invalid" | "unchanged"]: number };
  /** What the base shows of a row. */
  readonly placeholders: readonly string[];
  readonly columns: readonly string[];
  /** The first rows, with their texts cut. */
  readonly sample: readonly Cells[];
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

const sampleRows = 3;
const sampleCharacters = 200;

const sampleOf = ({ rows }: Table): readonly Cells[] =>
  rows
    .slice(0, sampleRows)
    .map(({ cells }) =>
      Object.fromEntries(Object.entries(cells).map(([column, cell]) => [column, cell.slice(0, sampleCharacters)])),
    );

type ValidateOptions = {
  /** Rows to check, from the first on; by default all. */
  readonly rows?: number | undefined;
  readonly signal: AbortSignal;
};

/** Checks a table as the batch of the order would. Nothing is stored. */
export async function validateBatch(
  ports: PreparePorts & CheckPorts & { readonly fetcher: Pick<Fetcher, "checkUrl"> },
  orderer: Orderer,
  request: BatchRequest,
  { rows: checked, signal }: ValidateOptions,
): Promise<BatchReport> {
  const { work, bases, order } = await prepare(ports, orderer, request);
  const { table } = request;
  const rows = table.rows.slice(0, checked);
  const check = startCheck({
    ...{ ports, caller: orderer.caller, project: orderer.project, work, order, bases },
    pictures: namedPictures(ports.fetcher),
    translation: tableTranslation(ports.models, order),
  });
  const errors = new FindingList();
  const warnings = new FindingList();
  const costs = costSum(ports, order);
  let [valid, invalid, unchanged, frames] = [0, 0, 0, 0];
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    signal.throwIfAborted();
    const checked = await checkRows(check, rows.slice(from, from + rowsAtOnce));
    costs.add(checked);
    for (const { item } of checked.films) {
      errors.add(item.errors);
      warnings.add(item.warnings);
      if (item.status === "invalid") invalid++;
      else valid++;
      if (item.status === "unchanged") unchanged++;
      if (item.status === "waiting") frames += item.frames;
    }
  }
  const films = filmCount({ rows: table.rows.length, order });
  return {
    counts: { rows: table.rows.length, films, valid, invalid, unchanged },
    placeholders: [
      ...new Set(
        bases
          .flatMap(({ request }) => placeholderFields("film" in request ? request.film : request))
          .flatMap(({ keys }) => keys),
      ),
    ],
    columns: table.columns,
    sample: sampleOf(table),
    estimate: { films: valid - unchanged, seconds: frames / rateOf(bases[0]!), ...costs.sum() },
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
export const rateOf = ({ request }: BatchBase): number =>
  ("film" in request ? undefined : request.options?.fps) ?? defaultFps;

/** Adds up what models may cost for the rows of a table, each text once. */
export function costSum({ models, prices }: PricePorts, order: Batch["order"]) {
  const model = tableTranslation(models, order)?.model;
  const known = new Set<string>();
  let [low, high] = [0n, 0n];
  const count = (costs: ModelCosts | undefined) => {
    low += costs?.low ?? 0n;
    high += costs?.high ?? 0n;
  };
  return {
    add({ films, wanted }: CheckedRows): void {
      for (const { costs } of films) count(costs);
      if (!model) return;
      const isNew = (text: WantedText) => !known.has(translationHash(model, text));
      const added = wanted.filter(isNew);
      for (const text of added) known.add(translationHash(model, text));
      count(translationCosts(prices, model, added));
    },
    sum: (): ModelCosts => ({ low, high }),
  };
}
