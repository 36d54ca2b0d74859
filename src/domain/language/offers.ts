import { countWords, sentencesOf } from "../../platform/texts.ts";

const webAddress = /(?<![@\w.])(?:https?:\/\/)?(?:www\.)?((?:[a-z0-9-]+\.)+[a-z]{2,})(?![\w@])(?:\/[^\s]*)?/iu;
const sum =
  /(?:[$€£¥₹]\s?\d(?:[\d.,]*\d)?|\d(?:[\d.,]*\d)?\s?(?:€|£|EUR|USD|CHF|円|ريال|دولار|يورو|درهم|دينار|دنانير|جنيه|ليرة)(?!\p{N}))/u
    .source;
const before =
  "only|just|from|for|once|nur|ab|für|einmalig|pauschal|costs?|kostet|price:?|preis:?|desde|dès|السعر(?:\\s+من)?|من|بسعر";
/** The time or amount of a price, without which it is incomplete. */
const unit = String.raw`(?:\s?(?:(?:a|an|per|pro|im|je|par|al|por)\s+|/\s?|(?:la|le|l['’]|das)\s?|(?:les|las|los|le|die)\s(?:\p{N}+|deux|trois|quatre|dos|tres|due|tre|zwei|drei)\s)\p{L}{2,9}|\s(?:each|apiece|pièce))?`;
const namedPrice = new RegExp(`(?<!\\p{L})((?:${before})\\s+${sum}${unit})|(${sum}\\s?(?:から|より|～))`, "iu");
const besideAddress = new RegExp(`(?<!\\p{L})((?:(?:${before})\\s+)?${sum}${unit})`, "iu");
const droppedWord = /^(?:only|just|nur|for|für|costs?|kostet|price:?|preis:?|السعر)\s+/iu;

type PlacedPrice = { readonly text: string; readonly start: number; readonly end: number };

/** All prices in a text, with their units. */
export const pricesIn = (text: string): readonly PlacedPrice[] =>
  [...text.matchAll(new RegExp(`${sum}${unit}`, "giu"))].map(({ 0: found, index }) => ({
    ...{ text: found, start: index, end: index + found.length },
  }));

/** The host in a text. */
export const addressIn = (text: string): string | undefined => webAddress.exec(text)?.[1];

const maxPageCharacters = 34;

/** The host in a text with its path, if it is short enough to type. */
export function pageIn(text: string): string | undefined {
  const [found = "", host] = webAddress.exec(text) ?? [];
  const page = found
    .replace(/^https?:\/\/|^www\./giu, "")
    .replace(/^www\./iu, "")
    .replace(/[/.,;:!?)\]"'”’»]+$/u, "");
  return page.length <= maxPageCharacters && page.includes("/") ? page : host;
}

const maxOfferWords = 6;

/** The particle after a Japanese address. */
const particleAfter = String.raw`(?:\s*(?:にて|から|より|で|へ)(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]))?`;

/** Removes the address from a sentence, and the words that lead to it. */
export const withoutAddress = (sentence: string): string =>
  sentence
    .replace(
      new RegExp(
        `(?:\\s+(?:or|oder|ou|o|and|und|et|y))?(?:\\s+(?:at|on|from|auf|unter|bei|en|sur|chez|من|على|عبر|في|لدى))?\\s*${webAddress.source}${particleAfter}`,
        "iu",
      ),
      "",
    )
    .replace(/は\s*まで(?=[。！]?$)/u, "")
    .replace(/[\s,.。]+$/u, "");

/** At most a few signs of another script, such as "one person". */
const beginsWithPrice = new RegExp(`^(?:(?:${before})\\s+|\\P{sc=Latin}{0,4})${sum}`, "iu");

/** The period of an offer. */
const term = String.raw`(?:\s(?:until|till|through|today|this|bis|heute|diese|jusqu|hasta|حتى)(?!\p{L}).*)?`;
const isPriceAlone = new RegExp(`^\\P{sc=Latin}{0,4}${sum}${unit}(?:です)?${term}$`, "iu");

/** A sentence that consists of a price, without the address in it. */
export function shortOffer(sentence: string): string | undefined {
  const offer = withoutAddress(sentence);
  const isOffer = namedPrice.test(sentence) || webAddress.test(sentence) || isPriceAlone.test(offer);
  return isOffer && beginsWithPrice.test(offer) && countWords(offer) <= maxOfferWords ? offer : undefined;
}

/** The price in a text: after a price word, or beside the address. */
export function priceIn(text: string): string | undefined {
  for (const sentence of sentencesOf(text)) {
    const offer = shortOffer(sentence);
    if (offer !== undefined) return offer.replace(droppedWord, "").replace(/です$/u, "");
    const named = namedPrice.exec(sentence);
    const clauses = sentence.split(/[;–—،]|,(?!\d)/u).map((clause) => clause.replace(/[.!]$/u, "").trim());
    const alone = clauses.find((clause) => isPriceAlone.test(clause));
    const beside = webAddress.test(sentence) ? besideAddress.exec(sentence)?.[1] : undefined;
    // the first one: "from" may follow with the price of something else
    const isFirst = alone !== undefined && sentence.indexOf(alone) <= (named?.index ?? sentence.length);
    const price = isFirst ? alone : (named?.[1] ?? named?.[2] ?? beside);
    if (price) return price.replace(droppedWord, "").replace(/です$/u, "").trim();
  }
  return undefined;
}
