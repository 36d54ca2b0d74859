import { isUnspaced } from "../../../engine/timeline/captions/scripts.ts";
import { countWords, stepMarks } from "../../../platform/texts.ts";
import { sequenceIn } from "../../language/forms.ts";
import { leansForward } from "../../language/function-words.ts";
import { pricesIn } from "../../language/offers.ts";
import { balancedLines, emsOf } from "./lines.ts";

/** Removes the full stop, which titles do not have. */
export const titleOf = (text: string): string => text.replace(/(?<=[^.。!?！？])[.。]\s*$/u, "");

const commas = /\s*(?:[،、;；]|,(?!\d))\s*/u;
/** "12 and 13 October" is one item. */
const ands =
  /(?<!\d)\s+(?:and|und|y|et|e|и|or|oder|ou|o|или|&|\+)\s+|(?<=\d)\s+(?:and|und|y|et|e|и|or|oder|ou|o|или|&|\+)\s+(?!\d)/u;
const separators = new RegExp(`${commas.source}|${ands.source}`, "u");
/** The length of an item: items with a comma between each two are items for certain. */
const maxItem = { words: 6, ems: 14, emsByCommas: 22 };
const minItems = 3;

type List = { readonly heading: string; readonly items: readonly string[] };

/** Three items or more, with or without a heading. */
export function listIn(text: string): List | undefined {
  const [, heading = "", rest = text] = /^([^:：]{2,40}[:：])\s*(\S.*)$/u.exec(text) ?? [];
  const split = (pattern: RegExp) => rest.split(pattern).filter((item) => item.trim() !== "");
  const byCommas = split(commas);
  const isByCommas = byCommas.length >= minItems;
  const parts = isByCommas ? byCommas : split(separators);
  // in Arabic the word for "and" is part of the next word
  const items = heading && parts.length < minItems ? split(/\s*[,،]\s*و?|\s+و(?=\p{sc=Arabic}{3,})/u) : parts;
  const bare = items.map((item) => item.replace(/^(?:and|und|y|et|e|и|or|oder|ou|o|или)\s+/u, ""));
  const isShort = (item: string) =>
    countWords(item) <= (isUnspaced(item) ? 6 : maxItem.words) &&
    emsOf(item) <= (isByCommas ? maxItem.emsByCommas : maxItem.ems);
  if (bare.length < minItems || bare.length > 5 || !bare.every(isShort)) return undefined;
  // a price begins an offer: "45 € les deux heures, terre et cuisson comprises"
  if (!heading && !isByCommas && pricesIn(bare[0] ?? "")[0]?.start === 0 && pricesIn(text).length === 1)
    return undefined;
  const lengths = bare.map(emsOf);
  // "色は緑、黄、白の三色" is one sentence
  if (!heading && isUnspaced(text) && Math.max(...lengths) > 3 * Math.min(...lengths)) return undefined;
  if (heading) return { heading: heading.replace(/[:：]$/u, ""), items: bare };
  return parted(bare);
}

/** Matches "It has" in "It has a bell, a lock and a lamp". */
const clause = /^(it|we|you|they|es|er|sie|wir|ihr)\s+\p{L}+(?=\s)/iu;

/** True if items are what the subject of a clause does, too: "sorts tickets, drafts replies". */
const continues = (opening: string, others: readonly string[]): boolean =>
  others.every((item) => /^(\p{L}{3,})\s/u.exec(item)?.[1]?.at(-1) === opening.at(-1));

