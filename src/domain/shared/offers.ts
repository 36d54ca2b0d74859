import { countWords, sentencesOf } from "./texts.ts";

const webAddress = /(?<![@\w.])(?:https?:\/\/)?(?:www\.)?((?:[a-z0-9-]+\.)+[a-z]{2,})(?![\w@])(?:\/[^\s]*)?/iu;
const sum =
  /(?:[$€£¥₹]\s?\d(?:[\d.,]*\d)?|\d(?:[\d.,]*\d)?\s?(?:€|£|EUR|USD|CHF|円|ريال|دولار|يورو|درهم|دينار|دنانير|جنيه|ليرة))/u
    .source;
const before =
  "only|just|from|for|once|nur|ab|für|einmalig|pauschal|costs?|kostet|price:?|preis:?|desde|dès|السعر(?:\\s+من)?|من|بسعر";
/** A price is none without the time, or the amount, that it is for. */
const unit = String.raw`(?:\s?(?:(?:a|an|per|pro|im|je|par|al)\s+|/\s?)\p{L}{2,9})?`;
const namedPrice = new RegExp(`(?<!\\p{L})((?:${before})\\s+${sum}${unit})|(${sum}\\s?(?:から|より|～))`, "iu");
const besideAddress = new RegExp(`(?<!\\p{L})((?:(?:${before})\\s+)?${sum}${unit})`, "iu");
const droppedWord = /^(?:only|just|nur|for|für|costs?|kostet|price:?|preis:?|السعر)\s+/iu;

/** The host that a text names. */
export const addressIn = (text: string): string | undefined => webAddress.exec(text)?.[1];

const maxOfferWords = 6;

/** What a Japanese address stands with in its sentence. */
const particleAfter = String.raw`(?:\s*(?:にて|から|より|で|へ)(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]))?`;

/** A sentence without the address that it names, and the words that lead to it. */
export const withoutAddress = (sentence: string): string =>
  sentence
    .replace(
      new RegExp(
        `(?:\\s+(?:at|on|from|auf|unter|bei|en|sur|chez|من|على|عبر))?\\s*${webAddress.source}${particleAfter}`,
        "iu",
      ),
      "",
    )
    .replace(/は\s*まで(?=[。！]?$)/u, "")
    .replace(/[\s,.。]+$/u, "");

/** At most a few signs of another script, such as "one person". */
const beginsWithPrice = new RegExp(`^(?:(?:${before})\\s+|\\P{sc=Latin}{0,4})${sum}`, "iu");

/** For how long it holds. */
const term = String.raw`(?:\s(?:until|till|through|today|this|bis|heute|diese|jusqu|hasta|حتى)(?!\p{L}).*)?`;
const isPriceAlone = new RegExp(`^\\P{sc=Latin}{0,4}${sum}${unit}(?:です)?${term}$`, "iu");

/** A sentence that says no more than a price, without the address that it may name. */
export function shortOffer(sentence: string): string | undefined {
  const offer = withoutAddress(sentence);
  const isOffer = namedPrice.test(sentence) || webAddress.test(sentence) || isPriceAlone.test(offer);
  return isOffer && beginsWithPrice.test(offer) && countWords(offer) <= maxOfferWords ? offer : undefined;
}

/** A price that a text gives as one: after a word for it, or beside the address. */
export function priceIn(text: string): string | undefined {
  for (const sentence of sentencesOf(text)) {
    const offer = shortOffer(sentence);
    if (offer !== undefined) return offer.replace(droppedWord, "").replace(/です$/u, "");
    const found = namedPrice.exec(sentence) ?? (webAddress.test(sentence) ? besideAddress.exec(sentence) : undefined);
    const price = found?.[1] ?? found?.[2];
    if (price) return price.replace(droppedWord, "").trim();
  }
  return undefined;
}
