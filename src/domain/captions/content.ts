import { DomainError, invalid } from "../../errors.ts";
import { sum } from "../../platform/sum.ts";
import type { SpokenWord } from "../../timeline/captions/words.ts";
import { formatQuantity } from "../shared/issue-messages.ts";
import type { Speech } from "../speech/speech.ts";
import { readCaptionFile, type TimedCue } from "./caption-file.ts";
import { givenWords } from "./given-words.ts";
import type { CaptionsRequest } from "./schema.ts";
import { maxCaptionCharacters } from "./script.ts";

/** What captions say, in seconds on the timeline; of `script` and `voice` it follows from the clips and the voices. */
export type CaptionContent =
  | { readonly kind: "words"; readonly words: readonly SpokenWord[] }
  | { readonly kind: "cues"; readonly cues: readonly TimedCue[] }
  | { readonly kind: "script" }
  | { readonly kind: "voice" };

/** The source that the request names, or else the one that it gives. */
export const captionSource = ({ from, ...given }: CaptionsRequest): NonNullable<CaptionsRequest["from"]> =>
  from ?? (["words", "srt", "vtt", "assetId"] as const).find((name) => given[name] !== undefined) ?? "script";

export const maxWords = 20_000;

type ReadOptions = {
  readonly language?: string | undefined;
  /** What is said in the asset that the request names, if it was transcribed. */
  readonly speech?: Speech | undefined;
  /** Project id. */
  readonly owner?: string | undefined;
};

/** Reads what the request itself or its asset says. Throws validation_error. */
export async function readCaptions(
  request: CaptionsRequest,
  { language, speech, owner }: ReadOptions,
): Promise<CaptionContent> {
  const source = captionSource(request);
  switch (source) {
    case "script":
    case "voice":
      return { kind: source };
    case "words": {
      const words = required(request, source);
      requireLength(words, source);
      return withinBounds({ kind: "words", words: givenWords(words, language) }, source);
    }
    case "srt":
    case "vtt": {
      const text = required(request, source);
      const cues = await readCaptionFile({ text, format: source, path: `captions.${source}`, language, owner });
      return withinBounds({ kind: "cues", cues }, source);
    }
    case "assetId": {
      const assetId = required(request, source);
      if (speech) return withinBounds({ kind: "words", words: speech.words }, source);
      throw new DomainError("validation_error", {
        issues: [{ path: "captions.assetId", message: noTranscript(assetId) }],
      });
    }
  }
}

const noTranscript = (assetId: string): string =>
  `Asset ${assetId} has no transcript: transcribe it with POST /api/transcribe first.`;

function required<Source extends "words" | "srt" | "vtt" | "assetId">(request: CaptionsRequest, source: Source) {
  const value = request[source];
  if (value === undefined) throw invalid(`captions.${source}`, `Is required, because from is ${source}.`);
  return value;
}

function withinBounds<Content extends Extract<CaptionContent, { kind: "words" | "cues" }>>(
  content: Content,
  source: string,
): Content {
  const words = content.kind === "words" ? content.words : content.cues.flatMap(({ lines }) => lines.flat());
  requireLength(words, source);
  if (words.length <= maxWords) return content;
  throw invalid(`captions.${source}`, `Must have at most ${formatQuantity(maxWords, "words")}.`);
}

function requireLength(words: readonly { readonly text: string }[], source: string): void {
  if (sum(words.map(({ text }) => text.length)) <= maxCaptionCharacters) return;
  throw invalid(
    `captions.${source}`,
    `Must have at most ${formatQuantity(maxCaptionCharacters, "characters")} of text.`,
  );
}
