import type { Context } from "hono";
import { requireExport, requireExportState } from "../../domain/exports/lifecycle/jobs.ts";
import { WorkReference } from "../../domain/exports/request/schema.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import { loadWorkFrom } from "../middleware/load-resource.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { readJsonBody } from "../request/json-body.ts";

/** An export reads the media of a work and the assets of its project. */
export const requireExportScopes = () => requireScopes("works:read", "projects:read");

/** After `validate("json", WorkReference)`: loads the work that the body identifies, before the rest is validated. */
export const loadWorkInBody = (services: Pick<Services, "projects" | "works">) =>
  loadWorkFrom(services, async (c) => WorkReference.parse(await readJsonBody(c)));

/** The caller's own export with the id in the path; throws not_found. */
export const requireOwnExport = (exports: Services["exports"], c: Context<AppEnv>) =>
  requireExport(exports, c.var.caller.user.id, c.req.param("exportId") ?? "");

/** Like `requireOwnExport`, for routes that need no more than the state. */
export const requireOwnState = (exports: Services["exports"], c: Context<AppEnv>) =>
  requireExportState(exports, c.var.caller.user.id, c.req.param("exportId") ?? "");
