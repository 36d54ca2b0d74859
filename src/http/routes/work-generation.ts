import { Hono } from "hono";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";

export const workGenerationRoutes = (_: Services) => new Hono<AppEnv>();
