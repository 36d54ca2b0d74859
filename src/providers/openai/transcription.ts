import type { Transcript, TranscriptionModel, TranscriptionTask } from "../../domain/ai/models.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { isSdkError, toProviderError } from "../client/errors.ts";
import { limitedFetch, maxTextResponseBytes } from "../client/limited-fetch.ts";
import { withRetry } from "../client/retry.ts";
import { retryRefused } from "../client/speech.ts";
import { usableWords } from "../client/transcript-words.ts";

/** Only the whisper models return the times of words. */
export const openaiTranscription = (credentials: ModelCredentials): TranscriptionModel => ({
  isBilled: true,
  providerName: credentials.providerName,
  maxSeconds: credentials.modelId.startsWith("gpt-4o") ? 1400 : 3600,
  maxBytes: 25 * 2 ** 20,

  transcribe(task, call) {
    const target = { provider: credentials.providerId, model: credentials.modelId, purpose: "transcript" } as const;
    const attempt = () =>
      call.track({ ...target, bound: { seconds: task.sound.durationSeconds } }, async (signal) => {
        const result = await transcribeOnce(credentials, task, signal);
        return { result, seconds: task.sound.durationSeconds };
      });
    return withRetry(attempt, call.deadlineSignal(), retryRefused);
  },
});

async function transcribeOnce(
  credentials: ModelCredentials,
  { sound, language }: TranscriptionTask,
  abortSignal: AbortSignal,
): Promise<Transcript> {
  const { apiKey, baseUrl: baseURL, modelId } = credentials;
  const [{ createOpenAI }, { transcribe }] = await Promise.all([import("@ai-sdk/openai"), import("ai")]);
  const openai = createOpenAI({ apiKey, baseURL, fetch: limitedFetch({ maxBytes: maxTextResponseBytes }) });
  const spoken = language === undefined ? undefined : new Intl.Locale(language).language;
  try {
    const model = openai.transcription(modelId);
    const providerOptions = { openai: { ...timesOf(modelId), ...languageOption(modelId, spoken) } };
    const heard = await transcribe({ model, audio: sound.bytes, maxRetries: 0, abortSignal, providerOptions });
    const words = (heard.words ?? []).map(({ text, startSecond: start, endSecond: end }) => ({ text, start, end }));
    const { text, language: found = spoken } = heard;
    return { text, words: usableWords(words, sound.durationSeconds), ...(found !== undefined && { language: found }) };
  } catch (error) {
    // the SDK's error for an empty text, which is correct for a sound without a voice
    if (isSdkError(error, "NoTranscriptGeneratedError")) return { text: "", words: [] };
    throw toProviderError(error, credentials);
  }
}

/** The SDK asks for times only if the id is exactly whisper-1. */
const timesOf = (modelId: string) =>
  modelId.startsWith("whisper")
    ? { responseFormat: "verbose_json" as const, timestampGranularities: ["word" as const, "segment" as const] }
    : {};

const languageOption = (modelId: string, language: string | undefined) => {
  if (language === undefined) return {};
  return modelId.startsWith("gpt-transcribe") ? { languages: [language] } : { language };
};
