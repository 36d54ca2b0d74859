import { JSONParseError, TypeValidationError } from "@ai-sdk/provider";
import type {
  generateText,
  LanguageModel,
  LanguageModelUsage,
  ModelMessage,
  NoObjectGeneratedError,
  Output,
  UserContent,
} from "ai";
import { z } from "zod";
import type { CallResult, ProviderCall, Purpose, UsageAmounts } from "../../domain/ai/provider-calls.ts";
import { DomainError, isDomainError } from "../../errors.ts";
import { lenientJson, parseJson } from "../../platform/parse-json.ts";
import { sum } from "../../platform/values.ts";
import type { ModelCredentials } from "./credentials.ts";
import type { CalledModel } from "./error-responses.ts";
import { invalidOutputError, isSdkError, toProviderError, unexpectedFormat } from "./errors.ts";
import { maxAttempts, type RetryPolicy, retryUnpaid, withRetry } from "./retry.ts";

// the AI SDK prints its warnings to the console
globalThis.AI_SDK_LOG_WARNINGS = false;

export type StructuredRequest<Result> = {
  readonly credentials: ModelCredentials;
  /** Loads the provider's package, only at the first request. */
  readonly model: () => Promise<LanguageModel>;
  readonly purpose: Purpose;
  readonly system: string;
  readonly content: Exclude<UserContent, string>;
  readonly schema: z.ZodType<Result>;
  readonly providerOptions?: Parameters<typeof generateText>[0]["providerOptions"];
};

/** Sent along to bound the cost of a call. Includes reasoning. */
const maxOutputTokens = 32_000;

/** The tokens of an image of at most about a megapixel. */
const tokensPerImage = 4_000;

/** The tokens of a whole video: no more than the context window of a model. */
const tokensPerVideo = 1_000_000;

/** The tokens of the output's schema, and of the provider's additions. */
const extraTokens = 8_000;

/** A token has at least one byte. */
const tokensOf = (text: string): number => Buffer.byteLength(text);

/** The maximum usage of a request. */
function boundOf({ system, content }: Pick<StructuredRequest<unknown>, "system" | "content">, repair: unknown) {
  const parts = content.map((part) => {
    if (part.type === "text") return tokensOf(part.text);
    return part.type === "file" && part.mediaType.startsWith("video/") ? tokensPerVideo : tokensPerImage;
  });
  const inputTokens = [tokensOf(system), tokensOf(JSON.stringify(repair)), extraTokens, ...parts];
  return { inputTokens: sum(inputTokens), outputTokens: maxOutputTokens };
}

/**
 * Calls a model for an output that matches a schema. At most three attempts: transient refusals are retried, and one
 * unusable output is repaired by a second request that describes the problem. Other errors are thrown immediately.
 */
export function generateStructured<Result>(request: StructuredRequest<Result>, call: ProviderCall): Promise<Result> {
  const { credentials, purpose } = request;
  const target = { provider: credentials.providerId, model: credentials.modelId, purpose };
  let unusable: unknown;
  const policy: RetryPolicy = (error, attempt) => {
    if (!isBadResponse(error)) return retryUnpaid(error, attempt);
    if (unusable || attempt >= maxAttempts) return undefined;
    unusable = error;
    return 0;
  };
  const attempt = () => {
    const repair = unusable instanceof InvalidModelOutput ? repairMessages(unusable) : [];
    const bound = boundOf(request, repair);
    return call.track({ ...target, bound }, (signal) => generateOnce(request, repair, signal));
  };
  return withRetry(attempt, call.deadlineSignal(), policy);
}

const isBadResponse = (error: unknown) => isDomainError(error) && error.code === "provider_bad_response";

async function generateOnce<Result>(
  { credentials, model, system, content, schema, providerOptions }: StructuredRequest<Result>,
  repair: ReturnType<typeof repairMessages>,
  abortSignal: AbortSignal,
): Promise<CallResult<Result>> {
  const { generateText, Output } = await import("ai");
  try {
    const generated = await generateText({
      model: await model(),
      instructions: system,
      messages: [{ role: "user", content }, ...repair],
      output: objectOutput(Output.object({ schema })),
      maxOutputTokens,
      maxRetries: 0,
      abortSignal,
      providerOptions,
    });
    const usage = usageOf(generated.usage);
    // the finish reason comes first: the `output` getter throws without it
    if (generated.finishReason === "stop") return { result: generated.output, ...usage };
    return { failure: invalidOutputError(generated.finishReason, credentials), ...usage };
  } catch (error) {
    // the gateway's package reads its answers without validating their shape
    if (error instanceof TypeError) throw unexpectedFormat(credentials);
    if (!isSdkError(error, "NoObjectGeneratedError")) throw toProviderError(error, credentials);
    return { failure: toInvalidOutput(error, credentials), ...usageOf(error.usage) };
  }
}

