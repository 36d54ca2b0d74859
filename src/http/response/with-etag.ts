import type { Context } from "hono";
import { type Versioned, withoutRevision } from "../../domain/shared/versioned.ts";
import type { AppEnv } from "../app-env.ts";

/** Gives the answer the ETag of this resource, and answers what a caller sees of it. */
export function shown<Resource extends Versioned>(c: Context<AppEnv>, resource: Resource): Omit<Resource, "revision"> {
  c.set("revision", resource.revision);
  return withoutRevision(resource);
}
