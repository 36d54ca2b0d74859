import { zValidator } from "@hono/zod-validator";
import type { MiddlewareHandler, ValidationTargets } from "hono";
import type { z } from "zod";
import { DomainError } from "../../errors.ts";
import { describeInput } from "../openapi.ts";
import { assertSafeJson } from "../schemas/json-limits.ts";
import { readJsonBody } from "./json-body.ts";

/** A person corrects fewer at once, and a hostile body can cause thousands. */
const maxReportedIssues = 100;

/** Converts a zod error. */
export function validationError({ issues }: z.core.$ZodError): DomainError<"validation_error"> {
  const reported = issues.slice(0, maxReportedIssues).map(({ path, message }) => ({ path: path.join("."), message }));
  return new DomainError("validation_error", { issues: reported });
}

/** zValidator with this service's errors and an OpenAPI description. Checks size, depth and text before the schema. */
export const validate = <Schema extends z.ZodType, Target extends keyof ValidationTargets>(
  target: Target,
  schema: Schema,
) => {
  const parse = zValidator(target, schema, (result) => {
    if (!result.success) throw validationError(result.error);
  });
  const checkAndParse: MiddlewareHandler = async (c, next) => {
    if (target === "json") await readJsonBody(c);
    if (target === "query") assertSafeJson(c.req.queries());
    return parse(c, next);
  };
  // safe because the wrapper only adds checks in front; the validator's types carry the typed client
  return describeInput(checkAndParse, target, schema) as typeof parse;
};
