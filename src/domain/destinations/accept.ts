import { invalid } from "../../errors.ts";
import { sha256Of, withoutUndefined } from "../../platform/values.ts";
import type { SecretBox } from "../accounts/secrets.ts";
import type { Fetcher } from "../files/fetcher.ts";
import { newId } from "../shared/ids.ts";
import type { Delivery, DeliveryWishes } from "./deliveries.ts";
import type { DestinationStore, PublicSettings } from "./destinations.ts";
import type { DestinationRequest } from "./schema.ts";

/** A destination of an order, checked, with its own credentials encrypted. */
export type AcceptedDestination = Pick<
  Delivery,
  "type" | "destination" | "wishes" | "requireGate" | "dryRun" | "sealed"
>;

export type AcceptDestinationsPorts = {
  readonly destinations: Pick<DestinationStore, "find">;
  readonly destinationBox: Pick<SecretBox, "seal">;
  readonly fetcher: Pick<Fetcher, "resolveHost">;
};

/** Replaced in keys, titles and descriptions. */
const variables = [
  "exportId",
  "target",
  "name",
  "fileName",
  "filmId",
  "batchId",
  "projectId",
  "workId",
  "extension",
] as const;
type Variable = (typeof variables)[number];

/** Two pairs of braces are a column of a table. */
const variable = /(?<!\{)\{(\w+)\}(?!\})/g;

/**
 * Checks the destinations of an order: that those of the project exist, and that URLs may be reached. Throws
 * validation_error, url_not_allowed and url_unreachable.
 */
export async function acceptDestinations(
  { destinations, destinationBox, fetcher }: AcceptDestinationsPorts,
  projectId: string,
  requests: readonly DestinationRequest[],
  targets: readonly string[] = [],
): Promise<readonly AcceptedDestination[]> {
  const accepted: AcceptedDestination[] = [];
  for (const [at, request] of requests.entries()) {
    const path = `destinations.${at}`;
    const { type, name, requireGate = false, dryRun = false, ...fields } = request;
    const { headers, secret, ...own } = { headers: undefined, secret: undefined, ...fields };
    let wishes: DeliveryWishes = withoutUndefined(own);
    if (name !== undefined) {
      const found = await destinations.find(projectId, name);
      if (found?.settings.type !== type) {
        throw invalid(`${path}.name`, `Must name a destination of the project with the type ${type}.`);
      }
      if (found.sealed === undefined) throw invalid(`${path}.name`, "Has no credentials: store it again with them.");
      if (type === "youtube") wishes = { title: "{name}", ...videoDefaults(found.settings), ...wishes };
    }
    if (wishes.url !== undefined) await fetcher.resolveHost(wishes.url, { path: `${path}.url` });
    requireVariables(wishes, path, targets);
    const secrets = withoutUndefined({ headers, secret });
    accepted.push({
      ...{ type, ...(name !== undefined && { destination: name }), wishes, requireGate, dryRun },
      ...(Object.keys(secrets).length > 0 && { sealed: destinationBox.seal(JSON.stringify(secrets), projectId) }),
    });
  }
  const places = accepted.map(({ type, destination, wishes }) =>
    [type, destination, wishes.url, wishes.key].join("\n"),
  );
  const repeated = places.findIndex((place, at) => places.indexOf(place) < at);
  if (repeated >= 0) throw invalid(`destinations.${repeated}`, "Must not send the same video to one place twice.");
  return accepted;
}

const videoDefaults = ({
  title,
  description,
  tags,
  privacy,
  madeForKids,
  categoryId,
}: PublicSettings): DeliveryWishes =>
  // safe because the settings were checked when the destination was stored
  withoutUndefined({ title, description, tags, privacy, madeForKids, categoryId }) as DeliveryWishes;

function requireVariables(wishes: DeliveryWishes, path: string, targets: readonly string[]): void {
  for (const field of ["key", "title", "description"] as const) {
    for (const [, found = ""] of (wishes[field] ?? "").matchAll(variable)) {
      if (variables.some((name) => name === found)) continue;
      throw invalid(`${path}.${field}`, `Must not contain {${found}}: the variables are ${variables.join(", ")}.`);
    }
  }
  const { key = "{target}" } = wishes;
  if (/(?:^|\/)\.{0,2}(?:\/|$)/.test(key)) throw invalid(`${path}.key`, "Must not have an empty part, . or ..");
  const isDistinct = /\{(?:target|fileName)\}/.test(key);
  if (targets.length > 1 && !isDistinct)
    throw invalid(`${path}.key`, "Must contain {target}: there are several videos.");
}

/** A finished video, or one to come, and the order that it is of. */
export type NamedVideo = {
  readonly exportId: string;
  readonly userId: string;
  readonly projectId: string;
  readonly workId: string;
  readonly filmId?: string | undefined;
  readonly batchId?: string | undefined;
  /** Of the work. */
  readonly name: string;
  /** Without its extension. */
  readonly fileName: string;
  readonly extension: string;
  readonly target: string;
  /** True if the export has other targets, too. */
  readonly isOneOfSeveral: boolean;
};

/** One delivery for each destination. */
export function deliveriesOf(
  accepted: readonly AcceptedDestination[],
  video: NamedVideo,
  now = Date.now(),
): readonly Delivery[] {
  const { exportId, userId, projectId, target } = video;
  return accepted.map((destination): Delivery => {
    const wishes = filled(destination, video);
    const address = sha256Of([destination.type, destination.destination, wishes.url, wishes.key].join("\n"));
    return {
      ...destination,
      ...{ id: newId("delivery"), exportId, userId, projectId, target, wishes, address },
      ...{ status: "queued", attempt: 0, progress: {}, createdAt: now },
    };
  });
}

function filled({ type, wishes }: AcceptedDestination, video: NamedVideo): DeliveryWishes {
  const values: Readonly<Record<Variable, string>> = {
    ...{ filmId: "", batchId: "", ...withoutUndefined(video) },
    target: (video.target === "" ? "video" : video.target).replace(":", "x"),
  };
  const fill = (text: string, clean = (value: string) => value) =>
    // a cell of a table may contain what looks like a variable
    text.replace(variable, (match, name: Variable) => (Object.hasOwn(values, name) ? clean(values[name]) : match));
  const key = type === "s3" ? safeKey(fill(wishes.key ?? defaultKey(video), inKey)) : undefined;
  return withoutUndefined({
    ...wishes,
    key,
    title: wishes.title && fill(wishes.title),
    description: wishes.description && fill(wishes.description),
  });
}

/** S3 allows 1,024 bytes. */
const maxKeyCharacters = 900;

function defaultKey({ batchId, isOneOfSeveral }: NamedVideo): string {
  if (batchId !== undefined) return "{batchId}/{fileName}.{extension}";
  return isOneOfSeveral ? "{exportId}_{target}.{extension}" : "{exportId}.{extension}";
}

/** A name is one part of a key. */
const inKey = (value: string): string => value.replace(/[/\\]/g, "_");

/** URLs drop the parts . and .., also those of cells. */
const safeKey = (key: string): string =>
  key
    .replace(/\p{Cc}/gu, "_")
    .slice(0, maxKeyCharacters)
    .toWellFormed()
    .split("/")
    .map((part) => (/^\.{0,2}$/.test(part) ? "_" : part))
    .join("/");

/** True if the export has to check its videos. */
export const requiresGate = (requests: readonly { readonly requireGate?: boolean | undefined }[] = []): boolean =>
  requests.some(({ requireGate }) => requireGate === true);
