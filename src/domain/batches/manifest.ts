import { csvLine } from "../../platform/csv.ts";
import type { InternalUrls } from "../files/internal-urls.ts";
import type { Approval, BatchItem, BatchStore } from "./batch.ts";
import { itemView } from "./view.ts";

/** Films that are read at once. */
const filmsAtOnce = 500;

async function* allItems(batches: BatchStore, batchId: string, approval: Approval | undefined) {
  let after: string | undefined;
  do {
    const page = await batches.listItems(batchId, { approval }, { limit: filmsAtOnce, ...(after && { after }) });
    yield page.items;
    after = page.next;
  } while (after !== undefined);
}

type ManifestPorts = { readonly batches: BatchStore; readonly internalUrls: Pick<InternalUrls, "exportFile"> };

type ManifestOf = { readonly batchId: string; readonly approval?: Approval | undefined };

/** All films of a batch as JSON, in the order of the table, a part at a time. */
export async function* manifestJson(
  { batches, internalUrls }: ManifestPorts,
  { batchId, approval }: ManifestOf,
): AsyncGenerator<string> {
  let separator = "";
  yield `{"batchId":${JSON.stringify(batchId)},"films":[`;
  for await (const items of allItems(batches, batchId, approval)) {
    const films = items.map((item) => JSON.stringify(itemView(item, internalUrls)));
    if (films.length > 0) yield `${separator}\n${films.join(",\n")}`;
    separator = ",";
  }
  yield "\n]}\n";
}

const columns = [
  ...(["id", "key", "row", "language", "target", "status", "fileName", "url", "sha256", "size"] as const),
  ...(["approval", "note", "code", "error"] as const),
] as const;

/** The same as CSV, which no spreadsheet takes for formulas. */
export async function* manifestCsv(
  { batches, internalUrls }: ManifestPorts,
  { batchId, approval }: ManifestOf,
): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const items of allItems(batches, batchId, approval)) {
    yield items.map((item) => csvLine(cellsOf(item, internalUrls))).join("");
  }
}

function cellsOf(item: BatchItem, urls: ManifestPorts["internalUrls"]): readonly string[] {
  const { error, ...film } = itemView(item, urls);
  const cells = { ...film, code: error?.code, error: error?.message };
  return columns.map((column) => `${cells[column] ?? ""}`);
}
