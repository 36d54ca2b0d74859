import type { MiddlewareHandler } from "hono";
import type { ValidationTargets } from "hono/types";
import { type DescribeRouteOptions, resolver, uniqueSymbol } from "hono-openapi";
import type { z } from "zod";

/** Attaches a middleware's part of the OpenAPI document where hono-openapi's generator looks for it. */
export const describeMiddleware = <Handler extends MiddlewareHandler>(
  handler: Handler,
  spec: DescribeRouteOptions,
): Handler => Object.assign(handler, { [uniqueSymbol]: { spec } });

/** Attaches the schema of a body, query or header, in the form that callers send. */
export const describeInput = <Handler extends MiddlewareHandler>(
  handler: Handler,
  target: keyof ValidationTargets,
  schema: z.ZodType,
): Handler => Object.assign(handler, { [uniqueSymbol]: { target, ...resolver(schema, { io: "input" }) } });
