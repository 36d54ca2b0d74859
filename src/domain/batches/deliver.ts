import { invalid } from "../../errors.ts";
import { type AcceptDestinationsPorts, type AcceptedDestination, acceptDestinations } from "../destinations/accept.ts";
import type { DeliveryStore } from "../destinations/deliveries.ts";
import type { DestinationRequest } from "../destinations/schema.ts";
import { deliveriesOfExport } from "../exports/deliveries/request.ts";
import type { ExportStore } from "../exports/lifecycle/jobs.ts";
import { fillAll, placeholderFields } from "../templates/placeholders.ts";
import type { Batch, BatchItem, BatchOrder, BatchStore } from "./batch.ts";
import { extensionOf } from "./file-names.ts";
import { cellOf, columnsOf } from "./rows.ts";

/** Checks the destinations of a batch, in which `{{column}}` is the cell of a film's row. Throws validation_error. */
export async function acceptForTable(
  ports: AcceptDestinationsPorts,
  projectId: string,
  requests: readonly DestinationRequest[],
  { columns, languages }: BatchOrder,
): Promise<readonly AcceptedDestination[]> {
  for (const { path, keys } of placeholderFields(requests)) {
    const unknown = keys.find((key) =>
      languages.some((language) => !columnsOf(key, language).some((column) => columns.includes(column))),
    );
    if (unknown !== undefined)
      throw invalid(`destinations.${path}`, `The table has no column ${JSON.stringify(unknown)}.`);
  }
  for (const [at, request] of requests.entries()) {
    const isDistinct = request.type !== "s3" || /\{fileName\}|\{\{/.test(request.key ?? "{fileName}");
    if (!isDistinct)
      throw invalid(`destinations.${at}.key`, "Must contain {fileName} or a column: there are several videos.");
  }
  return await acceptDestinations(ports, projectId, requests);
}

export type DeliverItemPorts = {
  readonly batches: Pick<BatchStore, "rows">;
  readonly exports: Pick<ExportStore, "findState">;
  readonly deliveries: Pick<DeliveryStore, "queue">;
};

/** Sends the finished video of an item to the destinations of its batch, unless it was sent there, or is rejected. */
export async function deliverItem(
  { batches, exports, deliveries }: DeliverItemPorts,
  batch: Batch,
  item: BatchItem,
): Promise<void> {
  const { destinations = [], order } = batch;
  if (destinations.length === 0 || item.exportId === undefined || item.approval === "rejected") return;
  const job = await exports.findState(batch.userId, item.exportId);
  if (job?.status !== "done") return;
  const [row] = await batches.rows(batch.id, item.row, 1);
  const keys = placeholderFields(destinations).flatMap((field) => field.keys);
  const values = Object.fromEntries(keys.map((key) => [key, cellOf(row?.cells ?? {}, key, item.language) ?? ""]));
  const names = {
    filmId: item.filmId,
    target: item.target,
    fileName: item.fileName.slice(0, -extensionOf(order).length),
  };
  const queued = deliveriesOfExport({ ...job, batchId: batch.id }, fillAll(destinations, values), names);
  await deliveries.queue(queued, { isRetried: false });
}

/** Sends the videos that an earlier batch has made. */
export async function deliverUnchanged(
  ports: DeliverItemPorts & { readonly batches: Pick<BatchStore, "listItems"> },
  batch: Batch,
): Promise<void> {
  if (!batch.destinations?.length) return;
  for (let after: string | undefined; ; ) {
    const page = await ports.batches.listItems(
      batch.id,
      { status: "unchanged" },
      { limit: 100, ...(after && { after }) },
    );
    for (const item of page.items) await deliverItem(ports, batch, item);
    if (page.next === undefined) return;
    after = page.next;
  }
}
