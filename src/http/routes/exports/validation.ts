import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { AsyncExportRequest, WorkReference } from "../../../domain/exports/schema.ts";
import { validateExport, validateWithoutWork } from "../../../domain/exports/validation/validate.ts";
import type { Services } from "../../../domain/services.ts";
import type { AppEnv } from "../../app-env.ts";
import { validate } from "../../request/validate.ts";
import { unvalidated } from "../../schemas/objects.ts";
import { loadWorkInBody, requireExportScopes } from "./access.ts";

const AnyBody = unvalidated(AsyncExportRequest);

/** A body that identifies no work is validated here: no access to a work needs to be checked. */
const validateUnlessWork = createMiddleware<AppEnv>(async (c, next) => {
  const body = await c.req.json();
  if (!WorkReference.safeParse(body).success) return c.json(validateWithoutWork(body), 200);
  await next();
});

/** POST /api/export/validate: a dry run of an export. */
export const exportValidationRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/validate",
    requireExportScopes(),
    validate("json", AnyBody),
    validateUnlessWork,
    loadWorkInBody(services),
    async (c) => c.json(await validateExport(services, c.var.caller, c.var.work, c.req.valid("json")), 200),
  );
