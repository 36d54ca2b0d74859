import type { Result, Router } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";

const segmentsOf = (path: string): number => path.split("/").length;

/** The length of paths that only wildcards match. */
const other = 0;

const isWildcard = (path: string): boolean => path.endsWith("*");

/**
 * Matches a path among the routes that have as many segments, by one regular expression. Hono's own choice is a tree as
 * soon as one route has a name where another has a parameter, as /assets/analyze and /assets/:id/analyze: it walks the
 * tree for each request.
 */
export class SegmentRouter<T> implements Router<T> {
  readonly name = "SegmentRouter";
  private readonly routes: (readonly [method: string, path: string, handler: T])[] = [];
  private readonly lengths = new Set<number>();
  private readonly routers = new Map<number, RegExpRouter<T>>();

  add(method: string, path: string, handler: T): void {
    this.routes.push([method, path, handler]);
    if (!isWildcard(path)) this.lengths.add(segmentsOf(path));
  }

  match(method: string, path: string): Result<T> {
    const segments = segmentsOf(path);
    const length = this.lengths.has(segments) ? segments : other;
    return (this.routers.get(length) ?? this.routerOf(length)).match(method, path);
  }

  private routerOf(length: number): RegExpRouter<T> {
    const router = new RegExpRouter<T>();
    for (const route of this.routes) {
      const [, path] = route;
      if (isWildcard(path) || segmentsOf(path) === length) router.add(...route);
    }
    this.routers.set(length, router);
    return router;
  }
}
