import type { SecretBox } from "../accounts/secrets.ts";
import type { Fetcher } from "../files/fetcher.ts";
import { requireFound } from "../shared/versioned.ts";
import type { DestinationSettings, DestinationType } from "./schema.ts";

/** What may be shown of a destination: all but its credentials. Headers are shown by their names. */
export type PublicSettings = Record<string, unknown> & { readonly type: DestinationType };

/** A place of a project to which videos are sent. */
export type Destination = {
  readonly projectId: string;
  readonly name: string;
  readonly settings: PublicSettings;
  /** The credentials as JSON, encrypted. Absent after an import. */
  readonly sealed?: string;
  /** The last characters of the credential, to recognize it. */
  readonly hint?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type DestinationStore = {
  /** By name. */
  list(projectId: string): Promise<readonly Destination[]>;
  find(projectId: string, name: string): Promise<Destination | undefined>;
  /** Replaces one of that name. Undefined if the project does not exist. Throws limit_reached. */
  put(destination: Destination): Promise<Destination | undefined>;
  /** False if there is none. */
  remove(projectId: string, name: string): Promise<boolean>;
};

/** Encrypted fields of each type; the last one of them is recognized by its end. */
const secretFields: Readonly<Record<DestinationType, readonly string[]>> = {
  s3: ["secretAccessKey"],
  "webhook-upload": ["headers", "secret"],
  youtube: ["clientSecret", "refreshToken"],
};

/** Separates what may be shown from the credentials. */
export function divided(settings: DestinationSettings) {
  const isSecret = ([field]: [string, unknown]) => secretFields[settings.type].includes(field);
  const fields = Object.entries(settings).filter(([, value]) => value !== undefined);
  const secrets: Record<string, unknown> = Object.fromEntries(fields.filter(isSecret));
  const headerNames = Object.keys((secrets.headers as object | undefined) ?? {});
  const shown: PublicSettings = {
    ...Object.fromEntries(fields.filter((field) => !isSecret(field))),
    type: settings.type,
    ...(headerNames.length > 0 && { headerNames }),
  };
  const last = secrets[secretFields[settings.type].at(-1)!]; // safe because each type has one
  return { shown, secrets, hint: typeof last === "string" ? endOf(last) : undefined };
}

/** Of a short secret, its end would tell too much. */
const endOf = (secret: string): string | undefined => (secret.length >= 16 ? secret.slice(-4) : undefined);

/** A secret opens only for the destination that it was stored for. */
const ownerOf = ({ projectId, name }: Pick<Destination, "projectId" | "name">) => `${projectId}/${name}`;

/** The credentials; undefined if they are absent, or the service's own secret has changed. */
export function openSecrets(
  box: Pick<SecretBox, "open">,
  destination: Destination,
): Record<string, unknown> | undefined {
  const text = destination.sealed && box.open(destination.sealed, ownerOf(destination));
  // safe because `putDestination` sealed an object
  return text === undefined || text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>);
}

type PutPorts = {
  readonly destinations: Pick<DestinationStore, "put">;
  readonly destinationBox: Pick<SecretBox, "seal">;
  readonly fetcher: Pick<Fetcher, "resolveHost">;
};

/** Stores a destination with its credentials, or replaces the one of that name. Throws url_not_allowed, url_unreachable and limit_reached. */
export async function putDestination(
  { destinations, destinationBox, fetcher }: PutPorts,
  { projectId, name }: Pick<Destination, "projectId" | "name">,
  settings: DestinationSettings,
): Promise<Destination> {
  const url =
    settings.type === "s3" ? settings.endpoint : settings.type === "webhook-upload" ? settings.url : undefined;
  if (url !== undefined) await fetcher.resolveHost(url, { path: settings.type === "s3" ? "endpoint" : "url" });
  const { shown, secrets, hint } = divided(settings);
  const sealed = destinationBox.seal(JSON.stringify(secrets), ownerOf({ projectId, name }));
  const now = Date.now();
  const destination = {
    projectId,
    name,
    settings: shown,
    sealed,
    ...(hint && { hint }),
    createdAt: now,
    updatedAt: now,
  };
  return requireFound(await destinations.put(destination));
}

/** Without the query, in which a presigned URL has its permission. */
export function shownUrl(text: string): string {
  const { origin, pathname, search } = new URL(text);
  return `${origin}${pathname}${search === "" ? "" : "?…"}`;
}

/** Never contains a credential. */
export const destinationView = ({ name, settings, sealed, hint, createdAt, updatedAt }: Destination) => ({
  ...settings,
  ...(typeof settings.url === "string" && { url: shownUrl(settings.url) }),
  ...{ name, hasCredentials: sealed !== undefined, ...(hint !== undefined && { secretEnd: hint }) },
  ...{ createdAt, updatedAt },
});
