import { Hono } from "hono";
import { type Delivery as DomainDelivery, deliveryView } from "../../domain/destinations/deliveries.ts";
import { destinationView, putDestination } from "../../domain/destinations/destinations.ts";
import { DestinationName, DestinationSettings } from "../../domain/destinations/schema.ts";
import { planDeliveries, requestDeliveries, retryDelivery } from "../../domain/exports/deliveries/request.ts";
import { requireFound } from "../../domain/shared/versioned.ts";
import { invalid } from "../../errors.ts";
import type { Services } from "../../services.ts";
import { json, noContent } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { clientSignal } from "../client-signal.ts";
import { requireExportScopes, requireOwnState } from "../exports/access.ts";
import { loadProject, loads } from "../middleware/load-resource.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { validate } from "../request/validate.ts";
import { DeliveriesBody, Delivery, DeliveryList, Destination, DestinationList } from "./views.ts";

/** The places of a project to which its videos are sent. */
export const destinationRoutes = (services: Services) => {
  const { destinations } = services;
  const canRead = requireScopes("projects:read");
  const canWrite = requireScopes("projects:write");
  const inProject = operationsOf("Destinations", loadProject(services));

  return new Hono<AppEnv>()
    .get(
      "/",
      inProject(canRead, {
        id: "listDestinations",
        summary: "List the destinations of a project",
        about: "Returns the destinations by name. Their credentials are never shown.",
        answers: { 200: json(DestinationList, "The destinations.") },
      }),
      async (c) => {
        const views = (await destinations.list(c.var.project.id)).map(destinationView);
        return c.json({ destinations: views, count: views.length }, 200);
      },
    )
    .get(
      "/:destination",
      inProject(canRead, {
        id: "getDestination",
        summary: "Read a destination",
        about: "Returns where a destination is. Its credentials are never shown.",
        answers: { 200: json(Destination, "The destination.") },
        errors: ["not_found"],
      }),
      async (c) => {
        const found = await destinations.find(c.var.project.id, c.req.param("destination"));
        return c.json(destinationView(requireFound(found)), 200);
      },
    )
    .put(
      "/:destination",
      inProject(canWrite, {
        id: "putDestination",
        summary: "Store a destination",
        about:
          "Stores where videos of the project can be sent, with the credentials for it, or replaces the destination of that name as a whole. Credentials are kept encrypted, never shown and never archived.",
        answers: { 200: json(Destination, "The destination.") },
        errors: ["limit_reached", "url_not_allowed", "url_unreachable"],
      }),
      validate("json", DestinationSettings),
      async (c) => {
        const name = c.req.param("destination");
        if (!DestinationName.safeParse(name).success) {
          throw invalid("destination", "Must be 1 to 40 small letters, digits and hyphens.");
        }
        const place = { projectId: c.var.project.id, name };
        return c.json(destinationView(await putDestination(services, place, c.req.valid("json"))), 200);
      },
    )
    .delete(
      "/:destination",
      inProject(canWrite, {
        id: "deleteDestination",
        summary: "Remove a destination",
        about: "Removes a destination with its credentials. Deliveries to it that have not ended fail.",
        answers: noContent("The destination is removed."),
        errors: ["not_found"],
      }),
      async (c) => {
        const isRemoved = await destinations.remove(c.var.project.id, c.req.param("destination"));
        requireFound(isRemoved || undefined);
        return c.body(null, 204);
      },
    );
};

const listOf = (deliveries: readonly DomainDelivery[]) => ({
  deliveries: deliveries.map(deliveryView),
  count: deliveries.length,
});

/** How the videos of an export get to their destinations. */
export const deliveryRoutes = (services: Services) => {
  const { exports, deliveries } = services;
  const documented = operationsOf("Destinations");
  /** Before the body is validated. */
  const loadExport = loads(async (c, next) => {
    await requireOwnState(exports, c);
    await next();
  });
  const canSend = requireScopes("works:read", "works:write", "projects:read");

  return new Hono<AppEnv>()
    .get(
      "/:exportId/deliveries",
      documented(requireExportScopes(), {
        id: "listDeliveries",
        summary: "List the deliveries of an export",
        about: "Returns for each video and destination whether it was sent, where it is, or why not.",
        answers: { 200: json(DeliveryList, "The deliveries.") },
        errors: ["not_found"],
      }),
      async (c) => {
        const { id } = await requireOwnState(exports, c);
        return c.json(listOf(await deliveries.list(id)), 200);
      },
    )
    .post(
      "/:exportId/deliveries",
      documented(canSend, {
        id: "createDeliveries",
        summary: "Send the videos of an export",
        about:
          "Sends the videos of a finished export to destinations. A video that a destination has is not sent there again; one that failed is. With dryRun, the answer says what would be sent.",
        answers: {
          200: json(DeliveryList, "What would be sent."),
          202: json(DeliveryList, "The deliveries of the export."),
        },
        errors: ["not_found", "not_ready", "url_not_allowed", "url_unreachable"],
      }),
      loadExport,
      validate("json", DeliveriesBody),
      async (c) => {
        const { destinations, dryRun } = c.req.valid("json");
        const job = await requireOwnState(exports, c);
        if (dryRun) return c.json(listOf(await planDeliveries(services, job, destinations, clientSignal(c))), 200);
        return c.json(listOf(await requestDeliveries(services, job, destinations)), 202);
      },
    )
    .post(
      "/:exportId/deliveries/:deliveryId/retry",
      documented(canSend, {
        id: "retryDelivery",
        summary: "Send a video again",
        about:
          "Begins a delivery again that has failed or waits for its next attempt, and sends one that was only planned. A video that is delivered is not sent again.",
        answers: { 202: json(Delivery, "The delivery.") },
        errors: ["not_found", "not_ready"],
      }),
      async (c) => {
        const job = await requireOwnState(exports, c);
        return c.json(deliveryView(await retryDelivery(services, job, c.req.param("deliveryId"))), 202);
      },
    );
};
