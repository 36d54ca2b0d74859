import { Hono } from "hono";
import { operationView, removeOperation, requireOperation } from "../../domain/operations/operations.ts";
import type { Services } from "../../services.ts";
import { json, noContent } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { Operation } from "./views.ts";

const documented = operationsOf("Operations");

const pollEverySeconds = 2;

/** The requests that the caller sent with `Prefer: respond-async` to AI routes. Reading needs the request's scopes. */
export const operationRoutes = (services: Services) =>
  new Hono<AppEnv>()
    .get(
      "/:operationId",
      documented(requireScopes(), {
        id: "getOperation",
        summary: "Read an operation",
        about:
          "Returns the state of a request that was sent with Prefer: respond-async, and its response once it has ended. Needs the scopes of that request; the response is kept for 24 hours.",
        answers: { 200: json(Operation, "The operation.", ["Retry-After"]) },
        errors: ["not_found", "insufficient_scope"],
      }),
      async (c) => {
        const operation = await requireOperation(services, c.var.caller, c.req.param("operationId"));
        if (operation.state === "running") c.header("Retry-After", `${pollEverySeconds}`);
        return c.json(operationView(operation), 200);
      },
    )
    .delete(
      "/:operationId",
      documented(requireScopes(), {
        id: "deleteOperation",
        summary: "Cancel or delete an operation",
        about: "Cancels the request if it still runs, and removes its response.",
        answers: noContent("The operation is deleted."),
        errors: ["not_found", "insufficient_scope"],
      }),
      async (c) => {
        await removeOperation(services, await requireOperation(services, c.var.caller, c.req.param("operationId")));
        return c.body(null, 204);
      },
    );
