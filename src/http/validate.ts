import { zValidator } from "@hono/zod-validator";
import type { MiddlewareHandler, ValidationTargets } from "hono";
import type { z } from "zod";
import { DomainError } from "../errors.ts";
import { admitJson } from "./json-body.ts";

/** zValidator with this service's errors: a JSON body is first admitted (type, size, depth, strings), then parsed. */
export const validate = <Schema extends z.ZodType, Target extends keyof ValidationTargets>(
  target: Target,
  schema: Schema,
) => {
  const parse = zValidator(target, schema, (result) => {
    if (result.success) return;
    const issues = result.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
    throw new DomainError("validation_error", { issues });
  });
  const admitted: MiddlewareHandler = async (c, next) => {
    if (target === "json") await admitJson(c);
    return parse(c, next);
  };
  // safe because the wrapper only adds checks in front; the validator's types carry the typed client
  return admitted as typeof parse;
};
