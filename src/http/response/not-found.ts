import type { Hono, NotFoundHandler } from "hono";
import { DomainError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";

type RouteTable = Pick<Hono<AppEnv>, "routes" | "router">;

/** Tells a path that is not there from a method that a path does not take, by the app's own route table. */
export const missingRoute =
  (app: RouteTable): NotFoundHandler<AppEnv> =>
  (c) => {
    const allow = methodsAt(app, c.req.path);
    if (allow.length === 0) throw new DomainError("not_found", {});
    if (c.req.method === "OPTIONS") return c.body(null, 204, { Allow: allow.join(", ") });
    throw new DomainError("method_not_allowed", { allow });
  };

function methodsAt({ routes, router }: RouteTable, path: string): readonly string[] {
  const methods = [...new Set(routes.map(({ method }) => method))].filter((method) => method !== "ALL");
  // middleware matches every method, so only a route of the method itself counts
  const taken = methods.filter((method) =>
    router.match(method, path)[0].some(([[, route]]) => route.method === method),
  );
  if (taken.length === 0) return [];
  return [...taken, ...(taken.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
}
