import { JSONParseError, TypeValidationError } from "@ai-sdk/provider";
import type { ModelMessage, NoObjectGeneratedError, Output } from "ai";
import { z } from "zod";
import { DomainError } from "../../errors.ts";
import type { CalledModel } from "./error-responses.ts";
import { invalidOutputError } from "./errors.ts";

/** An output that does not match its schema, with the text and the problem for a repair request. */
export class InvalidModelOutput extends DomainError<"provider_bad_response"> {
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

/** The AI SDK's object output, which also accepts JSON inside a Markdown fence. */
export function objectOutput<Result>(output: ReturnType<typeof Output.object<Result>>) {
  const parseCompleteOutput: typeof output.parseCompleteOutput = ({ text }, context) =>
    output.parseCompleteOutput({ text: withoutFence(text).slice(0, maxOutputCharacters) }, context);
  return { ...output, parseCompleteOutput };
}

/** Not one pattern for the whole text: that takes minutes on the endless blank lines that models sometimes write. */
function withoutFence(text: string): string {
  const trimmed = text.trim();
  const [opening = ""] = trimmed.split("\n", 1);
  return /^```\w*\s*$/.test(opening) && trimmed.endsWith("```") ? trimmed.slice(opening.length, -3) : text;
}

/**
 * Maps an output that does not match its schema to content_refused, or to an InvalidModelOutput that can be repaired.
 */
export function toInvalidOutput(error: NoObjectGeneratedError, called: CalledModel): DomainError {
  const failure = invalidOutputError(error.finishReason, called);
  if (failure.code !== "provider_bad_response") return failure;
  // safe because these are the facts of this code
  const facts = failure.facts as DomainError<"provider_bad_response">["facts"];
  return new InvalidModelOutput(facts, error.text ?? "", problemOf(error));
}

const maxQuotedCharacters = 20_000;
const maxIssues = 8;

/** The messages that ask the model for a corrected output; they follow the first message. */
export const repairMessages = ({ output, problem }: InvalidModelOutput): readonly ModelMessage[] => [
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
