import { Hono } from "hono";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { needs } from "../middleware/require-scopes.ts";

export const providerRoutes = ({ models }: Services) =>
  new Hono<AppEnv>().get("/", needs(), (c) => c.json(models.rows, 200));
