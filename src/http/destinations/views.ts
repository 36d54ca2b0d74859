import { z } from "zod";
import { deliveryStatuses } from "../../domain/destinations/deliveries.ts";
import { Destinations, destinationTypes, privacies } from "../../domain/destinations/schema.ts";
import { optional } from "../../domain/shared/schemas.ts";
import { Id, namedObject, Timestamp } from "../schemas/responses.ts";

export const Destination = namedObject("Destination", {
  name: z.string().describe("What `name` in the destinations of an order takes."),
  type: z.enum(destinationTypes),
  hasCredentials: z.boolean().describe("False after an import: archives have no credentials."),
  secretEnd: z.string().optional().describe("The last four characters of the secret, to recognize it."),
  endpoint: z.string().optional(),
  region: z.string().optional(),
  bucket: z.string().optional(),
  prefix: z.string().optional(),
  accessKeyId: z.string().optional(),
  forcePathStyle: z.boolean().optional(),
  url: z.string().optional(),
  method: z.enum(["POST", "PUT"]).optional(),
  headerNames: z.array(z.string()).optional().describe("The headers of its requests, whose values are not shown."),
  clientId: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).optional(),
  privacy: z.enum(privacies).optional(),
  madeForKids: z.boolean().optional(),
  categoryId: z.string().optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const DestinationList = namedObject("DestinationList", { destinations: z.array(Destination), count: z.int() });

const DeliveryResult = namedObject("DeliveryResult", {
  url: z.string().optional(),
  bucket: z.string().optional(),
  key: z.string().optional(),
  videoId: z.string().optional(),
  status: z.int().optional().describe("The HTTP status of the receiver's last answer."),
});

const PlannedRequest = namedObject("PlannedRequest", {
  method: z.string(),
  url: z.string(),
  contentType: z.string().optional(),
  bytes: z.int().optional().describe("Of the body."),
  signedBy: z.array(z.string()).optional().describe("Fields and headers with credentials, which are not shown."),
  body: z.unknown().optional().describe("The body, where it is JSON."),
});

const DeliveryPlan = namedObject("DeliveryPlan", {
  file: z.object({ bytes: z.int(), contentType: z.string() }),
  requests: z.array(PlannedRequest).describe("In their order. Of many parts of a file, the first twenty."),
  result: DeliveryResult.describe("Where the video would be."),
  passesGate: z.boolean().optional().describe("Of a delivery with requireGate: false means that it would fail."),
});

const DeliveryFailure = namedObject("DeliveryFailure", {
  code: z.string().describe("The receiver's own code, such as NoSuchBucket or quotaExceeded, where it gave one."),
  status: z.int().optional().describe("The HTTP status of its answer."),
  message: z.string(),
});

export const Delivery = namedObject("Delivery", {
  id: Id,
  exportId: Id,
  target: z.string().optional().describe("The aspect ratio, if the export has several videos."),
  type: z.enum(destinationTypes),
  destination: z.string().optional().describe("Its name; absent for a URL without stored credentials."),
  url: z.string().optional(),
  status: z
    .enum(deliveryStatuses)
    .describe(
      "`queued`: waits for the export, for its turn, or for the next attempt. `dry_run`: it was only planned, as its order wished.",
    ),
  attempts: z.int().min(0),
  sentBytes: z.int().optional().describe("What the receiver has of the file."),
  error: DeliveryFailure.optional().describe("Why the last attempt failed."),
  result: DeliveryResult.optional().describe("Where the video is, once it is delivered."),
  plan: DeliveryPlan.optional(),
  retryAt: Timestamp.optional().describe("When the next attempt begins, if the receiver asked for a later one."),
  createdAt: Timestamp,
  endedAt: Timestamp.optional(),
});

/** The deliveries of a film; the export's have all fields. */
export const SentTo = z
  .array(
    namedObject("SentTo", {
      to: z.string().describe("The name of the destination, or the URL of the order."),
      target: z.string().optional(),
      status: z.enum(deliveryStatuses),
      url: z.string().optional().describe("Where the video is, once it is delivered."),
      error: z.string().optional().describe("Why the last attempt failed."),
    }),
  )
  .optional()
  .describe("What became of its destinations. Absent without any, in lists of films and in events.");

export const DeliveryList = namedObject("DeliveryList", { deliveries: z.array(Delivery), count: z.int() });

export const DeliveriesBody = namedObject("NewDeliveries", {
  destinations: Destinations.min(1),
  dryRun: optional(z.boolean()).describe("Answers at once what would be sent. Nothing is sent or stored."),
});
