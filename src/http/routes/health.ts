import { Hono } from "hono";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";

/** `health` tells that the process lives, `ready` that it can serve. */
export const healthRoutes = ({ database }: Pick<Services, "database">) =>
  new Hono<AppEnv>()
    .get("/health", (c) => c.json({ status: "ok" }, 200))
    .get("/ready", async (c) => {
      await database.ping();
      return c.json({ status: "ready" }, 200);
    });
