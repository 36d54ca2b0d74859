import type { AcceptDestinationsPorts } from "../../destinations/accept.ts";
import type { Fetcher } from "../../files/fetcher.ts";
import { placeholderFields } from "../../templates/placeholders.ts";
import { filmCount } from "../batch.ts";
import { acceptForTable } from "../deliver.ts";
import type { Finding } from "../findings.ts";
import type { Cells, Table } from "../rows.ts";
import type { ValidationPorts } from "../validation/context.ts";
import { costSum, rateOf } from "../validation/costs.ts";
import { namedPictures } from "../validation/pictures.ts";
import { tableTranslation } from "../validation/translations.ts";
import { rowsAtOnce, startValidation, validateRows } from "../validation/validate-rows.ts";
import type { BatchReport } from "../view.ts";
import { type BatchRequest, type Orderer, type PreparePorts, prepare } from "./order.ts";

/** The most findings of one report, more than a person corrects in one pass. */
const maxFindings = 1_000;

const sampleRows = 3;
const sampleCharacters = 200;

const sampleOf = ({ rows }: Table): readonly Cells[] =>
  rows
    .slice(0, sampleRows)
    .map(({ cells }) =>
      Object.fromEntries(Object.entries(cells).map(([column, cell]) => [column, cell.slice(0, sampleCharacters)])),
    );

type ValidateOptions = {
  /** The number of rows to validate; all by default. */
  readonly rows?: number | undefined;
  readonly signal: AbortSignal;
};

/** Validates a table as the batch of the order would. Stores nothing. */
export async function validateBatch(
  ports: PreparePorts & ValidationPorts & AcceptDestinationsPorts & { readonly fetcher: Pick<Fetcher, "checkUrl"> },
  orderer: Orderer,
  request: BatchRequest,
  { rows: checked, signal }: ValidateOptions,
): Promise<BatchReport> {
  const { work, bases, order } = await prepare(ports, orderer, request);
  const { table, destinations = [] } = request;
  await acceptForTable(ports, orderer.project.id, destinations, order);
  const rows = table.rows.slice(0, checked);
  const context = startValidation({
    ...{ ports, caller: orderer.caller, project: orderer.project, work, order, bases },
    pictures: namedPictures(ports.fetcher),
    translation: tableTranslation(ports.models, order),
  });
  const errors = new FindingList();
  const warnings = new FindingList();
  warnings.add(rows.flatMap(joinedRows));
  const costs = costSum(ports, order);
  let [valid, invalid, unchanged, frames] = [0, 0, 0, 0];
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    signal.throwIfAborted();
    const checked = await validateRows(context, rows.slice(from, from + rowsAtOnce));
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

function joinedRows({ row, key, joined }: Table["rows"][number]): readonly Finding[] {
  if (!joined) return [];
  const [first = row] = joined;
  const names = joined.length === 1 ? `Row ${first} goes` : `Rows ${first} to ${joined.at(-1)} go`;
  const message = `${names} on with the product of row ${row} and ${joined.length === 1 ? "has" : "have"} no name: the product is one film.`;
  return [{ row, key, path: "rows", code: "rows_joined", message }];
}

/** Keeps each finding once: the films of a row share them. */
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
