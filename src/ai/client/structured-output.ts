import {
  generateText,
  type LanguageModel,
  type LanguageModelUsage,
  NoObjectGeneratedError,
  type UserContent,
} from "ai";
import type { z } from "zod";
import type { CallResult, ProviderCall, Purpose, UsageAmounts } from "../../domain/ai/provider-calls.ts";
import { isDomainError } from "../../errors.ts";
import type { ModelCredentials } from "./credentials.ts";
import { invalidOutputError, toProviderError } from "./errors.ts";
import { InvalidModelOutput, objectOutput, repairMessages, toInvalidOutput } from "./repair.ts";
import { maxAttempts, type RetryPolicy, retryTransient, withRetry } from "./retry.ts";

// the AI SDK prints its warnings to the console
globalThis.AI_SDK_LOG_WARNINGS = false;

export type StructuredRequest<Result> = {
  readonly credentials: ModelCredentials;
  readonly model: LanguageModel;
  readonly purpose: Purpose;
  readonly system: string;
  readonly content: Exclude<UserContent, string>;
  readonly schema: z.ZodType<Result>;
  readonly providerOptions?: Parameters<typeof generateText>[0]["providerOptions"];
};

/**
 * Calls a model for an output that matches a schema. At most three attempts: transient errors are retried, and one
 * unusable output is repaired by a second request that tells the model the problem. Other errors are thrown at once.
 */
export function generateStructured<Result>(request: StructuredRequest<Result>, call: ProviderCall): Promise<Result> {
  const { credentials, purpose } = request;
  const target = { provider: credentials.providerId, model: credentials.modelId, purpose };
  let unusable: unknown;
  const policy: RetryPolicy = (error, attempt) => {
    if (!isBadResponse(error)) return retryTransient(error, attempt);
    if (unusable || attempt >= maxAttempts) return undefined;
    unusable = error;
    return 0;
  };
  const attempt = () => call.track(target, (signal) => generateOnce(request, unusable, signal));
  return withRetry(attempt, call.deadlineSignal(), policy);
}

const isBadResponse = (error: unknown) => isDomainError(error) && error.code === "provider_bad_response";

async function generateOnce<Result>(
  { credentials, model, system, content, schema, providerOptions }: StructuredRequest<Result>,
  unusable: unknown,
  abortSignal: AbortSignal,
): Promise<CallResult<Result>> {
  const repair = unusable instanceof InvalidModelOutput ? repairMessages(unusable) : [];
  try {
    const generated = await generateText({
      model,
      instructions: system,
      messages: [{ role: "user", content }, ...repair],
      output: objectOutput(schema),
      maxRetries: 0,
      abortSignal,
      providerOptions,
    });
    const usage = usageOf(generated.usage);
    // check the finish reason first: the `output` getter throws without it
    if (generated.finishReason === "stop") return { result: generated.output, ...usage };
    return { failure: invalidOutputError(generated.finishReason, credentials), ...usage };
  } catch (error) {
    if (!NoObjectGeneratedError.isInstance(error)) throw toProviderError(error, credentials);
    return { failure: toInvalidOutput(error, credentials), ...usageOf(error.usage) };
  }
}

const usageOf = (usage: LanguageModelUsage | undefined): UsageAmounts => ({
  ...(usage?.inputTokens !== undefined && { inputTokens: usage.inputTokens }),
  ...(usage?.outputTokens !== undefined && { outputTokens: usage.outputTokens }),
});
