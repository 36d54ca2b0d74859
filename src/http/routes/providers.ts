import { Hono } from "hono";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { requireScopes } from "../middleware/require-scopes.ts";

export const providerRoutes = ({ models }: Services) =>
  new Hono<AppEnv>().get("/", requireScopes(), (c) => c.json(models.providers, 200));
