import type { Brief } from "../../../domain/ai/models.ts";
import { capitalize, cleanText, countWords, sentencesOf } from "../../../platform/texts.ts";
import { fillTemplate } from "./content.ts";
import { detectLanguage, type Phrases, parseLanguage, phrasesIn } from "./languages.ts";

/** The text overlays of a video, and texts that are only spoken; null for a scene without one. */
export type ScreenTexts = {
  readonly hook: string | null;
  /** Spoken only. */
  readonly context: string | null;
  readonly product: string | null;
  readonly action: string | null;
  /** The text of the first benefit or detail if no claim fits. */
  readonly benefit: string | null;
  /** The part of each sentence of the product description that fits; null if none does. */
  readonly claims: readonly (string | null)[];
  /** The whole sentences, in the same order, to be spoken. */
  readonly sentences: readonly string[];
  /** Spoken only. */
  readonly detail: string | null;
};

const maxWords = 7;
const maxCharacters = 44;

export function screenTextsFor(brief: Brief): ScreenTexts {
  const name = shortenName(brief.productName);
  const description = cleanText(brief.productDescription, 5000);
  const requested = brief.language.trim();
  const detected = detectLanguage(description);
  const language = requested ? parseLanguage(requested) : (detected ?? "en");
  const phrases = language === undefined ? undefined : phrasesIn(language);
  // claims stay in the description's language: use them only if it is the video's, or either is unknown
  const useClaims = !language || !detected || detected === language;
  const sentences = useClaims ? sentencesOf(description) : [];
  return {
    hook: phrases?.hook ?? null,
    context: phrases?.context ?? null,
    product: phrases && name ? (ifFits(fillTemplate(phrases.product, { name })) ?? name) : name,
    action: actionText(phrases, name),
    benefit: phrases?.benefit ?? null,
    claims: sentences.map(shortenClaim),
    sentences,
    detail: phrases?.detail ?? null,
  };
}

const actionText = (phrases: Phrases | undefined, name: string | null): string | null => {
  if (!phrases) return name;
  return (name && ifFits(fillTemplate(phrases.action, { name }))) ?? name ?? phrases.actionWithoutName;
};

const ifFits = (text: string): string | undefined =>
  countWords(text) <= maxWords && text.length <= maxCharacters ? text : undefined;

/** Keeps the part before the first dash, bracket, comma or colon if the whole name is too long. */
function shortenName(productName: string): string | null {
  const name = cleanText(productName, 200);
  const short = ifFits(name) ?? ifFits(name.split(/\s[-–—|:]\s|[(,:]/u)[0]!.trim());
  return (short ?? cleanText(name.split(" ").slice(0, 4).join(" "), maxCharacters)) || null;
}

/** Keeps the first clause if the whole sentence is too long: later clauses seldom stand alone. */
function shortenClaim(sentence: string): string | null {
  if (ifFits(sentence)) return sentence;
  const [clause = ""] = sentence.split(/\s*[,;:–—،、，；：।.!?。！？]\s*|\s+-\s+/u);
  return ifFits(clause) && countWords(clause) >= 2 ? `${capitalize(clause)}${fullStopFor(clause)}` : null;
}

const fullStopFor = (text: string): string =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? "。" : ".";
