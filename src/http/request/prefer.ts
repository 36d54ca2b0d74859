import type { Context } from "hono";

/** True for `Prefer: respond-async` (RFC 7240), also among other preferences. */
export const prefersAsync = (c: Context) => /(^|[,;\s])respond-async($|[,;\s])/i.test(c.req.header("prefer") ?? "");

/** The header of a response that follows the preference. */
export const preferenceApplied = { "Preference-Applied": "respond-async" };
