import type { FileStore } from "../../../engine/ports.ts";
import { RetryAfterError } from "../../../platform/async.ts";
import { type LeasePorts, outageProofLeaseMs, takeLease } from "../../../platform/leases.ts";
import type { SecretBox } from "../../accounts/secrets.ts";
import {
  type Delivery,
  DeliveryError,
  type DeliveryFailure,
  type DeliveryJob,
  type DeliveryPlan,
  type DeliveryStore,
  type Senders,
  type Sending,
} from "../../destinations/deliveries.ts";
import { type DestinationStore, openSecrets } from "../../destinations/destinations.ts";
import { sha256OfFile } from "../../files/file-store.ts";
import { isFromTrainedModel } from "../../provenance/statement.ts";
import type { ExportJob, ExportStore } from "../lifecycle/jobs.ts";
import { formatOfFile } from "../lifecycle/view.ts";

/** Enough for a quota that is renewed a day later. */
const maxDeliveryMs = 48 * 60 * 60 * 1000;

export type DeliverPorts = LeasePorts & {
  readonly deliveries: Pick<DeliveryStore, "acquire" | "save">;
  readonly destinations: Pick<DestinationStore, "find">;
  readonly destinationBox: Pick<SecretBox, "open">;
  readonly exports: Pick<ExportStore, "find">;
  readonly files: Pick<FileStore, "read">;
  readonly senders: Senders;
};

/**
 * Job handler: makes one attempt to send a video, which continues an earlier one. Throws if the queue must retry; `data`
 * is a DeliveryJob in JSON. When `stopped` aborts, the next process continues.
 */
export async function deliver(ports: DeliverPorts, data: string, stopped: AbortSignal): Promise<void> {
  // safe because the store enqueues nothing else
  const job = JSON.parse(data) as DeliveryJob;
  const lost = new AbortController();
  const onLost = () => lost.abort(new Error("Another process sends the video."));
  const lease = await takeLease(ports, [`delivery/${job.id}`], { leaseMs: outageProofLeaseMs, onLost });
  if (!lease) throw new RetryAfterError("The video is being sent.", 2);
  try {
    const delivery = await ports.deliveries.acquire(job);
    if (delivery) await attempt(ports, delivery, AbortSignal.any([stopped, lost.signal]));
  } finally {
    await lease.release();
  }
}

async function attempt(ports: DeliverPorts, delivery: Delivery, signal: AbortSignal): Promise<void> {
  const { deliveries } = ports;
  try {
    const found = await sendingOf(ports, delivery, signal);
    const sender = ports.senders[delivery.type];
    if (delivery.dryRun) {
      const plan = { ...found.plan, ...sender.plan(found.sending) };
      await deliveries.save(delivery, { status: "dry_run", plan, failure: undefined, endedAt: Date.now() });
      return;
    }
    const result = await sender.send(found.sending);
    await deliveries.save(delivery, { status: "delivered", result, failure: undefined, endedAt: Date.now() });
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof DeliveryError)) throw error;
    await leave(ports, delivery, error);
  }
}

/** Records the end of an attempt without success. Throws the queue's error if another attempt follows. */
async function leave(
  { deliveries }: DeliverPorts,
  delivery: Delivery,
  { failure, retry }: DeliveryError,
): Promise<void> {
  const now = Date.now();
  const { begunAt = now } = delivery;
  const afterSeconds = typeof retry === "object" ? retry.afterSeconds : 0;
  const isOver = retry === "never" || now + afterSeconds * 1000 - begunAt > maxDeliveryMs;
  if (isOver) return void (await deliveries.save(delivery, { status: "failed", failure, endedAt: now }));
  const retryAt = typeof retry === "object" ? now + afterSeconds * 1000 : undefined;
  if (!(await deliveries.save(delivery, { status: "queued", failure, retryAt }))) return;
  throw typeof retry === "object" ? new RetryAfterError(failure.message, afterSeconds) : new Error(failure.message);
}

const failed = (failure: DeliveryFailure) => new DeliveryError(failure, "never");