/** The beginning of a list stands over it: a clause, or the words before a phrase like "onto the train". */
function parted(items: readonly string[]): List {
  const [first = "", ...others] = items;
  const [opening, subject = ""] = clause.exec(first) ?? [];
  if (opening) {
    const heading = continues(opening, others) ? subject : opening;
    return { heading, items: [first.slice(heading.length).trim(), ...others] };
  }
  const words = first.split(" ");
  const last = words.findLastIndex(leansForward);
  const run = words.findLastIndex((word, at) => at < last && !leansForward(word)) + 1;
  const begin = Math.max(run, last - 1);
  const isLong = emsOf(first) > 0.9 * Math.max(...others.map(emsOf));
  const isAlike = others.some((item) => leansForward(item.split(" ")[0] ?? ""));
  if (!isLong || !isAlike || begin < 1 || last < begin || last === words.length - 1) return { heading: "", items };
  return { heading: words.slice(0, begin).join(" "), items: [words.slice(begin).join(" "), ...others] };
}

const locales = ["en", "de", "fr", "es", "it", "pt", "nl", "ru", "ar", "ar-SY"];
const months = locales.flatMap((locale) => {
  const format = new Intl.DateTimeFormat(locale, { day: "numeric", month: "long" });
  const nameOf = (month: number) => format.formatToParts(new Date(2024, month, 1)).find(({ type }) => type === "month");
  return Array.from({ length: 12 }, (_, month) => nameOf(month)?.value ?? "");
});

/** A day of a month, or the days from one to another. */
const date = new RegExp(
  `\\p{N}{1,2}月\\p{N}{1,2}日(?:まで)?|(?<![\\p{L}\\p{N}])(?:(?:\\p{N}{1,2}\\.?\\s?(?:[–-]|to|and|bis|und|au|et|al?|y|إلى)\\s?)?\\p{N}{1,2}(?:\\.|st|nd|rd|th|er)?\\s+(?:de\\s+)?(?:${months.join("|")})|(?:${months.join("|")})\\s+\\p{N}{1,2}(?:st|nd|rd|th)?)(?![\\p{L}\\p{N}])`,
  "iu",
);

const measure =
  /(?<![\p{L}\p{N}])(\p{Sc}\s?)?\p{N}[\p{N}.,:/]*(?:\s?(?:%|\p{Sc}|[km]?g|[kcm]?m[²³]?|ml|l|h|min|°C?|x|×|[kM]|[كس]م|كغم?|غم?|لتر|مل)|-\p{L}+)?(?![\p{L}\p{N}])|(?:第|一回)?\p{N}[\p{N}.,:]*\s?(?:[か箇カヶ][国月年所]|[年月日時分秒円個本人名回歳種%％週]+|\p{sc=Katakana}[\p{sc=Katakana}ー]+)[間目]?(?:まで|以上|以下|以内)?/u;

/** A number with these words is an address, and no amount. */
const street =
  /^\d+\p{L}?\s+(?:\p{Lu}\S*\s+)+(?:street|st|road|rd|lane|avenue|ave|square|drive|court|quay|row|hill|way)\b|\d+\p{L}?\s+\p{Lu}\p{L}*(?:straat|laan|plein|gracht)\b|(?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|ufer|damm|markt)\s+\d/iu;

/** The most words beside the number: with more, the sentence is about something else. */
const maxBeside = 6;

type Figure = { readonly before: string; readonly number: string; readonly after: string };

/** The number that a text is about. */
export function figureIn(text: string, mostBeside = maxBeside): Figure | undefined {
  const { 0: number, index } = date.exec(text) ?? measure.exec(text) ?? {};
  if (number === undefined || index === undefined || street.test(text)) return undefined;
  const bare = number.replace(/[.,:]$/u, "");
  const [before, after] = [text.slice(0, index).trim(), text.slice(index + bare.length).trim()];
  const isOther = measure.test(after) || /^[,;:、，،]/u.test(after);
  // "Open before 11" names an hour
  const isBare = /^[\p{N}.,:/]+$/u.test(bare) && after === "";
  if (isOther || isBare || countWords(`${before} ${after}`) > mostBeside || before + after === "") return undefined;
  return { before, number: bare, after };
}

