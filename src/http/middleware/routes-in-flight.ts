import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import type { AppEnv } from "../app-env.ts";

type RoutedRequest = { readonly route: string; readonly startedAt: number; endedAt: number };

const running = new Set<RoutedRequest>();
/** The latest: one that blocked the thread may have ended before anything could notice. */
const ended: RoutedRequest[] = [];
const maxEnded = 20;

/** Remembers the method and the pattern of the route while a request is in flight, for all apps of this process. */
export const trackRoute = createMiddleware<AppEnv>(async (c, next) => {
  const route = `${c.req.method} ${routePath(c, -1)}`;
  const request: RoutedRequest = { route, startedAt: performance.now(), endedAt: Number.POSITIVE_INFINITY };
  running.add(request);
  try {
    await next();
  } finally {
    request.endedAt = performance.now();
    running.delete(request);
    ended.push(request);
    if (ended.length > maxEnded) ended.shift();
  }
});

const maxRoutes = 5;

/** Two times of `performance.now()`. Requests that began before `since` do not count. */
type Period = { readonly from: number; readonly to: number; readonly since?: number };

/** The routes that were in flight for at least `milliseconds` of a period: at most five, those of the newest first. */
export function routesDuring({ from, to, since = 0 }: Period, milliseconds: number): readonly string[] {
  const during = ({ startedAt, endedAt }: RoutedRequest) => Math.min(endedAt, to) - Math.max(startedAt, from);
  const counted = [...running, ...ended].filter(({ startedAt }) => startedAt >= since);
  const found = counted.filter((request) => during(request) >= milliseconds);
  const newestFirst = found.toSorted((a, b) => b.startedAt - a.startedAt).map(({ route }) => route);
  return [...new Set(newestFirst)].slice(0, maxRoutes);
}
