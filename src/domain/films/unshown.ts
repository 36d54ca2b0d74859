import { isUnspaced } from "../../engine/timeline/captions/scripts.ts";
import { withoutStepMarks } from "../../platform/texts.ts";
import { withShortRating } from "../language/forms.ts";
import { introductionIn, isEmptyWord } from "../language/function-words.ts";

/** The end of a clause. A sign between digits belongs to its number. */
const clauseEnd = /(?<=[.!?](?=\s|$)|[,;:](?!\p{N})|[。！？、，；：،؛\n()]|\s[-–—](?=\s))/u;
const sentenceEnd = /(?:[.!?。！？]\s*|\n\s*)$/u;

const words = /[\p{Sc}%]|\p{N}+(?:[.,:/]\p{N}+)*|[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*/gu;
const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

const plain = (text: string): string => withShortRating(text.normalize("NFKC").toLowerCase().replaceAll("’", "'"));

/** The meaningful words, numbers and signs of a text. */
function wordsIn(text: string): readonly string[] {
  const found = plain(text).match(words) ?? [];
  return found
    .flatMap((word) => (isUnspaced(word) ? [...segmenter.segment(word)].map(({ segment }) => segment) : [word]))
    .filter((word) => !isEmptyWord(word) && !/^\p{sc=Hiragana}{1,2}$/u.test(word));
}

/** Other forms of a word with a different ending: "folds" for "fold". */
const formsOf = (word: string): readonly string[] =>
  [0, 1, 2].flatMap((count) => (count === 0 || word.length - count >= 4 ? [word.slice(0, word.length - count)] : []));

/** A longer clause takes more than two scenes. */
const maxColumns = 120;

type Said = { readonly forms: ReadonlySet<string>; readonly text: string };

const saidIn = (texts: readonly string[]): Said => ({
  forms: new Set(texts.flatMap((text) => plain(text).match(words) ?? []).flatMap(formsOf)),
  text: plain(texts.join("")).replace(/\s/gu, ""),
});

function says({ forms, text }: Said, word: string): boolean {
  // texts without spaces are separated only by lines and scenes
  if (isUnspaced(word)) return text.includes(word);
  // in Arabic the word for "and" is part of the next word
  if (/^و\p{sc=Arabic}{3,}$/u.test(word) && forms.has(word.slice(1))) return true;
  return /\p{N}/u.test(word) ? forms.has(word) : formsOf(word).some((form) => forms.has(form));
}

/** True if texts contain all meaningful words of the speech. */
export function tells(texts: readonly string[], spoken: string): boolean {
  const shown = saidIn(texts);
  return wordsIn(spoken).every((word) => says(shown, word));
}

/** A longer list is unreadable: neighbors are then joined. */
const maxParts = 50;

/**
 * The parts of a brief that a film neither shows nor says, as written. A clause is shown if all of its words appear, in
 * one scene or in two consecutive ones; the name and the end card count with each.
 */
export function unshownParts(brief: string, scenes: readonly (readonly string[])[]): readonly string[] {
  const always = [...(scenes[0] ?? []), ...(scenes.at(-1) ?? [])];
  const views = scenes.map((texts, at) => saidIn([...always, ...texts, ...(scenes[at + 1] ?? [])]));
  const whole = [saidIn([...always, ...scenes.flat()])];
  const clauses = withoutStepMarks(brief)
    .split(clauseEnd)
    .map((text) => {
      const { name = "", rest = text } = introductionIn(text.trim()) ?? {};
      const own = wordsIn(`${name} ${rest}`);
      const told = text.length > maxColumns ? whole : views;
      return { text, isTold: own.length === 0 || told.some((said) => own.every((word) => says(said, word))) };
    });
  const parts = partsOf(clauses, sentenceEnd);
  return parts.length <= maxParts ? parts : partsOf(clauses, undefined);
}

type Clause = { readonly text: string; readonly isTold: boolean };

/** Joins neighboring clauses that are not shown, up to the end of their sentence. */
function partsOf(clauses: readonly Clause[], end: RegExp | undefined): readonly string[] {
  const parts: string[] = [];
  let part = "";
  const close = () => {
    const text = part.replace(/\s+/gu, " ").replace(/^[\s(]+|[\s,;:(–—、，؛،-]+$/gu, "");
    if (text !== "") parts.push(text);
    part = "";
  };
  for (const { text, isTold } of clauses) {
    if (isTold) close();
    else part += text;
    if (end?.test(text)) close();
  }
  close();
  return parts;
}
