import type { generateSpecs } from "hono-openapi";
import type { ErrorCode } from "../../errors.ts";
import type { errorsField } from "../openapi.ts";

/** OpenAPI 3.1 types of hono-openapi. */
type Specification = Awaited<ReturnType<typeof generateSpecs>>;
type Components = NonNullable<Specification["components"]>;

type Inlined<Value> = Exclude<Value, { $ref: string }>;

export type Schema = Inlined<NonNullable<Components["schemas"]>[string]>;
export type Reference = { $ref: string };
export type Response = Inlined<NonNullable<Components["responses"]>[string]>;
export type Parameter = Inlined<NonNullable<Components["parameters"]>[string]>;

type PathItem = NonNullable<NonNullable<Specification["paths"]>[string]>;
type AnyOperation = NonNullable<PathItem["get"]>;

export type Operation = Omit<AnyOperation, "parameters" | "responses"> & {
  readonly parameters?: readonly Parameter[];
  readonly responses?: Record<string, Response | Reference>;
  readonly [errorsField]?: readonly ErrorCode[];
};

export type ApiDocument = Omit<Specification, "paths" | "components"> & {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: Omit<Components, "schemas"> & { readonly schemas: Record<string, Schema> };
};

export type NamedOperation = { readonly method: string; readonly path: string; readonly operation: Operation };
