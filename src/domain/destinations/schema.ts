import { z } from "zod";
import { WebhookSecret } from "../exports/webhooks/schema.ts";
import { named, namedObject, optional } from "../shared/schemas.ts";

export const destinationTypes = ["s3", "webhook-upload", "youtube"] as const;
export type DestinationType = (typeof destinationTypes)[number];

export const DestinationName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "Must be 1 to 40 small letters, digits and hyphens.");

const Url = z.string().max(2048);
const Credential = z.string().min(1).max(4096);
const Method = z.enum(["POST", "PUT"]);

/** Headers that the service sets itself, or that would change how the request is framed. */
const ownHeaders =
  /^(?:host|connection|content-.*|transfer-encoding|expect|te|trailer|upgrade|webhook-.*|idempotency-key)$/i;

const Headers = z
  .record(
    z.string().regex(/^[A-Za-z0-9-]{1,100}$/, "Must be a name of letters, digits and hyphens."),
    z.string().regex(/^[\x20-\x7e]{1,4096}$/, "Must be printable ASCII."),
  )
  .refine((headers) => Object.keys(headers).length <= 20, "Must have at most 20 headers.")
  .refine((headers) => !Object.keys(headers).some((name) => ownHeaders.test(name)), {
    message: "Must not have a header that the service sets itself.",
  });

const Key = z.string().trim().min(1).max(900);

/** YouTube's own limits. */
const Title = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^<>]*$/, "Must not contain < or >.");
const Description = z
  .string()
  .regex(/^[^<>]*$/, "Must not contain < or >.")
  .refine((text) => Buffer.byteLength(text) <= 5000, "Must have at most 5,000 bytes.");
/** Each tag with a space counts its quotation marks. */
const Tags = z
  .array(
    z
      .string()
      .trim()
      .min(1)
      .max(100)
      .regex(/^[^<>,]*$/, "Must not contain <, > or a comma."),
  )
  .max(100)
  .refine((tags) => tags.reduce((sum, tag) => sum + tag.length + (tag.includes(" ") ? 3 : 1), -1) <= 500, {
    message: "Must have at most 500 characters together.",
  });

export const privacies = ["private", "unlisted", "public"] as const;

/** What YouTube shows of a video. */
const videoFields = {
  title: optional(Title).describe("By default, the name of the work. `{name}` and the other variables are filled in."),
  description: optional(Description),
  tags: optional(Tags),
  privacy: optional(z.enum(privacies)).describe("`private` by default."),
  madeForKids: optional(z.boolean()).describe("False by default."),
  categoryId: optional(z.string().regex(/^\d{1,3}$/)).describe("YouTube's number of a category."),
};

const S3Settings = namedObject("S3DestinationSettings", {
  type: z.literal("s3"),
  endpoint: optional(Url).describe("The address of the store, without the bucket; by default, Amazon's in the region."),
  region: optional(z.string().regex(/^[a-z0-9-]{1,50}$/)).describe("`us-east-1` by default."),
  bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "Must be the name of a bucket."),
  prefix: optional(z.string().max(200)).describe("Before all keys, such as `films/`."),
  accessKeyId: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  secretAccessKey: Credential,
  forcePathStyle: optional(z.boolean()).describe(
    "Names the bucket in the path of URLs: by default for any `endpoint`, and not for Amazon's.",
  ),
});

const UploadSettings = namedObject("WebhookUploadDestinationSettings", {
  type: z.literal("webhook-upload"),
  url: Url.describe("The address that receives the file as the body of a request."),
  method: optional(Method).describe("`POST` by default."),
  headers: optional(Headers).describe("Such as Authorization. Their values are kept encrypted and never shown."),
  secret: optional(WebhookSecret),
});

const YoutubeSettings = namedObject("YoutubeDestinationSettings", {
  type: z.literal("youtube"),
  clientId: z.string().regex(/^[\x21-\x7e]{1,300}$/),
  clientSecret: Credential,
  refreshToken: Credential.describe("Of a grant with the scope `https://www.googleapis.com/auth/youtube.upload`."),
  ...videoFields,
});

const noType = { error: `Must have a type: ${destinationTypes.join(", ")}.` };

