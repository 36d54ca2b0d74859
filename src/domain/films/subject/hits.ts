import { isFunctionWord } from "./language.ts";
import type { Certainty, SubjectWords } from "./library.ts";
import { isHeadFirst, joinsCompounds, keyOf, stem, type Token } from "./stem.ts";

/** A subject that a text names. */
export type Hit = {
  readonly id: string;
  readonly certainty: Certainty;
  /** The words that name it are `start` to before `end`. */
  readonly start: number;
  readonly end: number;
  /** Found as the last part of a longer word. */
  readonly isCompound: boolean;
};

type Found = {
  readonly id: string;
  readonly certainty: Certainty;
  readonly length: number;
  readonly isCompound: boolean;
};

const longestPhrase = 6;

/** What a text names. */
export type Reading = {
  readonly hits: readonly Hit[];
  /** All known phrases, those that name nothing included. */
  readonly phrases: readonly Span[];
  /** It names a thing, or is a figure of speech, that no subject shows. */
  readonly hasOthers: boolean;
};

type Span = { readonly start: number; readonly end: number };

/** What a text names, from its beginning to its end, without what only describes another thing. */
export function readSubjects(tokens: readonly Token[], words: SubjectWords, language: string): Reading {
  const hits: Hit[] = [];
  const phrases: Span[] = [];
  let hasOthers = false;
  for (let at = 0; at < tokens.length; ) {
    const found = longestAt(tokens, at, words, language);
    const span = { start: at, end: at + (found?.length ?? 1) };
    if (found) phrases.push(span);
    if (found?.id === "") hasOthers = true;
    else if (found) hits.push({ id: found.id, certainty: found.certainty, isCompound: found.isCompound, ...span });
    at = span.end;
  }
  const main = withoutFollowers(hits, tokens, words);
  return { hits: isHeadFirst(language) ? main : withoutModifiers(main, tokens, words), phrases, hasOthers };
}

function longestAt(tokens: readonly Token[], at: number, words: SubjectWords, language: string): Found | undefined {
  for (let length = Math.min(longestPhrase, tokens.length - at); length > 0; length--) {
    const part = tokens.slice(at, at + length);
    if (length === 1 && isFunctionWord(part[0]!.word, language)) return;
    if (part.some(({ begins }, index) => begins && index > 0)) continue;
    const found = words.phrases.get(keyOf(part, language));
    if (found !== undefined) return { ...(found ?? nothing), length, isCompound: false };
  }
  const token = tokens[at]!;
  if (!joinsCompounds(language)) return;
  const found = compound(token.word, words, language);
  return found === undefined ? undefined : { ...(found ?? nothing), length: 1, isCompound: true };
}

const nothing = { id: "", certainty: "about" } as const;

/** Short nouns that end few other words. */
const safeEndings = new Set(["brot", "wein", "bett", "bier", "hemd", "brod", "wijn", "fiets"]);

const hasVowel = (part: string) => /[aeiouy]/u.test(part);

/** What the longest known ending of a word names; null if it names another thing. */
function compound(word: string, words: SubjectWords, language: string): Found | null | undefined {
  for (let start = 3; start <= word.length - 3; start++) {
    const ending = stem(word.slice(start), language);
    const beginning = word.slice(0, start);
    if (!hasVowel(beginning)) continue;
    const before = words.places.has(ending) ? beginningOf(beginning, words, language) : undefined;
    if (before) return { ...before, length: 1, isCompound: true };
    const found = words.phrases.get(ending);
    const isLong = word.length - start >= 5 || safeEndings.has(word.slice(start));
    if (found && found.certainty === "name" && isLong) return { ...found, length: 1, isCompound: true };
    if (words.others.has(ending)) return null;
  }
}

/** What the first part of a compound names, with or without the letters that join. */
function beginningOf(beginning: string, words: SubjectWords, language: string) {
  for (const part of [beginning, beginning.replace(/(?:s|n|en|er|e)$/u, "")]) {
    const found = words.phrases.get(stem(part, language)) ?? compound(part, words, language);
    if (found && found.certainty === "name") return found;
  }
}

/** Things whose contents are the subject: a bottle of wine. */
const containers = new Set(["lotion-bottle", "jar", "package", "basket", "tumbler-glass"]);

const isMain = ({ certainty }: Hit) => certainty === "name" || certainty === "part";

/** Leaves out what describes the thing before it: "cup of coffee", "tasse à café". */
function withoutFollowers(hits: readonly Hit[], tokens: readonly Token[], words: SubjectWords): readonly Hit[] {
  const kept: Hit[] = [];
  for (const hit of hits) {
    const start = linkedStart(hit, tokens, words);
    const before = kept.at(-1);
    const isLinked = start < hit.start;
    if (isLinked && words.others.has(tokens[start - 1]?.stem ?? "")) continue;
    if (before && isLinked && before.end === start && !tokens[start]!.begins) {
      if (containers.has(before.id)) kept.pop();
      else if (isMain(before)) continue;
    }
    kept.push(hit);
  }
  return kept;
}

/** Where the words begin that link a thing to the one before it. */
function linkedStart({ start }: Hit, tokens: readonly Token[], { link }: SubjectWords): number {
  let at = start;
  while (at > 0 && start - at < 3 && !tokens[at]!.begins && link.has(tokens[at - 1]!.word)) at--;
  return at;
}

/** Leaves out what describes the thing behind it: "coffee table", "chocolate cake". */
const withoutModifiers = (hits: readonly Hit[], tokens: readonly Token[], words: SubjectWords): readonly Hit[] =>
  hits.filter((hit, index) => {
    const next = tokens[hit.end];
    if (!next || next.begins) return true;
    const following = hits[index + 1];
    if (following?.start === hit.end && isMain(following)) return false;
    return !words.others.has(next.stem);
  });
