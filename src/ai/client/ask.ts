import {
  generateText,
  type LanguageModel,
  type LanguageModelUsage,
  NoObjectGeneratedError,
  type UserContent,
} from "ai";
import type { z } from "zod";
import type { Amounts, CallResult, ProviderCall, Purpose } from "../../domain/ai/provider-calls.ts";
import { isDomainError } from "../../errors.ts";
import type { Access } from "./credentials.ts";
import { asProviderError, unfit } from "./errors.ts";
import { objectOf, secondTry, UselessAnswer, uselessAnswer } from "./repair.ts";
import { maxTries, pause, pauseAfter } from "./retry.ts";

// its warnings go to the console
globalThis.AI_SDK_LOG_WARNINGS = false;

export type Question<Answer> = {
  readonly access: Access;
  readonly model: LanguageModel;
  readonly purpose: Purpose;
  readonly system: string;
  readonly content: Exclude<UserContent, string>;
  readonly answer: z.ZodType<Answer>;
  readonly providerOptions?: Parameters<typeof generateText>[0]["providerOptions"];
};

/**
 * Asks a model for an answer of a given form: three times at most, and only once more after an answer of no use, with
 * word of what was wrong about it. What would fail again is not asked again.
 */
export async function ask<Answer>(question: Question<Answer>, call: ProviderCall): Promise<Answer> {
  const { providerId: provider, modelId: model } = question.access;
  let useless: unknown;
  for (let tries = 1; ; tries++) {
    try {
      const what = { provider, model, purpose: question.purpose };
      return await call.track(what, (signal) => askOnce(question, useless, signal));
    } catch (error) {
      const wait = isUseless(error) ? pauseToRepair(useless, tries) : pauseAfter(error, tries);
      if (wait === undefined) throw error;
      useless = isUseless(error) ? error : useless;
      await pause(wait, call.signal());
    }
  }
}

const isUseless = (error: unknown) => isDomainError(error) && error.code === "provider_bad_response";

const pauseToRepair = (useless: unknown, tries: number) => (useless || tries >= maxTries ? undefined : 0);

async function askOnce<Answer>(
  { access, model, system, content, answer, providerOptions }: Question<Answer>,
  useless: unknown,
  abortSignal: AbortSignal,
): Promise<CallResult<Answer>> {
  const repair = useless instanceof UselessAnswer ? secondTry(useless) : [];
  try {
    const done = await generateText({
      ...{ model, instructions: system, messages: [{ role: "user", content }, ...repair] },
      ...{ output: objectOf(answer), maxRetries: 0, abortSignal, providerOptions },
    });
    // the getter of the output throws without saying why the model stopped
    if (done.finishReason === "stop") return { result: done.output, ...amountsOf(done.usage) };
    return { failure: unfit(done.finishReason, access), ...amountsOf(done.usage) };
  } catch (error) {
    if (!NoObjectGeneratedError.isInstance(error)) throw asProviderError(error, access);
    return { failure: uselessAnswer(error, access), ...amountsOf(error.usage) };
  }
}

const amountsOf = (usage: LanguageModelUsage | undefined): Amounts => ({
  ...(usage?.inputTokens !== undefined && { inputTokens: usage.inputTokens }),
  ...(usage?.outputTokens !== undefined && { outputTokens: usage.outputTokens }),
});
