import { csvLine } from "../../platform/texts.ts";
import type { InternalUrls } from "../files/internal-urls.ts";
import type { Approval, Batch, BatchStore } from "./batch.ts";
import { filmsOfItems, itemView } from "./view.ts";

const filmsAtOnce = 500;

async function* allItems(ports: ManifestPorts, { batch, approval }: ManifestOf) {
  const { batches, internalUrls } = ports;
  let after: string | undefined;
  do {
    const page = await batches.listItems(batch.id, { approval }, { limit: filmsAtOnce, ...(after && { after }) });
    const films = await filmsOfItems(ports, batch, page.items);
    yield page.items.map((item) => itemView(item, internalUrls, films.get(item.id)));
    after = page.next;
  } while (after !== undefined);
}

type ManifestPorts = Parameters<typeof filmsOfItems>[0] & {
  readonly batches: BatchStore;
  readonly internalUrls: Pick<InternalUrls, "exportFile">;
};

type ManifestOf = { readonly batch: Batch; readonly approval?: Approval | undefined };

/** All films of a batch as JSON, in the order of the table, in chunks. */
export async function* manifestJson(ports: ManifestPorts, manifest: ManifestOf): AsyncGenerator<string> {
  let separator = "";
  yield `{"batchId":${JSON.stringify(manifest.batch.id)},"films":[`;
  for await (const items of allItems(ports, manifest)) {
    const films = items.map((item) => JSON.stringify(item));
    if (films.length > 0) yield `${separator}\n${films.join(",\n")}`;
    separator = ",";
  }
  yield "\n]}\n";
}

const columns = [
  ...(["id", "key", "row", "language", "target", "status", "fileName", "url", "sha256", "size"] as const),
  ...(["approval", "note", "code", "error"] as const),
] as const;

/** All films as CSV, escaped so that spreadsheets see no formulas. */
export async function* manifestCsv(ports: ManifestPorts, manifest: ManifestOf): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const items of allItems(ports, manifest)) yield items.map((item) => csvLine(cellsOf(item))).join("");
}

function cellsOf({ error, ...film }: ReturnType<typeof itemView>): readonly string[] {
  const cells = { ...film, code: error?.code, error: error?.message };
  return columns.map((column) => `${cells[column] ?? ""}`);
}