/** Two clauses, of which the second answers the first. */
export function pairIn(text: string): readonly [string, string] | undefined {
  const [first = "", second = "", ...others] = text.split(/(?<=[،、，;；–—]|,(?!\d))\s*/u);
  const ems = [first, second].map(emsOf);
  // a street stands above its town
  const isPlace = street.test(first);
  if (others.length > 0 || Math.min(...ems) < (isPlace ? 1 : 4) || Math.max(...ems) > 17) return undefined;
  return [first, second];
}

/** The two phrases of a text, of which neither is much longer. */
export function halvesIn(text: string): readonly [string, string] | undefined {
  const [first = "", second = ""] = balancedLines(text, 2);
  const ems = [first, second].map(emsOf);
  const [word = ""] = second.split(" ");
  const isPhrase = isUnspaced(text) || leansForward(word);
  return isPhrase && Math.min(...ems) >= 4 && Math.max(...ems) <= 17 ? [first, second] : undefined;
}

/** The steps of a text, numbered from one on or in words, with or without a heading. */
export function stepsIn(text: string): List | undefined {
  const told = sequenceIn(text);
  if (told.length > 0) return { heading: "", items: told.map((step) => titleOf(capitalized(step))) };
  const marks = stepMarks(text);
  if (marks.length === 0) return undefined;
  const items = marks.map(({ end }, at) => text.slice(end, marks[at + 1]?.start).trim());
  const heading = text.slice(0, marks[0]?.start).trim();
  if (items.some((item) => item === "" || emsOf(item) > 2 * maxItem.ems)) return undefined;
  return { heading: heading.replace(/[:：]$/u, ""), items: items.map((item) => titleOf(item.replace(/[,;]$/u, ""))) };
}

const capitalized = (text: string): string => text.replace(/^\p{L}/u, (first) => first.toUpperCase());

/** What a viewer gains: the words themselves, or the first word after some. */
const benefit =
  /(?<!\p{L})(?:(?:free|gratis|kostenlos\p{L}*|kostenfrei|gratuit\p{L}*|offert\p{L}*|бесплатн\p{L}*)(?:[ -](?:delivery|shipping|trial|entry|returns|parking|lieferung|versand|testen|abholung|доставка))?|(?:free |half )?(?:half price|no fees|no joining fee|money back|same[ -]day|overnight|über Nacht|for life|at no extra cost|sans engagement|sin permanencia))(?!\p{L})|無料|送料無料|半額|مجاني\p{sc=Arabic}*|مجانا/iu;

/** A share of the price, or a price. */
const saving =
  /\p{N}+(?:[.,]\p{N}+)?\s?[%％](?:\s?(?:off|rabatt|de descuento|割引|オフ))?|(?:\p{Sc}\s?\p{N}[\p{N}.,]*|\p{N}[\p{N}.,]*\s?(?:\p{Sc}|円))(?<![.,])/iu;

/** The longest share of a text that can stand out of it. */
const maxShare = 0.6;

/** The words of a text that matter most: what is saved, what is free, a number with what it counts. */
export function highlightIn(
  text: string,
): { readonly part: string; readonly worth: number; readonly isMost: boolean } | undefined {
  const found = [saving.exec(text)?.[0], benefit.exec(text)?.[0], countIn(text)];
  const at = found.findIndex((part) => part !== undefined);
  const part = found[at]?.trim();
  if (part === undefined) return undefined;
  return { part, worth: found.length - at, isMost: emsOf(part) > maxShare * emsOf(text) };
}

/** A number with its unit, or the next word; a day. */
function countIn(text: string): string | undefined {
  const day = date.exec(text)?.[0];
  const { 0: number, index = 0 } = measure.exec(text) ?? {};
  if (day !== undefined || number === undefined || street.test(text)) return day;
  const bare = number.replace(/[.,:]$/u, "");
  if (!/^[\p{N}.,]+$/u.test(bare)) return bare;
  const [, next = ""] = /^\s(\p{L}{2,})/u.exec(text.slice(index + bare.length)) ?? [];
  return next === "" || leansForward(next) ? undefined : `${bare} ${next}`;
}
