import { invalid } from "../../../errors.ts";
import {
  type AcceptDestinationsPorts,
  type AcceptedDestination,
  acceptDestinations,
  deliveriesOf,
} from "../../destinations/accept.ts";
import type { Delivery, DeliveryPlan, DeliveryStore } from "../../destinations/deliveries.ts";
import type { DestinationRequest } from "../../destinations/schema.ts";
import { requireFound } from "../../shared/versioned.ts";
import { type ExportState, requireDone } from "../lifecycle/jobs.ts";
import { finishedVideos, formatOfFile } from "../lifecycle/view.ts";
import { type DeliverPorts, sendingOf } from "./deliver.ts";

type Names = { readonly filmId?: string | undefined; readonly fileName?: string; readonly target?: string };

/** One delivery for each finished video and destination; with `target`, of that video alone. */
export function deliveriesOfExport(
  job: ExportState,
  accepted: readonly AcceptedDestination[],
  { filmId, fileName = job.name, target }: Names = {},
) {
  const { id: exportId, userId, projectId, workId, batchId, name } = job;
  const videos = finishedVideos(job);
  return videos
    .filter((video) => target === undefined || video.target === target)
    .flatMap((video) => {
      const { extension } = formatOfFile(video.key);
      const order = { exportId, userId, projectId, workId, name, fileName, batchId, filmId };
      return deliveriesOf(accepted, { ...order, extension, target: video.target, isOneOfSeveral: videos.length > 1 });
    });
}

/** Of one export, with those that have ended. */
const maxDeliveries = 100;

type RequestPorts = AcceptDestinationsPorts & { readonly deliveries: Pick<DeliveryStore, "queue" | "list"> };

/** Sends the videos of a finished export; those that have failed there are sent again. Throws not_ready and validation_error. */
export async function requestDeliveries(
  ports: RequestPorts,
  job: ExportState,
  destinations: readonly DestinationRequest[],
): Promise<readonly Delivery[]> {
  requireDone(job);
  const wanted = await asked(ports, job, destinations);
  const known = await ports.deliveries.list(job.id);
  if (known.length + wanted.length > maxDeliveries) {
    throw invalid("destinations", `Must be fewer: an export has at most ${maxDeliveries} deliveries.`);
  }
  await ports.deliveries.queue(wanted, { isRetried: true });
  return await ports.deliveries.list(job.id);
}

async function asked(ports: AcceptDestinationsPorts, job: ExportState, destinations: readonly DestinationRequest[]) {
  const targets = finishedVideos(job).map(({ target }) => target);
  return deliveriesOfExport(job, await acceptDestinations(ports, job.projectId, destinations, targets));
}

/** What `requestDeliveries` would send, without storing or sending anything. */
export async function planDeliveries(
  ports: DeliverPorts & AcceptDestinationsPorts,
  job: ExportState,
  destinations: readonly DestinationRequest[],
  signal: AbortSignal,
): Promise<readonly Delivery[]> {
  requireDone(job);
  const planned = (await asked(ports, job, destinations)).map(async (delivery): Promise<Delivery> => {
    const dry = { ...delivery, dryRun: true };
    const { sending, plan } = await sendingOf(ports, dry, signal);
    const full: DeliveryPlan = { ...plan, ...ports.senders[delivery.type].plan(sending) };
    return { ...dry, status: "dry_run", plan: full };
  });
  return await Promise.all(planned);
}

/** Begins a delivery again that has failed, waits, or was a dry run; one that is delivered stays. Throws not_ready before the export is done. */
export async function retryDelivery(
  { deliveries }: Pick<RequestPorts, "deliveries">,
  job: Pick<ExportState, "id" | "status">,
  deliveryId: string,
): Promise<Delivery> {
  const find = async () => requireFound((await deliveries.list(job.id)).find(({ id }) => id === deliveryId));
  const found = await find();
  requireDone(job);
  await deliveries.queue([{ ...found, dryRun: false }], { isRetried: true });
  return await find();
}
