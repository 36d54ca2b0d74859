import type { Context } from "hono";
import type { AppEnv } from "../app-env.ts";

/** The address of who connected. Headers that claim another one are not believed: anybody can write them. */
export const addressOf = (c: Context<AppEnv>): string => c.env?.requestIP?.(c.req.raw)?.address ?? "unknown";
