import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { AsyncExportRequest, WorkReference } from "../../domain/exports/request/schema.ts";
import { validateExport, validateWithoutWork } from "../../domain/exports/request/validation/validate.ts";
import type { Services } from "../../services.ts";
import { json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { operationsOf } from "../openapi.ts";
import { readJsonBody } from "../request/json-body.ts";
import { unvalidatedJson } from "../request/validate.ts";
import { loadWorkInBody, requireExportScopes } from "./access.ts";
import { ValidationReport } from "./views.ts";

const documented = operationsOf("Exports");

/** Validates a body without a work here: there is no access to check. */
const validateUnlessWork = createMiddleware<AppEnv>(async (c, next) => {
  const body = await readJsonBody(c);
  if (!WorkReference.safeParse(body).success) return c.json(validateWithoutWork(body), 200);
  await next();
});

/** POST /api/export/validate: a dry run of an export. */
export const exportValidationRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/validate",
    documented(requireExportScopes(), {
      id: "validateExport",
      summary: "Validate an export",
      about:
        "Reports all errors and warnings of a request together, and estimates its time and size. Renders nothing; a request that would fail gets 200 too.",
      answers: { 200: json(ValidationReport, "The report.") },
      errors: ["not_found"],
    }),
    unvalidatedJson(AsyncExportRequest),
    validateUnlessWork,
    loadWorkInBody(services),
    async (c) => c.json(await validateExport(services, c.var.caller, c.var.work, c.req.valid("json")), 200),
  );
