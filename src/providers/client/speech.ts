import type { SpeechModel as SdkModel } from "ai";
import type { SpeechModel, SpeechTask } from "../../domain/ai/models.ts";
import type { CallResult, ProviderCall, UsageAmounts } from "../../domain/ai/provider-calls.ts";
import type { SoundTools } from "../../engine/ports.ts";
import { peakDecibels, type Samples, secondsOf, soundSpans } from "../../engine/timeline/samples.ts";
import { invalid, isDomainError } from "../../errors.ts";
import type { ModelCredentials } from "./credentials.ts";
import { badResponse, contentRefused, isSdkError, toProviderError } from "./errors.ts";
import { type RetryPolicy, retryTransient, withRetry } from "./retry.ts";

/** Ten minutes of WAV have 29 MB. */
export const maxSoundBytes = 64 * 2 ** 20;

type SpeechTarget = {
  readonly credentials: ModelCredentials;
  /** Loads the provider's package, only at the first request. */
  readonly model: (call: ProviderCall) => Promise<SdkModel>;
  readonly voices: readonly string[];
  /** The provider's id of a voice; also for unlisted voices, if the provider has others. Default: its name. */
  readonly voiceId?: (name: string) => string | undefined;
  /** A lossless format; `wav` by default. */
  readonly outputFormat?: string;
  readonly maxCharacters: number;
  /** The further options of a request, besides the text and the voice. */
  readonly optionsFor: (task: SpeechTask) => { readonly language?: string; readonly instructions?: string };
};

/** Our speech model on top of one of the AI SDK. A lost sound is billed too, so requests are rarely repeated. */
export const speechModel = (target: SpeechTarget, sounds: SoundTools): SpeechModel => ({
  isBilled: true,
  id: { provider: target.credentials.providerId, model: target.credentials.modelId },
  maxCharacters: target.maxCharacters,
  voiceNamed: (name) => voiceNamed(target, name),
  speak({ ...task }, call) {
    const { providerId: provider, modelId: model } = target.credentials;
    const idempotencyKey = call.idempotencyKey(`${model} ${task.voice} ${task.text}`);
    const attempt = () =>
      call.track({ provider, model, purpose: "speech", bound: boundOf(task), idempotencyKey }, (signal) =>
        speakOnce(target, sounds, task, { call, signal, idempotencyKey }),
      );
    return withRetry(attempt, call.deadlineSignal(), retryRefused);
  },
});

/** No speech is slower than this, pauses included. */
const maxSecondsPerCharacter = 0.5;
const tokensPerSecond = 32;

function boundOf({ text, instructions }: SpeechTask) {
  const seconds = 5 + text.length * maxSecondsPerCharacter;
  return {
    characters: text.length,
    seconds,
    inputTokens: Buffer.byteLength(text) + Buffer.byteLength(instructions) + 100,
    outputTokens: Math.ceil(seconds * tokensPerSecond),
  };
}

function voiceNamed({ voices, voiceId, credentials }: SpeechTarget, name: string | undefined): string {
  const wanted = name?.trim() || voices[0]!; // safe because every model has a voice
  const found = voices.find((voice) => voice.toLowerCase() === wanted.toLowerCase());
  if (found) return found;
  if (voiceId?.(wanted) !== undefined) return wanted;
  throw invalid("voice", `Must be a voice of ${credentials.providerName}'s model: ${voices.join(", ")}.`);
}

/** Retries only what the provider rejected before it did any work. */
export const retryRefused: RetryPolicy = (error, attempt) =>
  isDomainError(error) && (error.code === "provider_rate_limited" || error.code === "provider_overloaded")
    ? retryTransient(error, attempt)
    : undefined;

type SentCall = { readonly call: ProviderCall; readonly signal: AbortSignal; readonly idempotencyKey: string };

async function speakOnce(
  target: SpeechTarget,
  sounds: SoundTools,
  task: SpeechTask,
  sent: SentCall,
): Promise<CallResult<Samples>> {
  const { credentials } = target;
  const answer = await requestSpeech(target, task, sent);
  if ("failure" in answer) return answer;
  const { bytes, tokens } = answer;
  const options = { ...sent.call.taskOptions, signal: sent.signal };
  // no model is asked for another speed, because most ignore it
  const decoded = await sounds.decodeVoice(bytes, task.speed, options).catch((error) => {
    if (sent.signal.aborted || !isDomainError(error)) throw error;
    // this machine is busy, or lacks space: the provider has answered
    return { failure: error, isCharged: true };
  });
  if (decoded && "failure" in decoded) return { ...decoded, ...tokens };
  const samples = decoded;
  const fault = samples ? speechFault(samples, task) : "it is not a sound";
  const amounts = { ...(samples && { seconds: secondsOf(samples) }), ...tokens };
  return fault || !samples
    ? { failure: badResponse(credentials, fault ?? "it is not a sound"), ...amounts }
    : { result: samples, ...amounts };
}

