import { shownUrl } from "./destinations.ts";
import type { DestinationType } from "./schema.ts";

export const deliveryStatuses = ["queued", "sending", "delivered", "failed", "dry_run"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** What becomes of a video at a destination: the fields of its order, with variables filled in. */
export type DeliveryWishes = {
  /** After the destination's prefix. */
  readonly key?: string;
  readonly url?: string;
  readonly method?: "POST" | "PUT";
  readonly title?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly privacy?: string;
  readonly madeForKids?: boolean;
  readonly categoryId?: string;
  readonly containsSyntheticMedia?: boolean;
  readonly notifySubscribers?: boolean;
};

/** How far a delivery has come at the receiver: enough for another process to continue it. */
export type DeliveryProgress = {
  readonly sha256?: string;
  readonly sentBytes?: number;
  /** Of a multipart upload to S3. */
  readonly uploadId?: string;
  /** The URI of a resumable upload, encrypted: who has it can upload. */
  readonly session?: string;
};

/** Where the video is now. */
export type DeliveryResult = {
  readonly url?: string;
  readonly bucket?: string;
  readonly key?: string;
  readonly videoId?: string;
  /** The HTTP status of the receiver's last answer. */
  readonly status?: number;
};

/** `code` is the receiver's own, such as NoSuchBucket or invalid_grant, where it gave one. */
export type DeliveryFailure = { readonly code: string; readonly status?: number; readonly message: string };

/** A request that would be sent, without credentials. */
export type PlannedRequest = {
  readonly method: string;
  readonly url: string;
  readonly contentType?: string;
  /** Of the body. */
  readonly bytes?: number;
  /** Names of headers with credentials or signatures. */
  readonly signedBy?: readonly string[];
  /** The body, where it is JSON. */
  readonly body?: unknown;
};

export type DeliveryPlan = {
  readonly file: { readonly bytes: number; readonly contentType: string };
  readonly requests: readonly PlannedRequest[];
  readonly result: DeliveryResult;
  /** True or false if the delivery requires the gate. */
  readonly passesGate?: boolean;
};

/** The sending of one video of an export to one destination. */
export type Delivery = {
  readonly id: string;
  readonly exportId: string;
  readonly userId: string;
  readonly projectId: string;
  /** The aspect ratio, or "" if the export has one video. */
  readonly target: string;
  readonly type: DestinationType;
  /** The name of the destination; absent for a URL without stored credentials. */
  readonly destination?: string;
  /** Identifies the receiver: an export has one delivery for each video and address. */
  readonly address: string;
  readonly wishes: DeliveryWishes;
  readonly requireGate: boolean;
  readonly dryRun: boolean;
  /** Headers and the secret of a URL without stored credentials, encrypted. */
  readonly sealed?: string;
  readonly status: DeliveryStatus;
  /** Incremented by each attempt: only the latest may write. */
  readonly attempt: number;
  readonly progress: DeliveryProgress;
  readonly failure?: DeliveryFailure;
  readonly result?: DeliveryResult;
  readonly plan?: DeliveryPlan;
  /** When the next attempt begins, at the earliest. */
  readonly retryAt?: number;
  readonly createdAt: number;
  /** When the video was ready, or the last retry was requested; attempts end a time after it. Absent before. */
  readonly begunAt?: number;
  readonly endedAt?: number;
};

/** A job of the queue, as JSON. */
export type DeliveryJob = Required<Pick<Delivery, "id" | "begunAt">>;

export type DeliveryChanges = Partial<
  Pick<Delivery, "status" | "progress" | "failure" | "result" | "plan" | "retryAt" | "endedAt">
>;

export type DeliveryStore = {
  /** Those of some exports, in the order of their creation. */
  list(...exportIds: readonly string[]): Promise<readonly Delivery[]>;
  /**
   * Adds deliveries of finished videos and enqueues them, in one transaction. Existing ones with the same address stay;
   * with `isRetried`, those that are not delivered are retried.
   */
  queue(deliveries: readonly Delivery[], options: { readonly isRetried: boolean }): Promise<void>;
  /** Begins an attempt. Undefined if the delivery has ended or begun again, or its export, project or account was removed. */
  acquire(job: DeliveryJob): Promise<Delivery | undefined>;
  /** Undefined fields are erased. False if another attempt has begun, or the delivery was removed. */
  save(delivery: Pick<Delivery, "id" | "attempt">, changes: DeliveryChanges): Promise<boolean>;
};

/** The cause of an attempt's end. `retry` says when another attempt can succeed: never, after a time, or at any time. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";

  constructor(
    readonly failure: DeliveryFailure,
    readonly retry: "never" | "later" | { readonly afterSeconds: number },
    options?: ErrorOptions,
  ) {
    super(failure.message, options);
  }
}

/** A video and its way to a receiver. */
export type Sending = {
  readonly delivery: Delivery;
  readonly file: {
    readonly name: string;
    readonly sizeBytes: number;
    readonly mimeType: string;
    read(start: number, end: number): Promise<ReadableStream<Uint8Array>>;
    /** Computed once for a delivery. */
    sha256(): Promise<string>;
  };
  /** What is stored of the destination, with the order's own fields. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Stores how far the upload has come. Throws if another attempt has begun. */
  save(progress: DeliveryProgress): Promise<void>;
};

/** How videos get to destinations of one type. Throws DeliveryError. */
export type Sender = {
  plan(sending: Pick<Sending, "delivery" | "file" | "settings">): Pick<DeliveryPlan, "requests" | "result">;
  /** Continues what `delivery.progress` and the receiver know of. */
  send(sending: Sending): Promise<DeliveryResult>;
};

export type Senders = Readonly<Record<DestinationType, Sender>>;

export const deliveryView = (delivery: Delivery) => {
  const { id, exportId, target, type, destination, wishes, status, attempt, progress } = delivery;
  const { failure, result, plan, retryAt, createdAt, endedAt } = delivery;
  return {
    ...{ id, exportId, ...(target !== "" && { target }), type },
    ...(destination !== undefined ? { destination } : { url: shownUrl(wishes.url ?? "") }),
    ...{ status, attempts: attempt },
    ...(progress.sentBytes !== undefined && { sentBytes: progress.sentBytes }),
    ...(failure && { error: failure }),
    ...(result && { result }),
    ...(plan && { plan }),
    ...(retryAt !== undefined && status === "queued" && { retryAt }),
    ...{ createdAt, ...(endedAt !== undefined && { endedAt }) },
  };
};

/** What a film shows of a delivery. */
export function sentView({ destination, wishes, target, status, result, failure }: Delivery) {
  return {
    ...{ to: destination ?? shownUrl(wishes.url ?? ""), ...(target !== "" && { target }), status },
    ...(result?.url !== undefined && { url: result.url }),
    ...(failure && { error: failure.message }),
  };
}
