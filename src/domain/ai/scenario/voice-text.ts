import { countWords, sentencesOf } from "../../../platform/texts.ts";

/** Equals 150 words a minute. */
const wordsPerSecond = 2.5;

/** The number of words that a voice says in this time without haste. */
export const wordsIn = (seconds: number): number => Math.max(1, Math.floor(seconds * wordsPerSecond));

/** A voice can speak a little faster, and a scene can be fitted to its voice. */
const slack = { text: 1.25, firstSentence: 2 };

/** Keeps as many sentences as fit into this time; of a too long first sentence, its first words. */
export function fitVoiceText(text: string | null, seconds: number): string | null {
  const [first, ...others] = sentencesOf(text ?? "");
  if (first === undefined) return null;
  const words = wordsIn(seconds);
  const opening = countWords(first) <= words * slack.firstSentence ? first : shorten(first, words);
  let fitting = opening;
  if (opening !== first) return opening;
  for (const sentence of others) {
    const longer = `${fitting}${separatorFor(fitting)}${sentence}`;
    if (countWords(longer) > words * slack.text) break;
    fitting = longer;
  }
  return fitting;
}

/** Chinese and Japanese sentences follow each other without a space. */
export const separatorFor = (text: string): string => (/[。！？]$/u.test(text) ? "" : " ");

function shorten(sentence: string, words: number): string {
  const clauses = sentence.split(/(?<=[,;:–—、，；：،؛])/u);
  let fitting = "";
  for (const clause of clauses) {
    if (countWords(fitting + clause) > words) break;
    fitting += clause;
  }
  const kept = fitting || firstWords(sentence, words);
  return `${kept.trim().replace(/[\p{P}\s]+$/u, "")}…`;
}

function firstWords(sentence: string, words: number): string {
  let count = 0;
  for (const { segment, index, isWordLike } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(
    sentence,
  )) {
    if (isWordLike && ++count === words) return sentence.slice(0, index + segment.length);
  }
  return sentence;
}
