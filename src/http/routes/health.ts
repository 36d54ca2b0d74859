import { Hono } from "hono";
import { describeRoute } from "hono-openapi";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";

export const healthRoutes = ({ database }: Pick<Services, "database">) =>
  new Hono<AppEnv>()
    .get("/health", describeRoute({ description: "The process is running." }), (c) => c.json({ status: "ok" }, 200))
    .get("/ready", describeRoute({ description: "The service is ready: its database responds." }), async (c) => {
      await database.ping();
      return c.json({ status: "ready" }, 200);
    });