/** The stored half of a destination: where it is, and its credentials. */
export const DestinationSettings = named(
  "NewDestination",
  z.discriminatedUnion("type", [S3Settings, UploadSettings, YoutubeSettings], noType),
);
export type DestinationSettings = z.output<typeof DestinationSettings>;

const sendFields = {
  requireGate: optional(z.boolean()).describe(
    "Sends the video only if it passed the gate. The export checks it, if the request does not already.",
  ),
  dryRun: optional(z.boolean()).describe("Sends nothing: the delivery then says what would have been sent."),
};

const stored = DestinationName.describe("The name of a destination of the project.");

/** The half of a destination that an order has: what becomes of its videos there. */
export const DestinationRequest = named(
  "DestinationRequest",
  z.discriminatedUnion(
    "type",
    [
      namedObject("S3Destination", {
        type: z.literal("s3"),
        name: stored,
        key: optional(Key).describe(
          "The key after the destination's prefix. `{exportId}`, `{target}` (as 9x16), `{name}`, `{fileName}`, `{filmId}`, `{batchId}`, `{projectId}`, `{workId}` and `{extension}` are filled in. By default `{exportId}.{extension}`, with several targets `{exportId}_{target}.{extension}`, in a batch `{batchId}/{fileName}.{extension}`.",
        ),
        ...sendFields,
      }),
      named(
        "WebhookUploadDestination",
        z
          .object({
            type: z.literal("webhook-upload"),
            name: optional(stored),
            url: optional(Url).describe("Instead of a name: a destination without stored credentials."),
            method: optional(Method).describe("`POST` by default."),
            headers: optional(Headers).describe("Beside a url. Their values are kept encrypted."),
            secret: optional(WebhookSecret),
            ...sendFields,
          })
          .refine(({ name, url }) => (name === undefined) !== (url === undefined), {
            message: "Must have a name or a url, and not both.",
          })
          .refine(({ name, method, headers, secret }) => name === undefined || !(method ?? headers ?? secret), {
            message: "Must have method, headers and secret only beside a url: those of a name are stored with it.",
          }),
      ),
      namedObject("YoutubeDestination", {
        type: z.literal("youtube"),
        name: stored,
        ...videoFields,
        containsSyntheticMedia: optional(z.boolean()).describe(
          "YouTube's flag for altered or synthetic content. By default true if a trained model made a part of the film.",
        ),
        notifySubscribers: optional(z.boolean()).describe("True by default, as at YouTube."),
        ...sendFields,
      }),
    ],
    noType,
  ),
);
export type DestinationRequest = z.output<typeof DestinationRequest>;

type Optional<Value> = Value | null | undefined;

export interface SentInput {
  requireGate?: Optional<boolean>;
  dryRun?: Optional<boolean>;
}

export interface S3DestinationInput extends SentInput {
  type: "s3";
  name: string;
  key?: Optional<string>;
}

export interface WebhookUploadDestinationInput extends SentInput {
  type: "webhook-upload";
  name?: Optional<string>;
  url?: Optional<string>;
  method?: Optional<"POST" | "PUT">;
  headers?: Optional<Record<string, string>>;
  secret?: Optional<string>;
}

export interface YoutubeDestinationInput extends SentInput {
  type: "youtube";
  name: string;
  title?: Optional<string>;
  description?: Optional<string>;
  tags?: Optional<string[]>;
  privacy?: Optional<(typeof privacies)[number]>;
  madeForKids?: Optional<boolean>;
  categoryId?: Optional<string>;
  containsSyntheticMedia?: Optional<boolean>;
  notifySubscribers?: Optional<boolean>;
}

/** Written out: an inferred type would be repeated in those of the client wherever a request has destinations. */
export type DestinationInput = S3DestinationInput | WebhookUploadDestinationInput | YoutubeDestinationInput;

const Destination: z.ZodType<DestinationRequest, DestinationInput> = DestinationRequest;

export const maxDestinations = 5;

export const Destinations = z
  .array(Destination)
  .max(maxDestinations)
  .describe(
    `Where each finished video is sent, at most ${maxDestinations}. GET …/deliveries of the export says how that went.`,
  );
