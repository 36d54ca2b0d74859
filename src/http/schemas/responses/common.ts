import { z } from "zod";

/*
 * This folder has the schemas of responses. Each named schema is a component of the OpenAPI document. They are never
 * parsed at run time: every test checks the responses that it gets against them.
 */

/** A schema with a name in the document. Each name is used once, also among the schemas of requests. */
export { named } from "../../../domain/shared/schemas.ts";

export const Timestamp = z
  .int()
  .min(0)
  .meta({ description: "Milliseconds since the epoch.", example: 1_795_372_800_000 });

export const Id = z.string();

/** The seconds of a duration, or a time on a timeline. */
export const Seconds = z.number();
