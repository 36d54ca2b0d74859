import { Hono } from "hono";
import { describeRoute } from "hono-openapi";
import type { Services } from "../../domain/services.ts";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";

export const healthRoutes = ({ readiness }: Pick<Services, "readiness">) =>
  new Hono<AppEnv>()
    .get("/health", describeRoute({ description: "The process is running." }), (c) => c.json({ status: "ok" }, 200))
    .get("/ready", describeRoute({ description: "The service is ready: all its parts pass a check." }), async (c) => {
      const checks = await readiness();
      if (Object.values(checks).includes("failing")) throw new DomainError("unavailable", { checks });
      return c.json({ status: "ready", checks }, 200);
    });
