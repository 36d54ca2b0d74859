import type { ErrorCode, ErrorFacts, PassedBudget, Quota } from "../../errors.ts";
import { headerReferences, type ResponseHeader } from "../answers.ts";
import { statusOf } from "../response/error-status.ts";
import type { Reference, Response, Schema } from "./types.ts";

type DocumentedCode = ErrorCode | "internal";

export const errorMeanings: { readonly [Code in DocumentedCode]: string } = {
  validation_error: "A field of the body, the query or a header is missing or not what it must be.",
  id_mismatch: "An id in the body differs from the one in the path.",
  unauthenticated: "The request has no credential.",
  invalid_token: "The credential is unknown, expired or revoked.",
  invalid_credentials: "The e-mail or the password is wrong.",
  insufficient_scope: "The credential lacks a scope.",
  cross_site_request: "A login by cookie was used by a page of another site.",
  not_found: "It does not exist, or belongs to another user.",
  link_expired: "The time of the review link is over.",
  method_not_allowed: "The path has no such method.",
  email_taken: "Another user has this e-mail.",
  budget_exceeded: "The call could pass the budget of the film, the project or the user.",
  price_unknown: "There is a budget, and the model has no price.",
  limit_reached: "A limit of the user is reached.",
  not_ready: "The export, the film or the batch has not ended.",
  not_waiting: "The film does not wait for this.",
  precondition_failed: "The resource has another version than If-Match names.",
  payload_too_large: "The body is too large.",
  unsupported_media_type: "The body, or the file in it, has a type that this operation does not take.",
  range_not_satisfiable: "The range lies outside of the file.",
  gate_failed: "The video breaks a rule of a platform or of its own, and the request blocks such videos.",
  no_duration: "The work has neither a duration nor scenes with durations.",
  nothing_to_export: "There are no clips, and no scene has media.",
  scene_video_missing: "A clip's scene has neither a video nor an image.",
  asset_missing: "A file that the request names does not exist.",
  asset_wrong_type: "An asset has another type than its place needs.",
  font_unusable: "A font cannot be loaded.",
  source_unreadable: "A file cannot be decoded.",
  url_not_allowed: "The address is none that the service fetches from.",
  url_unreachable: "The address gave no usable response.",
  scene_missing: "The work has no scene with this index.",
  idempotency_mismatch: "The Idempotency-Key was used for another request.",
  request_in_progress: "The same work is already being done.",
  unknown_provider: "There is no provider with this name.",
  unsupported_capability: "The provider does not offer this category.",
  provider_key_required: "The provider needs the caller's API key.",
  provider_key_rejected: "The provider rejected the key.",
  provider_model_unavailable:
    "The provider has no such model for this key, or has ended it on `endedOn`; 502 if the model is the service's default.",
  content_refused: "The provider refused the content.",
  provider_rejected_request: "The provider rejected the request.",
  media_too_large: "The file is too large for the provider.",
  provider_rate_limited: "The provider limits the requests of the key.",
  provider_quota_exhausted: "The quota of the key is used up.",
  provider_error: "The provider failed.",
  provider_bad_response: "The provider gave no usable response.",
  provider_overloaded: "The provider is overloaded.",
  provider_timeout: "The provider did not finish in time.",
  rate_limited: "Too many requests of the user or the address.",
  busy: "Too much to do at the moment.",
  unavailable: "The database, the file storage or another part does not respond.",
  storage_full: "The disk of the service is full.",
  internal: "A fault of the service.",
};

/** What an error's body has beside its sentence, its code and the request's id. */
type Details<Code extends ErrorCode, Facts = ErrorFacts<Code>> = Facts extends { readonly required: unknown }
  ? "scopes"
  : Facts extends { readonly models: unknown }
    ? "model"
    : Facts extends { readonly issues: unknown } | { readonly path: string }
      ? "fields"
      : Facts extends { readonly budget: PassedBudget }
        ? "budget"
        : Facts extends { readonly quota: Quota }
          ? "quota"
          : "quota" extends keyof Facts
            ? "maybeQuota"
            : "checks" extends keyof Facts
              ? "maybeChecks"
              : "nothing";

type CodesWithDetails = { [Code in ErrorCode]: Details<Code> extends "nothing" ? never : Code }[ErrorCode];

const detailsOf: { readonly [Code in CodesWithDetails]: Details<Code> } = {
  validation_error: "fields",
  id_mismatch: "fields",
  insufficient_scope: "scopes",
  budget_exceeded: "budget",
  limit_reached: "quota",
  gate_failed: "fields",
  scene_video_missing: "fields",
  asset_missing: "fields",
  asset_wrong_type: "fields",
  font_unusable: "fields",
  source_unreadable: "fields",
  url_not_allowed: "fields",
  url_unreachable: "fields",
  provider_model_unavailable: "model",
  rate_limited: "maybeQuota",
  unavailable: "maybeChecks",
};

