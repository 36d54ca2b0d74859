import type { Brief } from "../../domain/ai/models.ts";
import { cleanText, countWords, sentencesOf } from "../../domain/shared/texts.ts";
import { languageCalled, languageOf, type Phrases, phrasesOf } from "./phrases.ts";

/** What may be read on screen in a film; null where the picture speaks alone. */
export type ScreenWords = {
  readonly hook: string | null;
  readonly product: string | null;
  readonly action: string | null;
  readonly moment: string | null;
  /** What fits of each sentence of the product's own description; null where nothing does. */
  readonly claims: readonly (string | null)[];
};

const maxWords = 7;
const maxCharacters = 44;

export function screenWordsOf(brief: Brief): ScreenWords {
  const name = shortName(brief.productName);
  const description = cleanText(brief.productDescription, 5000);
  const wanted = brief.language.trim();
  const written = languageOf(description);
  const language = wanted ? languageCalled(wanted) : (written ?? "en");
  const phrases = language === undefined ? undefined : phrasesOf(language);
  // its own words serve only where they are in the film's language, as far as that can be told
  const isReadable = !language || !written || written === language;
  return {
    hook: phrases?.hook ?? null,
    product: phrases && name ? (fitting(withName(phrases.meet, name)) ?? name) : name,
    action: actionOf(phrases, name),
    moment: phrases?.moment ?? null,
    claims: isReadable ? sentencesOf(description).map(claimIn) : [],
  };
}

const actionOf = (phrases: Phrases | undefined, name: string | null): string | null => {
  if (!phrases) return name;
  return (name && fitting(withName(phrases.action, name))) ?? name ?? phrases.see;
};

const withName = (phrase: string, name: string): string => phrase.replace("{name}", () => name);

const fitting = (text: string): string | undefined =>
  countWords(text) <= maxWords && text.length <= maxCharacters ? text : undefined;

/** What stands before the first dash or bracket, where the whole is too long for a title. */
function shortName(productName: string): string | null {
  const name = cleanText(productName, 200);
  const short = fitting(name) ?? fitting(name.split(/\s[-–—|:]\s|[(,:]/u)[0]!.trim());
  return (short ?? cleanText(name.split(" ").slice(0, 4).join(" "), maxCharacters)) || null;
}

/** A sentence that fits, else what it begins with: later clauses seldom stand alone. */
function claimIn(sentence: string): string | null {
  if (fitting(sentence)) return sentence;
  const [first = ""] = sentence.split(/\s*[,;:–—،、，；：।.!?。！？]\s*|\s+-\s+/u);
  return fitting(first) && countWords(first) >= 2 ? `${upperFirst(first)}${fullStop(first)}` : null;
}

const fullStop = (text: string): string =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? "。" : ".";

const upperFirst = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
