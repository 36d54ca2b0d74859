import { JSONParseError, type ModelMessage, type NoObjectGeneratedError, Output, TypeValidationError } from "ai";
import { z } from "zod";
import { DomainError } from "../../errors.ts";
import type { Asked } from "./error-responses.ts";
import { unfit } from "./errors.ts";

/** An answer that has not the asked form, with what a model must know to do better. */
export class UselessAnswer extends DomainError<"provider_bad_response"> {
  constructor(
    facts: DomainError<"provider_bad_response">["facts"],
    readonly said: string,
    readonly complaint: string,
  ) {
    super("provider_bad_response", facts);
  }
}

/** More than a model can write at once. What is wrong about a longer text would fill the memory, entry by entry. */
const mostCharacters = 500_000;

/** Asks for an object, and also takes one inside a Markdown fence. */
export function objectOf<Answer>(schema: z.ZodType<Answer>) {
  const output = Output.object({ schema });
  const parseCompleteOutput: typeof output.parseCompleteOutput = ({ text }, context) =>
    output.parseCompleteOutput({ text: unfenced(text).slice(0, mostCharacters) }, context);
  return { ...output, parseCompleteOutput };
}

/** Without one pattern for the whole: it would take minutes over the endless blank lines that a model may run into. */
function unfenced(text: string): string {
  const whole = text.trim();
  const [opening = ""] = whole.split("\n", 1);
  return /^```\w*\s*$/.test(opening) && whole.endsWith("```") ? whole.slice(opening.length, -3) : text;
}

/** What an answer is that has not the asked form: a refusal, or one to be asked for again. */
export function uselessAnswer(error: NoObjectGeneratedError, asked: Asked): DomainError {
  const failure = unfit(error.finishReason, asked);
  if (failure.code !== "provider_bad_response") return failure;
  // safe because this code's facts are these
  const facts = failure.facts as DomainError<"provider_bad_response">["facts"];
  return new UselessAnswer(facts, error.text ?? "", complaintAbout(error));
}

const maxSaid = 20_000;
const maxIssues = 8;

/** What goes on after the first message, for a second try. */
export const secondTry = ({ said, complaint }: UselessAnswer): readonly ModelMessage[] => [
  ...(said.trim() ? [{ role: "assistant" as const, content: said.slice(0, maxSaid) }] : []),
  {
    role: "user",
    content: `Your answer cannot be used: ${complaint} Answer again, with the whole JSON and nothing else.`,
  },
];

function complaintAbout({ cause, finishReason }: NoObjectGeneratedError): string {
  if (finishReason === "length") return "it broke off before its end. Be briefer.";
  const misfit = TypeValidationError.isInstance(cause) ? cause.cause : undefined;
  if (JSONParseError.isInstance(cause) || !(misfit instanceof z.core.$ZodError)) return "it is not the JSON asked for.";
  const issues = misfit.issues.slice(0, maxIssues);
  const named = issues.map(({ path, message }) => `${path.join(".") || "the whole"}: ${message}`);
  return `it has not the asked form (${named.join("; ")}).`;
}