const text: Schema = { type: "string" };
const texts: Schema = { type: "array", items: text };

const closed = (properties: Record<string, Schema | Reference>, optional: readonly string[] = []) => ({
  type: "object" as const,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

type Fields = {
  readonly properties: Record<string, Schema | Reference>;
  readonly optional?: string[];
};

const quota = { details: reference("Quota") };

const fieldsByDetails: { readonly [Kind in Details<CodesWithDetails>]: Fields } = {
  fields: { properties: { details: { type: "array", items: reference("FieldError") } } },
  scopes: { properties: { required: texts, granted: texts } },
  model: { properties: { details: reference("UnavailableModel") } },
  budget: { properties: { details: reference("PassedBudget") } },
  quota: { properties: quota },
  maybeQuota: { properties: quota, optional: ["details"] },
  maybeChecks: {
    properties: { checks: { type: "object", additionalProperties: { type: "string", enum: ["ok", "failing"] } } },
    optional: ["checks"],
  },
};

const pascalCase = (code: string) => code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The name of an error's schema: `NotFoundError`. */
const errorSchemaName = (code: string): string => `${pascalCase(code.replace(/_error$/, ""))}Error`;

function errorSchema(code: DocumentedCode): Schema {
  const kind = code in detailsOf ? detailsOf[code as CodesWithDetails] : undefined;
  const { properties, optional } = kind ? fieldsByDetails[kind] : { properties: {} };
  const common = { error: { ...text, description: "One sentence for a person." }, code: { const: code } as Schema };
  return {
    description: errorMeanings[code],
    ...closed({ ...common, ...properties, requestId: text }, optional),
  };
}

export const errorSchemas = (): Record<string, Schema> => ({
  FieldError: {
    ...closed({ path: { ...text, description: "Such as clips.0.end; empty for the whole body." }, message: text }),
  },
  UnavailableModel: closed({ model: text, models: texts, endedOn: text }, ["endedOn"]),
  Quota: {
    description: "A limit of the user.",
    ...closed({
      limit: {
        type: "string",
        enum: [
          "storage_bytes",
          "waiting_exports",
          "exports_per_day",
          "projects",
          "works",
          "templates",
          "tokens",
          "reviews",
          "comments",
        ] satisfies Quota["limit"][],
      },
      used: { type: "number" },
      allowed: { type: "number" },
    }),
  },
  PassedBudget: {
    description: "A budget, what is spent and reserved of it, and what the call can cost at most.",
    ...closed({
      scope: { type: "string", enum: ["film", "project", "user"] satisfies PassedBudget["scope"][] },
      limit: text,
      spent: text,
      reserved: text,
      estimate: text,
      currency: text,
    }),
  },
  ...Object.fromEntries(
    // safe because the table has these keys
    (Object.keys(errorMeanings) as DocumentedCode[]).map((code) => [errorSchemaName(code), errorSchema(code)]),
  ),
});

const statusesOf = (code: DocumentedCode): readonly number[] => {
  if (code === "internal") return [500];
  return code === "provider_model_unavailable" ? [statusOf[code], 502] : [statusOf[code]];
};

const headersOf = (status: number): readonly ResponseHeader[] => {
  if (status === 401) return ["WWW-Authenticate"];
  if (status === 416) return ["Content-Range"];
  return [409, 429, 503].includes(status) ? ["Retry-After"] : [];
};

function errorResponse(status: number, codes: readonly DocumentedCode[]): Response {
  const references = codes.map((code) => reference(errorSchemaName(code)));
  const mapping = Object.fromEntries(codes.map((code) => [code, reference(errorSchemaName(code)).$ref]));
  const schema =
    codes.length === 1 ? references[0]! : { oneOf: references, discriminator: { propertyName: "code", mapping } };
  return {
    description: codes.map((code) => `\`${code}\`: ${errorMeanings[code]}`).join("\n\n"),
    headers: headerReferences(headersOf(status)),
    content: { "application/json": { schema } },
  };
}

/** The responses of an operation with these error codes, by status. */
export function errorResponses(codes: readonly DocumentedCode[]): Record<string, Response> {
  const pairs = [...new Set(codes)].sort().flatMap((code) => statusesOf(code).map((status) => ({ status, code })));
  const byStatus = Map.groupBy(pairs, ({ status }) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => [
      status,
      errorResponse(
        status,
        found.map(({ code }) => code),
      ),
    ]),
  );
}