type Found = { readonly sending: Sending; readonly plan: Pick<DeliveryPlan, "file" | "passesGate"> };

/** Everything that a sender needs. Throws DeliveryError if the video, the destination or its credentials are missing. */
export async function sendingOf(ports: DeliverPorts, delivery: Delivery, signal: AbortSignal): Promise<Found> {
  const job = await ports.exports.find(delivery.userId, delivery.exportId);
  const file = job?.files.find(({ target }) => target === delivery.target);
  if (!job || !file) throw failed({ code: "video_missing", message: "The export has no such video any more." });
  const passesGate = delivery.requireGate ? gateOf(job, delivery) : undefined;
  const isBroken = passesGate === false && !delivery.dryRun;
  if (isBroken) throw failed({ code: "gate_failed", message: gateSentence(job) });
  const { settings, secrets } = await credentialsOf(ports, delivery);
  const { mimeType, extension } = formatOfFile(file.key);
  let known = delivery.progress.sha256;
  const sending: Sending = {
    ...{ delivery: withFlag(delivery, job), settings, secrets, signal },
    file: {
      ...{ name: nameOf(job, delivery, extension), sizeBytes: file.sizeBytes, mimeType },
      read: (start, end) => ports.files.read(file, start, end),
      sha256: async () => {
        known ??= await sha256OfFile(ports.files, file);
        return known;
      },
    },
    async save(progress) {
      if (await ports.deliveries.save(delivery, { progress: { ...progress, ...(known && { sha256: known }) } })) return;
      throw new Error("The delivery has begun again, or was removed.");
    },
  };
  return {
    sending,
    plan: { file: { bytes: file.sizeBytes, contentType: mimeType }, ...(passesGate !== undefined && { passesGate }) },
  };
}

/** True if no platform's must is broken for this video. */
const gateOf = ({ gateReport }: ExportJob, { target }: Delivery): boolean =>
  gateReport?.reports.filter((report) => (report.target ?? "") === target).every(({ ok }) => ok) ?? false;

const gateSentence = ({ gateReport }: ExportJob): string =>
  gateReport
    ? "The video breaks a rule: GET …/check of the export says which."
    : "The export was not checked: request it with gate, or with requireGate in its destinations.";

const nameOf = ({ name, batchId }: ExportJob, { target }: Delivery, extension: string): string =>
  `${target === "" || batchId !== undefined ? name : `${name} ${target.replace(":", "x")}`}.${extension}`;

/** By default, the flag of synthetic media follows from what the export knows of its parts. */
function withFlag(delivery: Delivery, { production }: ExportJob): Delivery {
  const { type, wishes } = delivery;
  const isSynthetic = production?.statement.ingredients.some(isFromTrainedModel);
  if (type !== "youtube" || isSynthetic === undefined) return delivery;
  return { ...delivery, wishes: { containsSyntheticMedia: isSynthetic, ...wishes } };
}

async function credentialsOf(ports: DeliverPorts, delivery: Delivery): Promise<Pick<Sending, "settings" | "secrets">> {
  const { destination: name, projectId, wishes, sealed, type } = delivery;
  if (name === undefined) {
    const text = sealed === undefined ? "{}" : ports.destinationBox.open(sealed, projectId);
    if (text === undefined) throw failed(unreadable);
    // safe because the order sealed an object
    const secrets = JSON.parse(text) as Record<string, unknown>;
    return {
      settings: { ...wishes, headerNames: Object.keys((secrets.headers as object | undefined) ?? {}) },
      secrets,
    };
  }
  const destination = await ports.destinations.find(projectId, name);
  if (destination?.settings.type !== type) {
    throw failed({
      code: "destination_missing",
      message: `The project has no destination ${name} of the type ${type} any more.`,
    });
  }
  const secrets = openSecrets(ports.destinationBox, destination);
  if (!secrets) throw failed(unreadable);
  return { settings: destination.settings, secrets };
}

const unreadable: DeliveryFailure = {
  code: "credentials_missing",
  message: "The credentials can no longer be read: store the destination again.",
};
