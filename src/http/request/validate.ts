import { zValidator } from "@hono/zod-validator";
import type { MiddlewareHandler, ValidationTargets } from "hono";
import type { z } from "zod";
import { DomainError } from "../../errors.ts";
import { documentedInput } from "../response/doc.ts";
import { admitJson } from "./json-body.ts";
import { requireSaneValue } from "./json-limits.ts";

/** More than a person mends at once; a hostile body can hold thousands. */
const maxToldIssues = 100;

/** A schema's refusal as this service tells it. */
export function notValid({ issues }: z.core.$ZodError): DomainError<"validation_error"> {
  const told = issues.slice(0, maxToldIssues).map(({ path, message }) => ({ path: path.join("."), message }));
  return new DomainError("validation_error", { issues: told });
}

/** zValidator with this service's errors: what no schema should have to look at is refused first; then it is parsed. */
export const validate = <Schema extends z.ZodType, Target extends keyof ValidationTargets>(
  target: Target,
  schema: Schema,
) => {
  const parse = zValidator(target, schema, (result) => {
    if (!result.success) throw notValid(result.error);
  });
  const admitted: MiddlewareHandler = async (c, next) => {
    if (target === "json") await admitJson(c);
    if (target === "query") requireSaneValue(c.req.queries());
    return parse(c, next);
  };
  // safe because the wrapper only adds checks in front; the validator's types carry the typed client
  return documentedInput(admitted, target, schema) as typeof parse;
};
