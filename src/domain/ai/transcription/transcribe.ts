import type { InspectedFile, SoundTools } from "../../../engine/ports.ts";
import { endsSentence } from "../../../engine/timeline/captions/scripts.ts";
import { type SpokenWord, timeWords } from "../../../engine/timeline/captions/words.ts";
import { DomainError } from "../../../errors.ts";
import { toThousandths } from "../../../platform/values.ts";
import { alignWords } from "../../speech/align-words.ts";
import type { Speech } from "../../speech/speech.ts";
import type { Transcript, TranscriptionModel } from "../models.ts";
import type { ProviderCall } from "../provider-calls.ts";

export type Transcription = Speech & { readonly duration: number; readonly segments: readonly Segment[] };

/** The transcription model, and the request that its calls belong to. */
export type TranscriptionContext = { readonly model: TranscriptionModel; readonly call: ProviderCall };

type TranscriptionTask = {
  readonly file: Pick<InspectedFile, "path" | "facts">;
  readonly language?: string;
  /** The field that names the file, for errors. */
  readonly path: string;
};

/** Quieter than any voice: for silence, models invent words. */
const silenceDecibels = -50;
/** Models refuse shorter sounds. */
const minSeconds = 0.1;

/** Transcribes a file, with the times of its words. A silent file costs nothing. */
export async function transcribe(
  { soundTools }: { readonly soundTools: SoundTools },
  { model, call }: TranscriptionContext,
  { file, language, path }: TranscriptionTask,
): Promise<Transcription> {
  requireSound(model, file, path);
  const sound = await soundTools.soundForModel(file.path, file.facts, call.taskOptions);
  if (!sound) throw new DomainError("source_unreadable", { path, what });
  const { durationSeconds, peakDecibels } = sound;
  if (durationSeconds > model.maxSeconds || sound.bytes.length > model.maxBytes) throw tooLarge(model);
  const duration = toThousandths(durationSeconds);
  const spoken = { ...(language !== undefined && { language }) };
  const isSilent = durationSeconds < minSeconds || !(peakDecibels > silenceDecibels);
  const heard: Transcript = isSilent
    ? { text: "", words: [], ...spoken }
    : await call.runOnce("transcript", async () => {
        const { words, ...transcript } = await model.transcribe({ sound, ...spoken }, call);
        return { ...transcript, words: [...words] };
      });
  return transcriptionOf(heard, duration);
}

function requireSound(model: TranscriptionModel, { facts }: TranscriptionTask["file"], path: string): void {
  if (facts.kind !== "audio" && !facts.hasSound) {
    throw new DomainError("asset_wrong_type", { path, what, expected: "a file with sound" });
  }
  if ((facts.durationSeconds ?? 0) > model.maxSeconds) throw tooLarge(model);
}

const tooLarge = ({ providerName: provider }: TranscriptionModel) => new DomainError("media_too_large", { provider });

/** Restores the punctuation of the text, which the words of some models lack. */
function transcriptionOf({ text: heard, language, words }: Transcript, duration: number): Transcription {
  const text = heard.replace(/\s+/gu, " ").trim();
  const estimated = text === "" ? [] : timeWords(text, { start: 0, end: duration }, language);
  const measured = words.length > 0 ? alignWords(estimated, words, duration) : undefined;
  const timed = (measured ?? estimated).map(rounded);
  return {
    text,
    ...(language !== undefined && { language }),
    words: timed,
    timing: measured || text === "" ? "measured" : "estimated",
    duration,
    segments: segmentsOf(timed),
  };
}

const rounded = ({ text, start, end, glued }: SpokenWord): SpokenWord => ({
  text,
  start: toThousandths(start),
  end: toThousandths(end),
  ...(glued && { glued }),
});

const what = "The file";

/** A sentence, or a part of a long one. */
type Segment = { readonly text: string; readonly start: number; readonly end: number };

/** A longer pause ends a segment, even inside a sentence. */
const maxPauseSeconds = 1;
const maxSegmentSeconds = 15;

export function segmentsOf(words: readonly SpokenWord[]): readonly Segment[] {
  const groups: SpokenWord[][] = [];
  words.forEach((word, at) => {
    const before = words[at - 1];
    if (before && !endsSegment(groups.at(-1)![0]!, before, word)) groups.at(-1)!.push(word);
    else groups.push([word]);
  });
  return groups.map((group) => ({ text: textOf(group), start: group[0]!.start, end: group.at(-1)!.end }));
}

const endsSegment = (first: SpokenWord, before: SpokenWord, next: SpokenWord): boolean =>
  endsSentence(before.text, next.text) ||
  next.start - before.end > maxPauseSeconds ||
  next.end - first.start > maxSegmentSeconds;

const textOf = (words: readonly SpokenWord[]): string =>
  words.map(({ text, glued }, at) => (glued || at === 0 ? text : ` ${text}`)).join("");
