import { z } from "zod";
import type { Transcript, TranscriptionModel, TranscriptionTask } from "../../domain/ai/models.ts";
import type { ModelCredentials } from "../client/credentials.ts";
import { answered, badResponse, contentRefused } from "../client/errors.ts";
import { requestJson } from "../client/json-client.ts";
import { maxTextResponseBytes } from "../client/limited-fetch.ts";
import { withRetry } from "../client/retry.ts";
import { retryRefused } from "../client/speech.ts";
import { usableWords } from "../client/transcript-words.ts";
import { detectLanguage } from "../local/words/languages.ts";
import { keyHeader } from "./auth.ts";
import { generateContentResponse, generateContentUrl, isBlocked, usageOf } from "./generate-content.ts";
import { regionalTag } from "./speech.ts";

const Word = z.object({ word: z.string(), startOffset: z.string().optional(), endOffset: z.string().optional() });
const Part = z.object({
  text: z.string().optional(),
  audioTranscription: z.object({ text: z.string().optional(), words: z.array(Word).optional() }).optional(),
});
const TranscriptionResponse = generateContentResponse(Part);
type TranscriptionResponse = z.infer<typeof TranscriptionResponse>;

/** Gemini's transcription by :generateContent, which stores nothing; the Interactions API stores the sound. */
export const googleTranscription = (credentials: ModelCredentials): TranscriptionModel => ({
  isBilled: true,
  providerName: credentials.providerName,
  // the limit with word times
  maxSeconds: 30 * 60,
  // in base64 below Google's 100 MB
  maxBytes: 64 * 2 ** 20,

  transcribe(task, call) {
    const target = { provider: credentials.providerId, model: credentials.modelId, purpose: "transcript" } as const;
    const attempt = () =>
      call.track({ ...target, bound: boundOf(task) }, async (signal) => {
        const response = await requestJson(requestOf(task, credentials), signal);
        return {
          ...answered(() => transcriptIn(response, task, credentials)),
          seconds: task.sound.durationSeconds,
          ...usageOf(response),
        };
      });
    return withRetry(attempt, call.deadlineSignal(), retryRefused);
  },
});

const boundOf = ({ sound: { durationSeconds: seconds } }: TranscriptionTask) => ({
  seconds,
  inputTokens: Math.ceil(seconds * 40) + 1_000,
  outputTokens: Math.ceil(seconds * 60) + 4_000,
});

const requestOf = ({ sound, language }: TranscriptionTask, credentials: ModelCredentials) => {
  const tag = language === undefined ? undefined : regionalTag(language).language;
  return {
    credentials,
    url: generateContentUrl(credentials),
    headers: keyHeader(credentials),
    body: {
      contents: [{ role: "user", parts: [{ inlineData: { mimeType: "audio/flac", data: sound.bytes.toBase64() } }] }],
      generationConfig: {
        audioTranscriptionConfig: { wordTimestamp: true, ...(tag !== undefined && { languageCodes: [tag] }) },
      },
    },
    maxBytes: maxTextResponseBytes,
    responseSchema: TranscriptionResponse,
  };
};

function transcriptIn(
  response: TranscriptionResponse,
  { sound, language }: TranscriptionTask,
  credentials: ModelCredentials,
): Transcript {
  if (isBlocked(response)) throw contentRefused(credentials);
  const [candidate] = response.candidates ?? [];
  if (!candidate || !/^(STOP|FINISH_REASON_STOP)?$/.test(candidate.finishReason ?? "")) {
    throw badResponse(credentials, "it is incomplete");
  }
  const parts = candidate.content?.parts;
  if (!parts) throw badResponse(credentials, "it contains no transcript");
  const text = parts.map((part) => part.text ?? part.audioTranscription?.text ?? "").join("");
  const words = parts.flatMap((part) => part.audioTranscription?.words ?? []).map(toSpokenWord);
  // Google does not report the language
  const spoken = language ?? detectLanguage(text);
  return { text, words: usableWords(words, sound.durationSeconds), ...(spoken !== undefined && { language: spoken }) };
}

const toSpokenWord = ({ word, startOffset, endOffset }: z.infer<typeof Word>) => ({
  text: word,
  start: secondsIn(startOffset),
  end: secondsIn(endOffset),
});

/** The seconds in a duration such as `1.5s`; Google omits zeros. */
const secondsIn = (offset = "0s"): number => Number.parseFloat(offset);
