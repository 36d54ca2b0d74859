import { Readable } from "node:stream";
import type { FileStore, ReceivedFile, SoundTools } from "../../../engine/ports.ts";
import type { SpokenWord } from "../../../engine/timeline/captions/words.ts";
import { joinSamples, type Samples, samplesOfWav, secondsOf, wavOf } from "../../../engine/timeline/samples.ts";
import type { MediaFacts } from "../../../engine/timeline/source.ts";
import { type DomainError, isDomainError } from "../../../errors.ts";
import { toThousandths } from "../../../platform/values.ts";
import { newId } from "../../shared/ids.ts";
import { throughOutage } from "../../shared/outages.ts";
import { alignWords } from "../../speech/align-words.ts";
import type { Speech } from "../../speech/speech.ts";
import { splitText, spokenText } from "../../speech/spoken-text.ts";
import { estimateWords } from "../../speech/word-times.ts";
import { receiveKept } from "../generation/generation.ts";
import type { SpeechModel, SpeechTask, TranscriptionModel } from "../models.ts";
import type { ProviderCall } from "../provider-calls.ts";

export type SpeakPorts = { readonly files: FileStore; readonly soundTools: SoundTools };

export type Manner = Omit<SpeechTask, "text">;

/** The models that speak, and the request that their calls belong to. */
export type SpeakContext = {
  readonly call: ProviderCall;
  readonly model: SpeechModel;
  /** Finds the words in the sound; without it their times are estimated. */
  readonly transcriber?: TranscriptionModel;
};

/** A generated voice: a WAV file, and its words. */
type SpokenFile = {
  readonly received: ReceivedFile;
  readonly speech: Speech;
  readonly durationSeconds: number;
};

type SpeakTask<Stored> = {
  /** The result of `spokenText`, not empty. */
  readonly text: string;
  readonly manner: Manner;
  /** Names the steps of this text within its request. */
  readonly step: string;
  readonly store: (voice: SpokenFile) => Promise<Stored>;
};

/** With checkpoints no part of the text is paid twice, even if it was spoken before a crash. */
export async function speakAndStore<Stored>(
  ports: SpeakPorts,
  context: SpeakContext,
  task: SpeakTask<Stored>,
): Promise<Stored> {
  const { text, manner, step, store } = task;
  const parts: SpokenPart[] = [];
  for (const [index, part] of splitText(text, context.model.maxCharacters).entries()) {
    parts.push(await speakPart(ports, context, { ...manner, text: part }, `${step}/${index}`));
  }
  const samples = joinSamples(
    parts.map((part) => part.samples),
    partPauseSeconds,
  );
  const received = await ports.files.receive(Readable.from([wavOf(samples)]), Number.MAX_SAFE_INTEGER);
  try {
    const words = wordsOfParts(parts, manner.language);
    const measured = await measuredWords(ports, context, { received, words, step, ...manner });
    const { language } = manner;
    const stored = await store({
      received,
      durationSeconds: toThousandths(secondsOf(samples)),
      speech: {
        text,
        ...(language !== undefined && { language }),
        words: measured ?? words,
        timing: measured ? "measured" : "estimated",
      },
    });
    const keys = parts.flatMap(({ key }) => key || []);
    await context.call.afterwards(() => ports.files.remove(keys).catch(() => {}));
    return stored;
  } finally {
    await ports.files.discard(received);
  }
}

/** The pause after a part, which ends with a sentence. */
const partPauseSeconds = 0.3;

type SpokenPart = { readonly text: string; readonly samples: Samples; readonly key: string };

const maxPartBytes = 64 * 2 ** 20;

/** Keeps the sound of a part under a key in the request's checkpoint until all parts are stored. */
async function speakPart(
  { files }: SpeakPorts,
  { call, model }: SpeakContext,
  task: SpeechTask,
  step: string,
): Promise<SpokenPart> {
  let spoken: Samples | undefined;
  const key = await call.runOnce(step, async () => {
    spoken = await model.speak(task, call);
    return keep(files, spoken, call);
  });
  return { text: task.text, samples: spoken ?? (await readKept(files, key)), key };
}

/** Waits while the store is unavailable: the sound exists only here. Storing the whole voice reports a full disk. */
async function keep(files: FileStore, samples: Samples, call: ProviderCall): Promise<string> {
  const key = `${call.taskOptions.owner}/${newId("media")}`;
  const received = await files.receive(Readable.from([wavOf(samples)]), maxPartBytes);
  return await throughOutage(() => files.store(received, key))
    .then(() => key)
    .catch(() => "");
}

async function readKept(files: FileStore, key: string): Promise<Samples> {
  const received = await receiveKept(files, key, maxPartBytes);
  try {
    return samplesOfWav(await Bun.file(received.path).bytes());
  } finally {
    await files.discard(received);
  }
}

function wordsOfParts(parts: readonly SpokenPart[], language: string | undefined): readonly SpokenWord[] {
  let start = 0;
  return parts.flatMap(({ text, samples }) => {
    const offset = start;
    start += secondsOf(samples) + partPauseSeconds;
    return estimateWords(text, samples, language).map((word) => ({
      ...word,
      start: word.start + offset,
      end: word.end + offset,
    }));
  });
}

const wavFacts: MediaFacts = {
  kind: "audio",
  container: "wav",
  mimeType: "audio/wav",
  extension: "wav",
  hasSound: true,
};

type WordSearch = Pick<Manner, "language"> & {
  readonly received: ReceivedFile;
  readonly words: readonly SpokenWord[];
  readonly step: string;
};

/** Undefined without a transcriber, or if it fails: the voice itself is valid, and paid for. */
async function measuredWords(
  { soundTools }: SpeakPorts,
  { call, transcriber }: SpeakContext,
  { received, words, step, language }: WordSearch,
): Promise<readonly SpokenWord[] | undefined> {
  if (!transcriber) return undefined;
  try {
    const sound = await soundTools.soundForModel(received.path, wavFacts, call.taskOptions);
    if (!sound) return undefined;
    const task = { sound, ...(language !== undefined && { language }) };
    const heard = await call.runOnce(`${step}/words`, async () => [
      ...(await transcriber.transcribe(task, call)).words,
    ]);
    return alignWords(words, heard, sound.durationSeconds);
  } catch (error) {
    call.clientSignal.throwIfAborted();
    if (isDomainError(error)) return undefined;
    throw error;
  }
}

/** The speakable part of a text. Throws validation_error if there is none. */
export function requireSpoken(text: string, invalidText: () => DomainError): string {
  const spoken = spokenText(text);
  if (spoken === "") throw invalidText();
  return spoken;
}
