import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { ExportTarget } from "../../../domain/exports/schema.ts";
import { judgeExport, judgeNameless } from "../../../domain/exports/validation/validate.ts";
import { AsyncExportRequest } from "../../../domain/exports/webhooks/schema.ts";
import type { Services } from "../../../domain/services.ts";
import type { AppEnv } from "../../app-env.ts";
import { loadWorkNamedBy } from "../../middleware/load-resource.ts";
import { unjudged } from "../../request/schemas.ts";
import { validate } from "../../request/validate.ts";
import { mayExport, namedInBody } from "./exports.ts";

const AnyRequest = unjudged(AsyncExportRequest);

/** A request that names no work gets its answer here: nobody's work is concerned. */
const namesWork = createMiddleware<AppEnv>(async (c, next) => {
  const body = await c.req.json();
  if (!ExportTarget.safeParse(body).success) return c.json(judgeNameless(body), 200);
  await next();
});

/** What an export would come to, without making it. */
export const exportCheckRoutes = (services: Services) =>
  new Hono<AppEnv>().post(
    "/validate",
    mayExport(),
    validate("json", AnyRequest),
    namesWork,
    loadWorkNamedBy(services, namedInBody),
    async (c) => c.json(await judgeExport(services, c.var.caller, c.var.work, c.req.valid("json")), 200),
  );
