import { Hono } from "hono";
import { operationView, removeOperation, requireOperation } from "../../domain/operations/operations.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { requireScopes } from "../middleware/require-scopes.ts";

const pollEverySeconds = 2;

/** The requests that the caller sent with `Prefer: respond-async` to AI routes. Reading needs the request's scopes. */
export const operationRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .get("/:operationId", requireScopes(), async (c) => {
      const operation = await requireOperation(services, c.var.caller, c.req.param("operationId"));
      if (operation.state === "running") c.header("Retry-After", `${pollEverySeconds}`);
      return c.json(operationView(operation), 200);
    })
    .delete("/:operationId", requireScopes(), async (c) => {
      await removeOperation(services, await requireOperation(services, c.var.caller, c.req.param("operationId")));
      return c.body(null, 204);
    });
