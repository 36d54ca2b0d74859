import { rmSync } from "node:fs";
import { Hono } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import { healthRoutes } from "../http/health/routes.ts";
import { errorHandler } from "../http/response/error-response.ts";
import type { Services } from "../services.ts";

/** Answers GET /api/health and /api/ready at a Unix socket, for workers, which have no port. */
export function serveHealth(socketPath: string, services: Pick<Services, "readiness">): void {
  const app = new Hono<AppEnv>().onError(errorHandler).route("/api", healthRoutes(services));
  // a killed process leaves its socket
  rmSync(socketPath, { force: true });
  Bun.serve({ unix: socketPath, fetch: app.fetch, development: false });
}
