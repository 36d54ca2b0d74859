import { countWords, sentencesOf } from "../../../platform/texts.ts";
import type { WebPage } from "../../ai/style-guide/web-pages.ts";
import { priceIn } from "../../language/offers.ts";

type Described = {
  /** The description from the page. */
  readonly description: string;
  /** True if rules have read it, which take the page's own one-sentence description. */
  readonly isByRules: boolean;
  readonly language: string | undefined;
};

/** A film has about this many scenes besides the first and the last one. */
const enoughSentences = 4;

/** The facts of the page's product for a film: its description, further figures on the page, and the price. */
export function describedPage(page: WebPage, { description, isByRules, language }: Described): string {
  const sentences = [...sentencesOf(description)];
  if (isByRules) {
    for (const more of [...sentencesOf(page.product?.description ?? ""), ...figuresIn(page.text)]) {
      if (sentences.length >= enoughSentences) break;
      if (!sentences.some((said) => saysSame(said, more))) sentences.push(more);
    }
  }
  const described = sentences.map(ended).join(" ");
  const price = priceIn(described) === undefined ? priceText(page, language) : undefined;
  return [described, price].filter(Boolean).join(" ");
}

const bare = (sentence: string): string =>
  sentence
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const saysSame = (one: string, other: string): boolean =>
  bare(one).includes(bare(other)) || bare(other).includes(bare(one));

const ended = (sentence: string): string => (/[.!?。！？]$/u.test(sentence) ? sentence : `${sentence}.`);

/** Words about shops and their pages, not about a product. */
const aboutShop =
  /©|\b(?:19|20)\d\d\b|cookie|review|rating|rated|bewert|newsletter|shipping|versand|deliver|liefer|return|rückgabe|vat\b|mwst/iu;

const figureWords = { least: 3, most: 10 };

/** Whole sentences of the page with a number in them. */
const figuresIn = (text: string): readonly string[] =>
  sentencesOf(text).filter((sentence) => {
    const words = countWords(sentence);
    const isShort = words >= figureWords.least && words <= figureWords.most;
    return isShort && /\p{N}/u.test(sentence) && /[.。]$/u.test(sentence) && !aboutShop.test(sentence);
  });

/** Prints the price in a sentence that is later read as a price in this language. */
function priceText({ product }: WebPage, language = "en"): string | undefined {
  if (!product?.price) return undefined;
  const { amount, currency } = product.price;
  const digits = Number.isInteger(amount) ? { maximumFractionDigits: 0 } : {};
  const written = [language, "en"].map((locale) =>
    new Intl.NumberFormat(locale, { style: "currency", currency, ...digits }).format(amount).replaceAll(/\s/gu, " "),
  );
  const label = language.startsWith("de") ? "Preis" : "Price";
  return written.map((price) => `${label}: ${price}.`).find((sentence) => priceIn(sentence) !== undefined);
}
