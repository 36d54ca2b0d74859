import { countWords, sentencesOf } from "../../../platform/texts.ts";
import type { WebPage } from "../../ai/style-guide/web-pages.ts";
import { priceIn } from "../../language/offers.ts";

type Described = {
  /** As the page was read. */
  readonly description: string;
  /** Rules have read it, which take the one sentence that it describes itself with. */
  readonly isByRules: boolean;
  readonly language: string | undefined;
};

/** A film has about so many scenes besides the first and the last one. */
const enoughSentences = 4;

/** What a film may say of the page's product: its description, what the page adds in plain figures, and the price. */
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

/** Of shops and their pages, and of no product. */
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

/** A sentence, as the language writes it where that is read again as a price. */
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
