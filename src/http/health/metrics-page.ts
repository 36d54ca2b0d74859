import { createHash, timingSafeEqual } from "node:crypto";
import { type Context, Hono } from "hono";
import { DomainError } from "../../errors.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import { errorHandler } from "../response/error-response.ts";
import { notFoundHandler } from "../response/not-found.ts";
import { healthRoutes } from "./routes.ts";

export type MetricsPage = { text(): Promise<string>; readonly contentType: string };

const send = async (c: Context, { text, contentType }: MetricsPage) =>
  c.body(await text(), 200, { "Content-Type": contentType });

/** Throws unauthenticated or invalid_token. */
function requireToken(c: Context, token: string): void {
  const header = c.req.header("authorization");
  if (header === undefined) throw new DomainError("unauthenticated", {});
  if (!timingSafeEqual(digest(header), digest(`Bearer ${token}`))) throw new DomainError("invalid_token", {});
}

/** Hashes give both texts the same length for the comparison. */
const digest = (text: string) => createHash("sha256").update(text).digest();

/** GET / for callers with the token. */
export const metricsRoutes = (page: MetricsPage, token: string) =>
  new Hono<AppEnv>().get("/", (c) => {
    requireToken(c, token);
    return send(c, page);
  });

/** A separate listener for the operators' network: metrics and the state of this process. */
export function operatorsApp(services: Pick<Services, "readiness">, page: MetricsPage) {
  const app = new Hono<AppEnv>()
    .onError(errorHandler)
    .use((c, next) => {
      c.set("requestId", crypto.randomUUID());
      return next();
    })
    .get("/metrics", (c) => send(c, page))
    .route("/api", healthRoutes(services));
  return app.notFound(notFoundHandler(app));
}
