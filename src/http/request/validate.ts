import { zValidator } from "@hono/zod-validator";
import type { Context, MiddlewareHandler, ValidationTargets } from "hono";
import { z } from "zod";
import { issuesOf, parseInput } from "../../domain/shared/validation.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import { describeInput, describeOptionalBody } from "../openapi.ts";
import { assertSafeValues } from "../schemas/json-limits.ts";
import { parseChanges } from "../schemas/objects.ts";
import { readJsonBody, readOptionalJsonBody } from "./json-body.ts";

/** More than a person corrects at once; a hostile body can cause thousands. */
const maxReportedIssues = 100;

export function validationError(error: z.core.$ZodError): DomainError<"validation_error"> {
  return new DomainError("validation_error", { issues: issuesOf(error).slice(0, maxReportedIssues) });
}

// safe because the options only change messages; with them, zValidator's type has a response that is never sent
const options = [{ validationFunction: parseInput }] as unknown as [];

/** zValidator with this service's errors and an OpenAPI description. Checks size, depth and text before the schema. */
export const validate = <Schema extends z.ZodType, Target extends keyof ValidationTargets>(
  target: Target,
  schema: Schema,
  documented: z.ZodType = schema,
) => {
  const hook = (result: { readonly success: boolean; readonly error?: z.core.$ZodError }) => {
    if (result.error) throw validationError(result.error);
  };
  const parse = zValidator(target, schema, hook, ...options);
  const checkAndParse: MiddlewareHandler = async (c, next) => {
    if (target === "json") return addJson(c, parseInput(schema, await readJsonBody(c)), next);
    if (target === "query") assertSafeValues(c.req.queries());
    return parse(c, next);
  };
  // safe because the wrapper only adds checks in front; the validator's types carry the typed client
  return describeInput(checkAndParse, target, documented) as typeof parse;
};

/** Sets the validated body. */
async function addJson(c: Context<AppEnv>, parsed: z.ZodSafeParseResult<unknown>, next: () => Promise<void>) {
  if (!parsed.success) throw validationError(parsed.error);
  // safe because a body's schema gives an object, or what the handler takes
  c.req.addValidatedData("json", parsed.data as object);
  await next();
}

type Fields = { readonly [field: string]: unknown };

/**
 * For the JSON body of a PUT, after the resource was loaded. A field may be as large as the stored one, even beyond its
 * limit: `shown` returns the resource as callers read it, `stored` the part that is stored.
 */
export function validateChanges<Schema extends z.ZodType>(
  schema: Schema,
  shown: (c: Context<AppEnv>) => object,
  stored: (fields: Fields) => Fields = (fields) => fields,
) {
  const parse: MiddlewareHandler<AppEnv> = async (c, next) => {
    const resource = () => ({ ...shown(c) });
    const body = await readJsonBody(c, { shown: resource, stored });
    return addJson(
      c,
      parseChanges(resource, () => parseInput(schema, body)),
      next,
    );
  };
  // safe because the handler finds the output in the same place as that of `validate`
  return describeInput(parse, "json", schema) as ReturnType<typeof validate<Schema, "json">>;
}

/** For a route that validates its body itself: accepts any JSON, and is documented as `schema`. */
export const unvalidatedJson = <Schema extends z.ZodType>(schema: Schema) =>
  // safe because the input type only guides typed clients
  validate("json", z.unknown() as unknown as z.ZodType<unknown, z.input<Schema>>, schema);

/** For an optional JSON body; an absent one counts as `{}`. */
export function validateOptionalJson<Schema extends z.ZodType>(schema: Schema) {
  const parse = validate("json", schema);
  const readAndParse: MiddlewareHandler = async (c, next) => {
    await readOptionalJsonBody(c);
    return parse(c, next);
  };
  type Input = { in: { json?: z.input<Schema> }; out: { json: z.output<Schema> } };
  // safe because `parse` sets the valid body; the type lets typed clients leave it out
  return describeOptionalBody(readAndParse, schema) as MiddlewareHandler<AppEnv, string, Input>;
}
