import type { Context } from "hono";
import { z } from "zod";
import type { Category, ModelChoice } from "../../domain/ai/models.ts";
import { type ProviderCall, providerCall } from "../../domain/ai/provider-calls.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { clientSignal } from "../client-signal.ts";
import { ModelHeader } from "../schemas/model-headers.ts";
import { validate } from "./validate.ts";

/** Validates the headers that choose a provider, its model and the caller's API key: `x-vision-provider` and so on. */
export const modelHeaders = <Name extends Category>(category: Name) => {
  const shape = { [`x-${category}-provider`]: ModelHeader, "x-model-id": ModelHeader, "x-api-key": ModelHeader };
  // safe because a computed key loses only its own name in the type
  return validate(
    "header",
    z.object(shape as Record<`x-${Name}-provider` | "x-model-id" | "x-api-key", typeof ModelHeader>),
  );
};

type Headers = { readonly [name in "x-model-id" | "x-api-key"]?: string | undefined };

/** Converts the headers that `modelHeaders` validated. */
export const modelChoice = <Name extends Category>(
  category: Name,
  headers: Headers & { readonly [name in `x-${Name}-provider`]?: string | undefined },
): ModelChoice =>
  toModelChoice({
    // safe because the caller's own type names this header
    provider: (headers as Record<string, string | undefined>)[`x-${category}-provider`],
    modelId: headers["x-model-id"],
    apiKey: headers["x-api-key"],
  });

/** Drops absent and blank fields: an empty header counts as absent. */
export const toModelChoice = (fields: { readonly [Field in keyof ModelChoice]: string | undefined }): ModelChoice =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value?.trim()));

/** The context of this request's provider calls; they are aborted when the client disconnects. */
export const providerCallFor = (c: Context<AppEnv>, services: Pick<Services, "usage" | "settings">): ProviderCall =>
  providerCall(services, c.var.caller, clientSignal(c), c.var.checkpoints);
