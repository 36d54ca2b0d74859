import type { Context, MiddlewareHandler } from "hono";
import { z } from "zod";
import type { Category, ModelChoice, ModelKind } from "../../domain/ai/models.ts";
import {
  type CallContext,
  type ProviderCall,
  type ProviderCallPorts,
  providerCall,
} from "../../domain/ai/provider-calls.ts";
import type { ProviderKeyPorts } from "../../domain/ai/provider-keys.ts";
import type { Checkpoints } from "../../domain/idempotency/checkpoints.ts";
import { runUntilStored } from "../../domain/idempotency/run-until-stored.ts";
import { newSpending } from "../../domain/ledger/paid-calls.ts";
import type { Services } from "../../services.ts";
import type { AppEnv } from "../app-env.ts";
import { clientSignal } from "../client-signal.ts";
import { describeInput } from "../openapi.ts";
import { validate } from "../request/validate.ts";
import { withKeptKeys } from "./kept-keys.ts";
import { ModelHeader } from "./model-headers.ts";

/** Headers such as `x-vision-provider`. If the chosen model has ended, the response names its replacement. */
export const modelHeaders = <Name extends Category>(
  services: ProviderKeyPorts & Pick<Services, "models">,
  category: Name,
  kind: ModelKind = category,
) => {
  const shape = { [`x-${category}-provider`]: ModelHeader, "x-model-id": ModelHeader, "x-api-key": ModelHeader };
  // safe because a computed key loses only its own name in the type
  const schema = z.object(shape as Record<`x-${Name}-provider` | "x-model-id" | "x-api-key", typeof ModelHeader>);
  const { models } = services;
  return headersOfModels(services, { schema, kind }, (c, headers) => {
    // safe because these are the headers of the schema
    const { id, replaces } = models.select(kind, modelChoice(category, headers as never));
    if (replaces !== undefined) c.header("X-Model-Id", id.model);
  });
};

type ModelHeaders<Schema> = { readonly schema: Schema; readonly kind?: ModelKind };

/**
 * Validates headers that choose models, and adds keys that the account keeps. `select` throws if the chosen model does
 * not exist.
 */
export function headersOfModels<Schema extends z.ZodObject>(
  services: ProviderKeyPorts,
  { schema, kind }: ModelHeaders<Schema>,
  select: (c: Context<AppEnv>, headers: z.output<Schema>) => void,
) {
  const parse = validate("header", schema);
  // safe because a header is parsed alike in every app
  const parseHeader = parse as unknown as MiddlewareHandler<AppEnv>;
  const parseAndSelect: MiddlewareHandler<AppEnv> = (c, next) =>
    parseHeader(c, async () => {
      try {
        // safe because it was parsed just now
        const headers: z.output<Schema> = c.req.valid("header" as never);
        select(c, headers);
        // safe because the headers of models are texts
        const sent = headers as Readonly<Record<string, string | undefined>>;
        const keyHeaders = Object.keys(schema.shape);
        c.req.addValidatedData("header", await withKeptKeys(c, services, sent, { kind, keyHeaders }));
      } catch (error) {
        // reported by the handler, or before an operation starts, unless there is a stored response
        c.set("modelError", error);
      }
      await next();
    });
  return describeInput(parseAndSelect, "header", schema) as unknown as typeof parse;
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

/** Whether the caller named the provider or the model. Otherwise a file made by any model is good enough. */
export const isNamed = (c: Context<AppEnv>, category: Category, { provider, modelId }: ModelChoice): boolean =>
  modelId !== undefined || (provider !== undefined && !c.env?.assumed?.includes(`x-${category}-provider`));

/** Drops absent and blank fields: an empty header counts as absent. */
export const toModelChoice = (fields: { readonly [Field in keyof ModelChoice]: string | undefined }): ModelChoice =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value?.trim()));

/** Runs a use case that calls models; results survive an outage of the database or the store. */
export const withProviderCall = <Result>(
  c: Context<AppEnv>,
  services: ProviderCallPorts,
  run: (call: ProviderCall) => Promise<Result>,
  context: CallContext = {},
): Promise<Result> =>
  runUntilStored(c.var.checkpoints, clientSignal(c), (checkpoints) =>
    run(providerCallFor(c, services, context, checkpoints)),
  );

/** Aborts when the client disconnects. The calls count towards the budget of the named project. */
export function providerCallFor(
  c: Context<AppEnv>,
  services: ProviderCallPorts,
  context: CallContext = {},
  checkpoints: Checkpoints = c.var.checkpoints,
): ProviderCall {
  const spending = c.get("spending") ?? newSpending();
  c.set("spending", spending);
  const projectId = c.get("project")?.id;
  const workId = c.get("work")?.id;
  const requestKey = c.req.header("idempotency-key");
  const scope = { ...(projectId && { projectId }), ...(workId && { workId }), requestKey, ...context };
  return providerCall(services, c.var.caller, clientSignal(c), checkpoints, { ...scope, spending });
}
