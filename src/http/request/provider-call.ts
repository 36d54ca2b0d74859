import type { Context } from "hono";
import { type ProviderCall, providerCall } from "../../domain/ai/provider-calls.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";

/** The request's dealings with providers: they end when its caller leaves. */
export const callOf = (c: Context<AppEnv>, services: Pick<Services, "usage" | "settings">): ProviderCall =>
  providerCall(services, c.var.caller, c.req.raw.signal, c.var.checkpoints);
