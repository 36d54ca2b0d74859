import type { MiddlewareHandler } from "hono";
import type { ValidationTargets } from "hono/types";
import { type DescribeRouteOptions, uniqueSymbol } from "hono-openapi";
import type { z } from "zod";
import type { ErrorCode } from "../errors.ts";
import { type Answers, schemaFor } from "./answers.ts";
import type { AppEnv } from "./app-env.ts";

/** The field for an operation's error codes until `buildDocument` turns them into responses. */
export const errorsField = "x-errors";

const inputField = Symbol("input");

/** `errors`: the codes that the middleware throws; `input`: the schema with which it parses. */
type MiddlewareDescription = DescribeRouteOptions & {
  readonly errors?: readonly ErrorCode[];
  readonly input?: z.ZodType;
};

/** Attaches a middleware's part of the OpenAPI document where hono-openapi's generator looks for it. */
export const describeMiddleware = <Handler extends MiddlewareHandler>(
  handler: Handler,
  { errors = [], input, ...spec }: MiddlewareDescription,
): Handler =>
  Object.assign(handler, { [uniqueSymbol]: { spec: { ...spec, [errorsField]: errors } }, [inputField]: input });

export const described = (description: MiddlewareDescription, handler: MiddlewareHandler<AppEnv>) =>
  describeMiddleware(handler, description);

/** Attaches the schema of a body, query or header, in the form that callers send. */
export const describeInput = <Handler extends MiddlewareHandler>(
  handler: Handler,
  target: keyof ValidationTargets,
  schema: z.ZodType,
): Handler =>
  Object.assign(handler, { [uniqueSymbol]: { target, ...schemaFor("input", schema) }, [inputField]: schema });

/** Like `describeInput`, for an optional JSON body. */
export const describeOptionalBody = <Handler extends MiddlewareHandler>(handler: Handler, schema: z.ZodType): Handler =>
  describeMiddleware(handler, {
    requestBody: { content: { "application/json": { schema: schemaFor("input", schema) } } },
    input: schema,
  });

/** The schema of a handler's input, through which tests read the messages of all routes. */
export const inputOf = (handler: object): z.ZodType | undefined =>
  (handler as { readonly [inputField]?: z.ZodType })[inputField];

/** The description that `describeMiddleware` attached. */
export function descriptionOf(handler: object): DescribeRouteOptions {
  const { spec = {} } = (handler as { [uniqueSymbol]?: { spec?: DescribeRouteOptions } })[uniqueSymbol] ?? {};
  return spec;
}

type OperationDescription = {
  /** The name of the operation in generated clients. */
  readonly id: string;
  /** A few words in the imperative. */
  readonly summary: string;
  /** Says what it does, for a person, in about two sentences. */
  readonly about: string;
  readonly answers: Answers;
  /** The codes that its handler throws; those of middleware are known. */
  readonly errors?: readonly ErrorCode[];
};

/**
 * Returns a function that describes the operations of a tag. It takes the middleware that authorizes the operation and
 * returns one that does the same, then loads the resources of the path, and carries the description.
 */
export const operationsOf =
  (tag: string, load: MiddlewareHandler = describeMiddleware((_, next) => next(), {})) =>
  <Access extends MiddlewareHandler>(
    access: Access,
    { id, summary, about, answers, errors = [] }: OperationDescription,
  ): Access => {
    const {
      [errorsField]: accessErrors = [],
      description,
      ...spec
    } = descriptionOf(access) as DescribeRouteOptions & { [errorsField]?: readonly ErrorCode[] };
    const { [errorsField]: loadErrors = [] } = descriptionOf(load) as { readonly [errorsField]?: readonly ErrorCode[] };
    // safe because it takes and returns the same
    const handler = ((c, next) =>
      access(c, async () => {
        await load(c, next);
      })) as Access;
    return describeMiddleware(handler, {
      ...spec,
      tags: [tag],
      operationId: id,
      summary,
      description: [about, description].filter(Boolean).join("\n\n"),
      responses: answers,
      errors: [...accessErrors, ...errors, ...loadErrors],
    });
  };
