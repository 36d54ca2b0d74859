import { endsWithOpening, isUnspaced, startsWithClosing } from "../../engine/timeline/captions/scripts.ts";
import { type SpokenWord, timeWords } from "../../engine/timeline/captions/words.ts";
import { DomainError, invalid } from "../../errors.ts";
import { sum } from "../../platform/values.ts";
import { formatQuantity } from "../shared/issue-messages.ts";
import { isLanguageTag } from "../shared/schemas.ts";
import type { Speech } from "../speech/speech.ts";
import type { Work } from "../works/works.ts";
import { type ReadCaptions, readCaptionFile } from "./caption-file.ts";
import type { CaptionsRequest, SpokenWordRequest } from "./schema.ts";
import { maxCaptionCharacters } from "./script.ts";

/** The content of captions, in timeline seconds; for `script` and `voice` it follows from the clips and the voices. */
export type CaptionContent =
  | { readonly kind: "words"; readonly words: readonly SpokenWord[] }
  | ({ readonly kind: "cues" } & ReadCaptions)
  | { readonly kind: "script" }
  | { readonly kind: "voice" };

/** The source that the request names, or else the one that it contains. */
export const captionSource = ({ from, ...given }: CaptionsRequest): NonNullable<CaptionsRequest["from"]> =>
  from ?? (["words", "srt", "vtt", "assetId"] as const).find((name) => given[name] !== undefined) ?? "script";

export const maxWords = 20_000;

type ReadOptions = {
  readonly language?: string | undefined;
  /** The transcript of the request's asset, if it was transcribed. */
  readonly speech?: Speech | undefined;
  /** The id of the project. */
  readonly owner?: string | undefined;
};

/** Reads the captions in the request or its asset. Throws validation_error. */
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
      const read = await readCaptionFile({ text, format: source, path: `captions.${source}`, language, owner });
      return withinBounds({ kind: "cues", ...read }, source);
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

/** A word of a request; `glued` means no space before it. */
type Token = { readonly text: string; readonly start: number; readonly end: number; readonly glued: boolean };

/** The words of a request in spoken order, whole and without empty ones. */
export function givenWords(words: readonly SpokenWordRequest[], language?: string): readonly SpokenWord[] {
  const tokens = wholeWords(tokensOf(words));
  return tokens.flatMap(({ text, start, end, glued }) => {
    const [first, ...others] = timeWords(text, { start, end: Math.max(start, end) }, language);
    return first ? [{ ...first, glued }, ...others] : [];
  });
}

function tokensOf(words: readonly SpokenWordRequest[]): readonly Token[] {
  const named = words.filter(({ text }) => text.trim() !== "");
  // transcripts put the space before a word into its text; a text without a space then continues the word
  const hasSpaces = named.some(({ text }, index) => index > 0 && /^\s/.test(text));
  const inOrder = named.map((word) => ({ ...word, ...timesOf(word) })).toSorted((a, b) => a.start - b.start);
  return inOrder.map(({ text, start, end, glued }, index) => {
    const before = inOrder[index - 1]?.text ?? " ";
    const isGlued = hasSpaces ? !/^\s/.test(text) && !/\s$/.test(before) : isWrittenTogether(before, text);
    return { text: text.trim(), start, end, glued: index > 0 && (glued ?? isGlued) };
  });
}

/** A full-width mark contains its own space. */
const wideMark = /[\u3001-\u3011\uFF01-\uFF5E]$/u;

const isWrittenTogether = (before: string, text: string): boolean =>
  wideMark.test(before) || (isUnspaced(before) && (isUnspaced(text) || startsWithClosing(text)));

/** In seconds. The schema requires one of the two forms. */
const timesOf = ({ start, end, startMs = 0, endMs = 0 }: SpokenWordRequest) => ({
  start: start ?? startMs / 1000,
  end: end ?? endMs / 1000,
});

/** Joins punctuation to the word before it, and syllables to words, except in scripts without spaces. */
function wholeWords(tokens: readonly Token[]): readonly Token[] {
  const words: Token[] = [];
  for (const token of tokens) {
    const last = words.at(-1);
    if (last && continuesWord(last, token)) {
      words[words.length - 1] = { ...last, text: last.text + token.text, end: Math.max(last.end, token.end) };
    } else words.push(token);
  }
  return words;
}

function continuesWord(before: Token, { text, glued }: Token): boolean {
  if (!glued || endsWithOpening(text)) return false;
  return !/[\p{L}\p{N}]/u.test(text) || !(isUnspaced(before.text) || isUnspaced(text));
}

/** The work's language by default, unless it is described in words. */
export const captionLanguage = (
  { language }: { readonly language?: string | undefined },
  work: Pick<Work, "language">,
): string | undefined =>
  language ?? (/^[a-z]{2,3}(-|$)/i.test(work.language) && isLanguageTag(work.language) ? work.language : undefined);
