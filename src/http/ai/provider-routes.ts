import { Hono } from "hono";
import type { Services } from "../../services.ts";
import { json } from "../answers.ts";
import type { AppEnv } from "../app-env.ts";
import { requireScopes } from "../middleware/require-scopes.ts";
import { operationsOf } from "../openapi.ts";
import { Providers } from "./views.ts";

const documented = operationsOf("AI");

export const providerRoutes = ({ models }: Services) =>
  new Hono<AppEnv>().get(
    "/",
    documented(requireScopes(), {
      id: "listProviders",
      summary: "List the providers",
      about: "Returns a row for each provider and category, with its models. The first model of a row is its default.",
      answers: { 200: json(Providers, "The providers.") },
    }),
    (c) => c.json(models.providers, 200),
  );
