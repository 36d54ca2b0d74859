import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import type { AppEnv } from "../app-env.ts";

type RunningRequest = { readonly context: Context; readonly startedAt: number };
type EndedRequest = { readonly route: string; readonly startedAt: number; readonly endedAt: number };

const running = new Set<RunningRequest>();
/** The most recent ones: a request that blocked the thread may have ended before anything noticed. */
const ended: EndedRequest[] = [];
const maxEnded = 20;
/** Shorter requests blocked nothing: their route is not looked up. */
const minMilliseconds = 10;

/** Remembers the method and the pattern of the route while a request is in flight, for all apps of this process. */
export const trackRoute = createMiddleware<AppEnv>(async (c, next) => {
  const request = { context: c, startedAt: performance.now() };
  running.add(request);
  try {
    await next();
  } finally {
    running.delete(request);
    remember(request, performance.now());
  }
});

function remember({ context, startedAt }: RunningRequest, endedAt: number): void {
  if (endedAt - startedAt < minMilliseconds) return;
  ended.push({ route: routeOf(context), startedAt, endedAt });
  if (ended.length > maxEnded) ended.shift();
}

const routeOf = (context: Context): string => `${context.req.method} ${routePath(context, -1)}`;

const maxRoutes = 5;

/** Two times of `performance.now()`. Requests that began before `since` do not count. */
type Period = { readonly from: number; readonly to: number; readonly since?: number };

/** The routes in flight for at least `milliseconds` (10 or more) of a period: at most five, newest first. */
export function routesDuring({ from, to, since = 0 }: Period, milliseconds: number): readonly string[] {
  const during = ({ startedAt, endedAt }: EndedRequest) => Math.min(endedAt, to) - Math.max(startedAt, from);
  const untilNow = [...running].map(({ context, startedAt }) => ({ route: routeOf(context), startedAt, endedAt: to }));
  const counted = [...untilNow, ...ended].filter(({ startedAt }) => startedAt >= since);
  const found = counted.filter((request) => during(request) >= milliseconds);
  const newestFirst = found.toSorted((a, b) => b.startedAt - a.startedAt).map(({ route }) => route);
  return [...new Set(newestFirst)].slice(0, maxRoutes);
}