const usageOf = (usage: LanguageModelUsage | undefined): UsageAmounts => ({
  ...(usage?.inputTokens !== undefined && { inputTokens: usage.inputTokens }),
  ...(usage?.outputTokens !== undefined && { outputTokens: usage.outputTokens }),
});

/** An output that does not match its schema, with the text and the problem for a repair request. */
class InvalidModelOutput extends DomainError<"provider_bad_response"> {
  constructor(
    facts: DomainError<"provider_bad_response">["facts"],
    readonly output: string,
    readonly problem: string,
  ) {
    super("provider_bad_response", facts);
  }
}

/** More than a model writes in one response. Validating a longer text would fill the memory with issues. */
const maxOutputCharacters = 500_000;
/** The limit including reasoning. */
const maxAnswerCharacters = 2 * maxOutputCharacters;

/** The AI SDK's object output, which also accepts JSON among words, in a Markdown fence or after reasoning. */
function objectOutput<Result>(output: ReturnType<typeof Output.object<Result>>) {
  const parseCompleteOutput: typeof output.parseCompleteOutput = ({ text }, context) =>
    output.parseCompleteOutput({ text: objectTextIn(text.slice(0, maxAnswerCharacters)) }, context);
  return { ...output, parseCompleteOutput };
}

/** Braces in prose that begin no object: each is scanned to the end of the answer. */
const maxOpen = 4;

/** The longest object in an answer, as strict JSON; the answer itself if there is none. */
function objectTextIn(answer: string): string {
  const text = afterReasoning(answer);
  if (parseJson(text) !== undefined) return text.slice(0, maxOutputCharacters);
  let longest = "";
  let found: unknown;
  for (let at = text.indexOf("{"), open = 0; at >= 0 && open < maxOpen; ) {
    const end = endOfObject(text, at);
    if (end < 0) open++;
    const part = text.slice(at, Math.min(end, at + maxOutputCharacters));
    const value = end > 0 && part.length > longest.length ? lenientJson(part) : undefined;
    if (value !== undefined) [longest, found] = [part, value];
    at = text.indexOf("{", end < 0 ? at + 1 : end);
  }
  return found === undefined ? text.slice(0, maxOutputCharacters) : JSON.stringify(found);
}

const reasoningEnd = /<\/(?:think|thinking|reasoning|thought)>/gi;

function afterReasoning(answer: string): string {
  const last = [...answer.matchAll(reasoningEnd)].at(-1);
  return last ? answer.slice(last.index + last[0].length) : answer;
}

/** The end of the object that begins at `begin`; -1 if it has none. */
function endOfObject(text: string, begin: number): number {
  const signs = /["\\{}]/g;
  signs.lastIndex = begin;
  let depth = 0;
  let isString = false;
  for (let sign = signs.exec(text)?.[0]; sign !== undefined; sign = signs.exec(text)?.[0]) {
    if (sign === "\\") signs.lastIndex++;
    else if (sign === '"') isString = !isString;
    else if (!isString) depth += sign === "{" ? 1 : -1;
    if (depth === 0) return signs.lastIndex;
  }
  return -1;
}

/** Maps an output that does not match its schema to content_refused, or to an error that can be repaired. */
function toInvalidOutput(error: NoObjectGeneratedError, called: CalledModel): DomainError {
  const failure = invalidOutputError(error.finishReason, called);
  if (failure.code !== "provider_bad_response") return failure;
  // safe because these are the facts of this code
  const facts = failure.facts as DomainError<"provider_bad_response">["facts"];
  return new InvalidModelOutput(facts, error.text ?? "", problemOf(error));
}

const maxQuotedCharacters = 20_000;
const maxIssues = 8;

/** The messages that ask the model for a corrected output; they follow the first message. */
const repairMessages = ({ output, problem }: InvalidModelOutput): readonly ModelMessage[] => [
  ...(output.trim() ? [{ role: "assistant" as const, content: output.slice(0, maxQuotedCharacters) }] : []),
  {
    role: "user",
    content: `Your answer cannot be used: ${problem} Answer again, with the whole JSON and nothing else.`,
  },
];

function problemOf({ cause, finishReason }: NoObjectGeneratedError): string {
  if (finishReason === "length") return "it broke off before its end. Be briefer.";
  const validationError = TypeValidationError.isInstance(cause) ? cause.cause : undefined;
  if (JSONParseError.isInstance(cause) || !(validationError instanceof z.core.$ZodError)) {
    return "it is not the JSON asked for.";
  }
  const issues = validationError.issues.slice(0, maxIssues);
  const lines = issues.map(({ path, message }) => `${path.join(".") || "the whole"}: ${message}`);
  return `it has not the asked form (${lines.join("; ")}).`;
}
