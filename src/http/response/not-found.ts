import type { Hono, NotFoundHandler } from "hono";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";

type RouteTable = Pick<Hono<AppEnv>, "routes" | "router">;

/** Looks up the path in the app's route table: 405 with Allow if other methods match, 204 for OPTIONS, else 404. */
export const notFoundHandler =
  (app: RouteTable): NotFoundHandler<AppEnv> =>
  (c) => {
    const allow = allowedMethods(app, c.req.path);
    if (allow.length === 0) throw new DomainError("not_found", {});
    if (c.req.method === "OPTIONS") return c.body(null, 204, { Allow: allow.join(", ") });
    throw new DomainError("method_not_allowed", { allow });
  };

function allowedMethods({ routes, router }: RouteTable, path: string): readonly string[] {
  const methods = [...new Set(routes.map(({ method }) => method))].filter((method) => method !== "ALL");
  // middleware matches every method: count only routes registered for the method itself
  const matched = methods.filter((method) =>
    router.match(method, path)[0].some(([[, route]]) => route.method === method),
  );
  if (matched.length === 0) return [];
  return [...matched, ...(matched.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
}
