import type { Context } from "hono";
import { requireExport, requireExportState } from "../../domain/exports/lifecycle/jobs.ts";
import { WorkReference } from "../../domain/exports/request/schema.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import { loadWorkFrom } from "../middleware/load-resource.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { readJsonBody } from "../request/json-body.ts";

/** Requires the scopes for the media of a work and the assets of its project, which an export reads. */
export const requireExportScopes = () => requireScopes("works:read", "projects:read");

/** Runs after `validate("json", WorkReference)`: loads the work in the body before the rest is validated. */
export const loadWorkInBody = (services: Pick<Services, "projects" | "works">) =>
  loadWorkFrom(services, async (c) => WorkReference.parse(await readJsonBody(c)));

/** Loads the caller's own export by the id in the path; throws not_found. */
export const requireOwnExport = (exports: Services["exports"], c: Context<AppEnv>) =>
  requireExport(exports, c.var.caller.user.id, c.req.param("exportId") ?? "");

/** Like `requireOwnExport`, for routes that need only the state. */
export const requireOwnState = (exports: Services["exports"], c: Context<AppEnv>) =>
  requireExportState(exports, c.var.caller.user.id, c.req.param("exportId") ?? "");
