import type { MiddlewareHandler } from "hono";
import type { ValidationTargets } from "hono/types";
import { type DescribeRouteOptions, resolver, uniqueSymbol } from "hono-openapi";
import type { z } from "zod";

/** Hangs what a middleware asks of a request onto it, where the API page's generator looks for it. */
export const documented = <Handler extends MiddlewareHandler>(handler: Handler, spec: DescribeRouteOptions): Handler =>
  Object.assign(handler, { [uniqueSymbol]: { spec } });

export const documentedInput = <Handler extends MiddlewareHandler>(
  handler: Handler,
  target: keyof ValidationTargets,
  schema: z.ZodType,
): Handler => Object.assign(handler, { [uniqueSymbol]: { target, ...resolver(schema, { io: "input" }) } });
