import type { Context, MiddlewareHandler } from "hono";
import { z } from "zod";
import type { Category, ModelChoice, ModelKind, Models } from "../../domain/ai/models.ts";
import {
  type CallContext,
  type ProviderCall,
  type ProviderCallPorts,
  providerCall,
} from "../../domain/ai/provider-calls.ts";
import { newSpending } from "../../domain/ledger/paid-calls.ts";
import type { Services } from "../../domain/services.ts";
import type { AppEnv } from "../app-env.ts";
import { clientSignal } from "../client-signal.ts";
import { describeInput } from "../openapi.ts";
import { validate } from "../request/validate.ts";
import { ModelHeader } from "./model-headers.ts";

/**
 * Validates the headers that choose a provider, its model and the caller's API key: `x-vision-provider` and so on. The
 * response names the model that is sent for one that has ended.
 */
export const modelHeaders = <Name extends Category>(
  { models }: Pick<Services, "models">,
  category: Name,
  kind: ModelKind = category,
) => {
  const shape = { [`x-${category}-provider`]: ModelHeader, "x-model-id": ModelHeader, "x-api-key": ModelHeader };
  // safe because a computed key loses only its own name in the type
  const schema = z.object(shape as Record<`x-${Name}-provider` | "x-model-id" | "x-api-key", typeof ModelHeader>);
  const parse = validate("header", schema);
  // safe because a header is parsed alike in every app
  const parseHeader = parse as unknown as MiddlewareHandler<AppEnv>;
  const parseAndSelect: MiddlewareHandler<AppEnv> = (c, next) =>
    parseHeader(c, async () => {
      // safe because it was parsed just now
      nameSuccessor(c, models, kind, modelChoice(category, c.req.valid("header" as never)));
      await next();
    });
  return describeInput(parseAndSelect, "header", schema) as unknown as typeof parse;
};

function nameSuccessor(c: Context<AppEnv>, models: Pick<Models, "select">, kind: ModelKind, choice: ModelChoice): void {
  try {
    const { id, replaces } = models.select(kind, choice);
    if (replaces !== undefined) c.header("X-Model-Id", id.model);
  } catch {
    // the handler reports it, unless there is a stored response
  }
}

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

/**
 * The context of this request's provider calls; they are aborted when the client disconnects. They count into the budget
 * of the project that the path or the body names.
 */
export function providerCallFor(
  c: Context<AppEnv>,
  services: ProviderCallPorts,
  context: CallContext = {},
): ProviderCall {
  const spending = c.get("spending") ?? newSpending();
  c.set("spending", spending);
  const projectId = c.get("project")?.id;
  const workId = c.get("work")?.id;
  const requestKey = c.req.header("idempotency-key");
  const scope = { ...(projectId && { projectId }), ...(workId && { workId }), requestKey, ...context };
  return providerCall(services, c.var.caller, clientSignal(c), c.var.checkpoints, { ...scope, spending });
}
