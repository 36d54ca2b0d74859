import { isJoined } from "./clauses.ts";
import { itemFindings } from "./items.ts";
import { consistsOf, type Finding, isNegatedBefore, type Part, type Rule, withoutHelperWords } from "./sentence.ts";
import { anyOf, anyWord, inflected, vocabularies, wholeWord, wordsOf } from "./vocabulary.ts";

const toneWord = wholeWord(anyOf("tones"), "giu");
const voiceWord = wholeWord(anyOf("voice"));
const negation = wholeWord(anyOf("negation"));
const onlyTone = wholeWord(anyOf("tones", "toneNouns"), "giu");
/** "darf ruhig laut sein" says nothing about calm. */
const particle = wholeWord(anyOf("particles"), "giu");

/** What may follow a tone word that describes the brand or the film: "a warm film", but not "warm bread". */
const follower = anyWord([anyOf("tones", "degree", "prepositions")]);
const attribute = `(?!${anyOf("prepositions")}\\s)\\S+\\s+`;
const describedNoun = `(?:${attribute}){0,3}${anyOf("toneNouns")}`;
const continuation = new RegExp(`^\\s*(?:$|(?:${describedNoun}|${follower})(?![\\p{L}\\p{N}]))`, "iu");

/** Reads adjectives of mood where the sentence is about the brand, a film or their mood, or is only a list. */
export const toneRule: Rule = ({ text, parts, isAboutStyle }, open) => {
  if (voiceWord.test(text)) return { findings: [], used: [] };
  const known = new Set(
    open.filter((part) => isAboutStyle || (part.isFragment && consistsOf(part.text, onlyTone))).filter(hasTone),
  );
  const continuesTones = (part: Part) =>
    (isJoined(part) && known.has(parts[part.index - 1]!)) || isJoinedTo(part, known, parts);
  const used = open.filter(
    (part) =>
      known.has(part) ||
      ((continuesTones(part) || deniesIn(part, isAboutStyle)) && onlyWordOf(part.text) !== undefined),
  );
  return { findings: used.flatMap(tonesIn), used };
};

const isJoinedTo = ({ index }: Part, known: ReadonlySet<Part>, parts: readonly Part[]) => {
  const next = parts[index + 1];
  return next?.joint === "and" && known.has(next);
};

const deniesIn = ({ text, isDenied }: Part, isAboutStyle: boolean) => isAboutStyle && (isDenied || negation.test(text));

const hasTone = (part: Part) => tonesOf(part.text).length > 0;

const tonesOf = (text: string) => {
  const masked = text.replace(particle, (words) => " ".repeat(words.length));
  return [...masked.matchAll(toneWord)].filter(({ 0: word, index }) =>
    continuation.test(masked.slice(index + word.length)),
  );
};

/** The only word of a clause besides helper words. Not a name or a German noun. */
const onlyWordOf = (text: string) => /^\p{Ll}[\p{L}'-]*$/u.exec(withoutHelperWords(text))?.[0];

function tonesIn({ text, isDenied }: Part): readonly Finding[] {
  const tones = tonesOf(text);
  if (isDenied || isNegatedBefore(text, tones[0]?.index ?? text.length)) {
    const found = isDenied ? null : negation.exec(text);
    return itemFindings("avoid", [text.slice((found?.index ?? 0) + (found?.[0].length ?? 0)).trim()]);
  }
  const words = tones.length > 0 ? tones.map(([word]) => word) : [onlyWordOf(text) ?? ""];
  return words.map((word) => ({ field: "tone", value: baseForm(word) }));
}

const entries = vocabularies.flatMap((vocabulary) =>
  wordsOf(vocabulary.tones ?? "").map((word) => ({
    word,
    pattern: new RegExp(`^${inflected(word, vocabulary)}$`, "iu"),
  })),
);

/** The list's own form: "warmen" is "warm". */
function baseForm(found: string): string {
  const word = found.toLowerCase();
  const isListed = entries.some((entry) => entry.word === word);
  return isListed ? word : (entries.find(({ pattern }) => pattern.test(word))?.word ?? word);
}

const maxTones = 4;

/** The most frequent tone words, in the order of the text. */
export function joinTones(findings: readonly Finding[]): string {
  const counts = new Map<string, number>();
  for (const { value } of findings) counts.set(value, (counts.get(value) ?? 0) + 1);
  const byFrequency = [...counts].sort(([, first], [, second]) => second - first);
  return byFrequency
    .slice(0, maxTones)
    .map(([word]) => word)
    .join(", ");
}
