import { type ErrorCode, type ErrorFacts, type PassedBudget, type Quota, quotaLimits } from "../../errors.ts";
import { headerReferences, type ResponseHeader } from "../answers.ts";
import { type AnyErrorCode, httpErrors, statusOf } from "../response/error-status.ts";
import type { Reference, Response, Schema } from "./types.ts";

/** The `details` of an error's body. */
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
  mask_cycle: "fields",
  layers_too_large: "fields",
  too_many_videos: "fields",
  background_not_possible: "fields",
  gif_too_long: "fields",
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

type Fields = { readonly properties: Record<string, Schema | Reference>; readonly optional?: string[] };

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

function errorSchema(code: AnyErrorCode): Schema {
  const kind = code in detailsOf ? detailsOf[code as CodesWithDetails] : undefined;
  const { properties, optional } = kind ? fieldsByDetails[kind] : { properties: {} };
  const common = { error: { ...text, description: "One sentence for a person." }, code: { const: code } as Schema };
  return {
    description: httpErrors[code][1],
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
      limit: { type: "string", enum: quotaLimits },
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
    (Object.keys(httpErrors) as AnyErrorCode[]).map((code) => [errorSchemaName(code), errorSchema(code)]),
  ),
});

const statusesOf = (code: AnyErrorCode): readonly number[] =>
  code === "provider_model_unavailable" ? [statusOf(code), 502] : [statusOf(code)];

const headersOf = (status: number): readonly ResponseHeader[] => {
  if (status === 401) return ["WWW-Authenticate"];
  if (status === 416) return ["Content-Range"];
  return [409, 429, 503].includes(status) ? ["Retry-After"] : [];
};

function errorResponse(status: number, codes: readonly AnyErrorCode[]): Response {
  const references = codes.map((code) => reference(errorSchemaName(code)));
  const mapping = Object.fromEntries(codes.map((code) => [code, reference(errorSchemaName(code)).$ref]));
  const schema =
    codes.length === 1 ? references[0]! : { oneOf: references, discriminator: { propertyName: "code", mapping } };
  return {
    description: codes.map((code) => `\`${code}\`: ${httpErrors[code][1]}`).join("\n\n"),
    headers: headerReferences(headersOf(status)),
    content: { "application/json": { schema } },
  };
}

/** The responses of an operation with these error codes, by status. */
export function errorResponses(codes: readonly AnyErrorCode[]): Record<string, Response> {
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