async function requestSpeech(
  target: SpeechTarget,
  task: SpeechTask,
  { call, signal: abortSignal, idempotencyKey }: SentCall,
) {
  const { credentials, outputFormat = "wav" } = target;
  const voice = target.voiceId?.(task.voice) ?? task.voice;
  const { generateSpeech } = await import("ai");
  try {
    const { audio, responses } = await generateSpeech({
      ...{ model: await target.model(call), text: task.text, voice, outputFormat, maxRetries: 0, abortSignal },
      headers: { "idempotency-key": idempotencyKey },
      ...target.optionsFor(task),
    });
    return { bytes: audio.uint8Array, tokens: tokensIn(responses[0]?.body) };
  } catch (error) {
    if (isSdkError(error, "NoSpeechGeneratedError")) {
      const isRefused = refusal.test(JSON.stringify(error.responses.map(({ body }) => reasonsIn(body))));
      const failure = isRefused ? contentRefused(credentials) : badResponse(credentials, "it contains no sound");
      return { failure, ...tokensIn(error.responses[0]?.body) };
    }
    // thrown for a sound that is not base64
    const isNoSound = error instanceof DOMException && error.name === "InvalidCharacterError";
    throw isNoSound ? badResponse(credentials, "it is not a sound") : toProviderError(error, credentials);
  }
}

/** The usage that Google reports; OpenAI reports none. */
function tokensIn(body: unknown): UsageAmounts {
  const { promptTokenCount, candidatesTokenCount } = ((body ?? {}) as GoogleBody).usageMetadata ?? {};
  return {
    ...(typeof promptTokenCount === "number" && { inputTokens: promptTokenCount }),
    ...(typeof candidatesTokenCount === "number" && { outputTokens: candidatesTokenCount }),
  };
}

const refusal = /SAFETY|PROHIBITED_CONTENT|BLOCKLIST|SPII|RECITATION/;

type GoogleBody = {
  readonly usageMetadata?: { readonly promptTokenCount?: unknown; readonly candidatesTokenCount?: unknown };
  readonly candidates?: readonly { readonly finishReason?: unknown }[];
  readonly promptFeedback?: { readonly blockReason?: unknown };
};

/** The reason why Google returned no sound. Safe to read because absent fields are undefined. */
function reasonsIn(body: unknown) {
  const { candidates, promptFeedback } = (body ?? {}) as GoogleBody;
  return [candidates?.[0]?.finishReason, promptFeedback?.blockReason];
}

type SpokenText = { readonly text: string; readonly speed: number; readonly instructions: string };

/** Quieter than any voice. */
const minPeakDecibels = -50;

/** The fastest speech in letters a second. Instructions may ask for haste. */
const fastest = { plain: 25, instructed: 30 };
const slowest = 5;
/** The seconds for breath, and for a pause at either end. */
const spareSeconds = 2;

/** The evidence that a text is not heard completely; undefined if there is none. */
function speechFault(samples: Samples, { text, speed, instructions }: SpokenText): string | undefined {
  if (samples.length === 0) return "its sound is empty";
  if (!(peakDecibels(samples) > minPeakDecibels)) return "its sound is silent";
  const spans = soundSpans(samples);
  const heardSeconds = spans.at(-1)!.end - spans[0]!.start; // safe because something is heard
  const letters = letterCount(text);
  const maxRate = (instructions ? fastest.instructed : fastest.plain) * speed;
  if (heardSeconds * maxRate < letters) return "its sound is too short for the text";
  const maxSeconds = letterCount(text.replace(unclearLength, "aaaaaaaa")) / slowest + spareSeconds;
  return secondsOf(samples) * speed > maxSeconds ? "its sound is too long for the text" : undefined;
}

/** Digits and signs are spoken as whole words, and capitals perhaps one by one. */
const unclearLength = /[\p{N}\p{S}\p{Lu}]/gu;

const syllabic = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Words with one space between. A Chinese, Japanese or Korean character takes as long as three letters. */
const letterCount = (text: string): number =>
  text
    .replace(/\p{M}/gu, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .replace(syllabic, "aaa")
    .trim().length;
