import type { transcribe } from "ai";
import type { Transcript, TranscriptionModel, TranscriptionTask } from "../../domain/ai/models.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { isSdkError, toProviderError } from "../client/errors.ts";
import { maxTextResponseBytes } from "../client/limited-fetch.ts";
import { withRetry } from "../client/retry.ts";
import type { ModelPorts } from "../client/rows.ts";
import { retryRefused } from "../client/speech.ts";
import { usableWords } from "../client/transcript-words.ts";
import { providerFetch } from "./provider-fetch.ts";

type Options = Parameters<typeof transcribe>[0];

/** A model of an AI SDK package that returns the times of words. */
type TranscriptionTarget = {
  readonly credentials: ModelCredentials;
  readonly ports: ModelPorts;
  readonly maxBytes: number;
  /** Loads the package, only at the first request. */
  load(fetch: typeof globalThis.fetch): Promise<Exclude<Options["model"], string>>;
  readonly optionsFor: (language: string | undefined) => NonNullable<Options["providerOptions"]>;
};

const maxSeconds = 3600;

export const sdkTranscription = (target: TranscriptionTarget): TranscriptionModel => ({
  isBilled: true,
  providerName: target.credentials.providerName,
  maxSeconds,
  maxBytes: target.maxBytes,

  transcribe(task, call) {
    const { credentials, ports } = target;
    const tracked = { provider: credentials.providerId, model: credentials.modelId, purpose: "transcript" } as const;
    const fetch = providerFetch({ credentials, ports, call, maxBytes: maxTextResponseBytes });
    const attempt = () =>
      call.track({ ...tracked, bound: { seconds: task.sound.durationSeconds } }, async (signal) => {
        const result = await transcribeOnce(target, task, fetch, signal);
        return { result, seconds: task.sound.durationSeconds };
      });
    return withRetry(attempt, call.deadlineSignal(), retryRefused);
  },
});

async function transcribeOnce(
  target: TranscriptionTarget,
  { sound, language }: TranscriptionTask,
  fetch: typeof globalThis.fetch,
  abortSignal: AbortSignal,
): Promise<Transcript> {
  const spoken = language === undefined ? undefined : new Intl.Locale(language).language;
  const { transcribe } = await import("ai");
  try {
    const model = await target.load(fetch);
    const request = { model, audio: sound.bytes, maxRetries: 0, abortSignal };
    const heard = await transcribe({ ...request, providerOptions: target.optionsFor(spoken) });
    const { text, segments, language: found = spoken } = heard;
    const words = segments.map(({ text: word, startSecond: start, endSecond: end }) => ({ text: word, start, end }));
    return { text, words: usableWords(words, sound.durationSeconds), ...(found !== undefined && { language: found }) };
  } catch (error) {
    // the SDK's error for an empty text, which is correct for a sound without a voice
    if (isSdkError(error, "NoTranscriptGeneratedError")) return { text: "", words: [] };
    throw toProviderError(error, target.credentials);
  }
}
