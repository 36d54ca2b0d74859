import type { Brief } from "../../../domain/ai/models.ts";
import { separatorFor, wordsIn } from "../../../domain/ai/scenario/voice-text.ts";
import { listIn } from "../../../domain/films/look/clauses.ts";
import { isForm, withForms } from "../../../domain/language/forms.ts";
import { introductionIn, leansForward } from "../../../domain/language/function-words.ts";
import { addressIn, priceIn, shortOffer, withoutAddress } from "../../../domain/language/offers.ts";
import { capitalize, cleanText, countWords, sentencesOf } from "../../../platform/texts.ts";
import { sum } from "../../../platform/values.ts";
import { detectLanguage, isInAnother, parseLanguage, phrasesIn } from "./languages.ts";
import type { Beat } from "./story.ts";

/** The words of a scene: on screen, and spoken. */
type FilmText = { readonly overlay: string | null; readonly voice: string | null };

/** The scenes of a film: the product first, then the facts about it, and the call to action. */
export function filmOutline(sceneCount: number): readonly Beat[] {
  if (sceneCount === 1) return ["product"];
  const middle = Array.from({ length: sceneCount - 2 }, (_, at): Beat => (at % 2 === 0 ? "benefit" : "detail"));
  return ["product", ...middle, "action"];
}

const mostScenes = 6;

/** The seconds to see a scene and to read it. */
const usualSceneSeconds = 2.3;

/** A longer sentence is split, if there is time for another scene. */
const longColumns = 44;

/** Four, or fewer where these would be too short to see. */
const leastScenes = (seconds: number): number => Math.min(4, Math.max(2, Math.floor(seconds / 2)));

/** The number of scenes: one per fact of the brief, as far as they can be read in the time. */
export function filmSceneCount(brief: Brief): number {
  const seconds = brief.videoDurationSeconds ?? 20;
  const most = Math.min(mostScenes, Math.floor(seconds / usualSceneSeconds));
  const facts = filled(materialOf(brief).facts, most - 1, longColumns);
  return Math.max(leastScenes(seconds), Math.min(most, facts.length + 1));
}

/** Scenes last as long as their words take to read; the name and the end card slightly longer. */
export const readingWeights = (texts: readonly FilmText[]): readonly number[] =>
  texts.map(({ overlay }, scene) => {
    const isLast = scene === texts.length - 1;
    const ofPosition = scene === 0 ? 0.3 : isLast ? 1.4 : 0;
    // a call is read quickly, and so is the text after the name
    const ofWord = isLast || scene === 0 ? 0.15 : 0.25;
    return 1.2 + ofPosition + ofWord * (overlay === null ? 2 : wordsOf(overlay));
  });

/** The brief's facts in its own words; only a call is added. */
export function filmTexts(brief: Brief, durations: readonly number[]): readonly FilmText[] {
  const sceneCount = durations.length;
  const name = cleanText(brief.productName, 80);
  const requested = brief.language.trim();
  const language = (requested ? parseLanguage(requested) : detectLanguage(brief.productDescription)) ?? "en";
  const phrases = phrasesIn(language);
  const material = materialOf(brief, { hasEndCard: sceneCount > 1 });
  const call = material.call ?? phrases?.call ?? (name || null);
  const room = Math.max(1, sceneCount - 1);
  // a scene with the price says more than one with the name alone
  const { facts: given } =
    sceneCount > 1 && material.facts.length < room ? materialOf(brief, { repeatsOffer: true }) : material;
  const facts = filled(fitted(given, room, sum(durations)), room);
  const hasLine = facts.length >= sceneCount - 1 || sceneCount <= 2;
  const line = hasLine ? (facts[0] ?? null) : null;
  const others = hasLine ? facts.slice(1) : facts;
  return durations.map((seconds, scene): FilmText => {
    const isLast = scene === sceneCount - 1 && sceneCount > 1;
    if (isLast) return { overlay: call, voice: call };
    if (scene === 0) return { overlay: line, voice: spoken([name, line], seconds) };
    // without a fact a scene shows the name alone
    const text = others[scene - 1] ?? null;
    return { overlay: text, voice: text };
  });
}

/** The name, and the next words as far as there is time for them. */
function spoken([name, line]: readonly [string, string | null], seconds: number): string | null {
  const named = name && !/\p{P}$/u.test(name) ? `${name}${stopOf(name)}` : name;
  const both = [named, line ?? ""].filter(Boolean).join(" ");
  return (countWords(both) <= wordsIn(seconds) * 1.25 ? both : named || line) || null;
}

const maxColumns = 84;

/** Steps, states and quotes have a layout of their own, with room for more. */
const maxFormColumns = 200;

const fitsAsForm = (text: string): boolean => text.length <= maxFormColumns && isForm(text);

/** The content of a brief: its facts in their order, and the call of the end card. */
type Material = { readonly facts: readonly string[]; readonly call: string | undefined };

const maxSentences = 60;

/** The length of the text that is read: it has more sentences than a film can show. */
const maxCharacters = 8_000;

/**
 * The sentences of the description without the name that they begin with, cut to the length of a scene. Omits the call
 * and an offer that the end card shows as a whole.
 */
function materialOf(
  { productName, productDescription, language }: Brief,
  { hasEndCard = true, repeatsOffer = false }: { readonly hasEndCard?: boolean; readonly repeatsOffer?: boolean } = {},
): Material {
  const wanted = language.trim() && parseLanguage(language);
  // a film in another language than its brief cannot use its sentences
  if (wanted && isInAnother(cleanText(productDescription, 5000), wanted)) return { facts: [], call: undefined };
  const text = productDescription.slice(0, maxCharacters);
  const price = priceIn(text);
  const sentences = withForms(sentencesOf(text).slice(0, maxSentences).flatMap(callApart));
  const calls = sentences.filter((sentence) => isCall(sentence, productName));
  const called = calls.find((sentence) => addressIn(sentence) !== undefined) ?? calls.at(-1);
  const whole = withoutPrice(withoutAddress(called ?? ""), price).replace(callEnd, "");
  const call = whole ? shortened(whole) : undefined;
  const host = addressIn(text);
  const isOnEndCard = (sentence: string) =>
    (sentence === called && call === whole) ||
    (!repeatsOffer && price !== undefined && shortOffer(sentence)?.includes(price));
  const withoutHost = (sentence: string) => withoutEndingAddress(sentence.replace(addressAtEnd, "$1"), host);
  const facts = sentences
    .filter((sentence) => !hasEndCard || !isOnEndCard(sentence))
    .map((sentence) => cleanText(sentence, 400))
    .map((sentence) => withoutName(hasEndCard ? withoutHost(sentence) : sentence, productName))
    .filter((sentence) => /\p{L}{2}|\p{Lo}|\p{N}/u.test(sentence))
    .flatMap((sentence) =>
      sentence.length > maxColumns && !fitsAsForm(sentence) ? clausesOf(sentence).flatMap(shortParts) : [sentence],
    );
  return { facts: facts.slice(0, 2 * maxSentences), call };
}

/** The words that are read comfortably in a second, in a scene of several facts. */
const readInSecond = 3.2;

/** Facts for a number of scenes: if there are more, short ones share a scene, and the least important are omitted. */
function fitted(facts: readonly string[], room: number, seconds: number): readonly string[] {
  let kept = facts.map((text, at) => ({ text, worth: worthOf(text, at), words: wordsOf(text) }));
  const leaveOut = () => {
    const least = kept.reduce((low, fact) => (fact.worth < low.worth ? fact : low));
    kept = kept.filter((fact) => fact !== least);
  };
  while (kept.length > room && sum(kept.map(({ words }) => words)) > readInSecond * seconds) leaveOut();
  for (;;) {
    const shared = sharing(
      kept.map(({ text }) => text),
      room,
    );
    if (shared.length <= room || kept.length <= room) return shared;
    leaveOut();
  }
}

/** The importance of facts to viewers. */
const worths: readonly (readonly [number, RegExp])[] = [
  [5, /\p{Sc}\s?\p{N}|\p{N}\s?(?:\p{Sc}|EUR|USD|GBP|CHF|円)/u],
  [
    4,
    /%|(?<!\p{L})(?:free|off|gratis|kostenlos\p{L}*|rabatt|gratuite?s?|offert\p{L}*|descuento|dès|sale|discount)(?!\p{L})/iu,
  ],
  [
    3,
    /(?<!\p{L})(?:until|till|before|ends?|only|deadline|bis|vor|nur|endet|jusqu\p{L}*|avant|hasta|antes|solo)(?!\p{L})/iu,
  ],
  [2, /(?<!\p{L})(?:in|at|near|bei|auf|à|en|chez|from|aus)\s+(?:(?:the|der|dem|la|le|el)\s+)?\p{Lu}/u],
  [1, /\p{N}/u],
];

/** Facts of equal importance keep their order. The first sentence of a brief says what the product is. */
const worthOf = (text: string, at: number): number =>
  (at === 0 ? 6 : (worths.find(([, pattern]) => pattern.test(text))?.[0] ?? 0)) - at / 1000;

/** Neighbors share a scene that can show both, the shortest first, until no more than `room` are left. */
function sharing(facts: readonly string[], room: number): readonly string[] {
  const scenes = [...facts];
  while (scenes.length > room) {
    const lengths = scenes.slice(1).map((next, at) => {
      const before = scenes[at]!; // safe: one for each but the last
      return isForm(before) || isForm(next) ? Number.POSITIVE_INFINITY : before.length + next.length;
    });
    const shortest = Math.min(...lengths);
    if (shortest === Number.POSITIVE_INFINITY) break;
    const at = lengths.indexOf(shortest);
    const both = joined(scenes[at] ?? "", scenes[at + 1] ?? "");
    if (both.length > maxColumns) break;
    scenes.splice(at, 2, both);
  }
  return scenes;
}

const joined = (one: string, other: string): string => {
  const first = /[\p{P}]$/u.test(one) ? one : `${one}${stopOf(one)}`;
  return `${first}${separatorFor(first)}${other}`;
};

/** A host after a sentence: splitting at capitals does not separate it. It stands on the end card. */
const addressAtEnd = /([.!?])\s+(?:https?:\/\/)?(?:[a-z0-9-]+\.)+[a-z]{2,}\S*$/u;

/** Removes an address at the end. A name with a dot, such as Node.js, has capitals. */
function withoutEndingAddress(sentence: string, host: string | undefined): string {
  const plain = withoutAddress(sentence);
  const address = sentence.startsWith(plain) ? addressIn(sentence.slice(plain.length)) : undefined;
  return address !== undefined && address === host && address === address.toLowerCase()
    ? `${plain}${stopOf(plain)}`
    : sentence;
}

/** A text with more words is a sentence and not a name. */
const maxNameWords = 4;

const copula = /^(?:is|are|ist|sind|es|est|è|é|هو|هي|это)\s+/iu;

function withoutName(sentence: string, productName: string): string {
  const name = productName.trim();
  const introduced = introductionIn(sentence);
  if (introduced && introduced.name === name) return capitalize(introduced.rest);
  if (!name || !sentence.toLowerCase().startsWith(name.toLowerCase())) return sentence;
  const rest = sentence.slice(name.length);
  if (/^[\p{L}\p{N}]/u.test(rest) && !/^[はがも]/u.test(rest)) return sentence;
  const line = rest
    .replace(/^\s*[,:;–—、，،：。.-]*\s*/u, "")
    .replace(/^は、?/u, "")
    .replace(copula, "");
  // the name precedes it, on its own
  const [next = ""] = line.split(/\s/u);
  const isPart = rest.startsWith(" ") && line === rest.trim() && leansForward(next);
  return isPart && countWords(name) <= maxNameWords ? sentence : capitalize(line);
}

/** The positions where a long sentence may end early. Commas separate lists, too. */
const clauseEnd = /\s*(?:[;–—؛；]|:(?!\d))\s*|\s+-\s+/u;
const comma = /\s*(?:[،、，]|,(?!\d))\s*/u;
const leading = /^(?:and|und|y|et|e|и|so|و)\s+/iu;
const listed = /\s*(?:[،、，]|,(?!\d))\s*|\s+(?:and|und|y|et|e|и|or|oder|ou|o|или|أو)\s+/iu;
/** Matches a part that continues with the next item of its list. */
const isOpen = /(?:[,،、，]|\s(?:and|und|y|et|e|и|or|oder|ou|o|или|أو))$/iu;
const addition = /\s+(?=(?:and|und|y|et|e|и)\s)/iu;
/** The positions where an indivisible sentence continues in the next scene. */
const continuation = /\s+(?=(?:in|from|for|with|without|under|aus|für|mit|ohne|unter|pour|avec|sans|para|con|per)\s)/iu;
const clause = /,?\s+(?=(?:that|which|who|where|que|qui|который|которая)\s)|,\s+(?=(?:der|die|das)\s)/iu;

const clausesOf = (sentence: string): readonly string[] =>
  sentence
    .split(clauseEnd)
    .filter(Boolean)
    .map((part) => closed(part.replace(leading, ""), sentence));

/** Splits facts of more columns until there are enough, as far as possible: the longest first. */
function filled(facts: readonly string[], count: number, columns = 0): readonly string[] {
  // a film of one fact has nothing else to show
  const minRest = facts.length === 1 ? 2 : minWords;
  const parted = partedUntil(facts, count, (part) => (part.length > columns ? halvesOf(part, minRest) : []));
  // the first scene shows the name; another one with only the name says nothing, so lists are split, too
  return columns > 0 ? parted : partedUntil(parted, count - 1, itemsOf);
}

/** The first item of a list, and the others. */
function itemsOf(text: string): readonly string[] {
  if (isForm(text)) return [];
  const { index, 0: sign = "" } = new RegExp(comma, "u").exec(text) ?? {};
  if (index === undefined) return [];
  const [first, rest] = [text.slice(0, index), text.slice(index + sign.length)];
  return Math.min(wordsOf(first), wordsOf(rest)) < 2 ? [] : [closed(first, text), closed(rest, text)];
}

function partedUntil(
  facts: readonly string[],
  count: number,
  halvesIn: (part: string) => readonly string[],
): readonly string[] {
  let parts = [...facts];
  while (parts.length < count) {
    const halved = parts
      .map((part, at) => ({ at, length: part.length, halves: halvesIn(part) }))
      .filter(({ halves }) => halves.length > 1);
    if (halved.length === 0) break;
    const { at, halves } = halved.reduce((best, part) => (part.length > best.length ? part : best));
    parts = [...parts.slice(0, at), ...halves, ...parts.slice(at + 1)];
  }
  return parts;
}

const minWords = 3;

/** Splits what no scene can show as a whole, also inside lists. */
function shortParts(text: string): readonly string[] {
  if (text.length <= maxColumns) return [text];
  const halves = halvesOf(text);
  return (halves.length > 1 ? halves : wordHalves(text)).flatMap((half) => (half === text ? [half] : shortParts(half)));
}

/** Halves of a text without clauses: split near the middle, not between words that belong together. */
function wordHalves(text: string): readonly string[] {
  const words = text.split(" ");
  const middle = words.length >> 1;
  const ends = words.flatMap((word, at) => (at > 0 && !leansForward(words[at - 1] ?? "") && word ? [at] : []));
  const end = ends.toSorted((one, other) => Math.abs(one - middle) - Math.abs(other - middle))[0];
  return end === undefined ? [text] : [words.slice(0, end).join(" "), words.slice(end).join(" ")];
}

/** The halves of a text. A scene that continues a sentence says at least `minRest` words: "for life" alone says nothing. */
function halvesOf(text: string, minRest = minWords): readonly string[] {
  if (fitsAsForm(text)) return [];
  // the parts of "creates, sends and checks" are no sentences
  const hasList = text.length <= maxColumns && text.split(listed).length > 2;
  const patterns = [
    clauseEnd,
    ...(hasList ? [] : [comma, ...(comma.test(text) ? [] : [addition]), clause]),
    // a list is one scene
    ...(listIn(text) ? [] : [continuation]),
  ];
  for (const pattern of patterns) {
    const [first = "", ...others] = text.split(pattern);
    const rest = text.slice(first.length).replace(/^[\s,;:–—،؛、，；-]+/u, "");
    const [leastFirst, leastRest] = pattern === continuation ? [2, minRest] : [minWords, minWords];
    if (others.length === 0 || wordsOf(first) < leastFirst || wordsOf(rest) < leastRest) continue;
    // the second half continues the sentence
    if (pattern === clause || pattern === continuation) {
      if (isOpen.test(first) || leansForward(lastWord(first)) || (hasList && comma.test(rest))) continue;
      return [first, rest];
    }
    return [closed(first, text), closed(rest.replace(leading, ""), text)];
  }
  return [];
}

const lastWord = (text: string): string => text.split(/\s/u).at(-1) ?? "";

/** A character of a script without spaces counts as about half a word. */
const wordsOf = (text: string): number => Math.max(countWords(text), text.length / 12);

const stopOf = (text: string): string => (/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text) ? "。" : ".");

/** Adds the full stop of the original sentence. */
function closed(part: string, sentence: string): string {
  const stop = /[.。！!]$/u.exec(sentence)?.[0] ?? "";
  const bare = part.trim().replace(/[,;:.。]+$/u, "");
  return `${capitalize(bare)}${/[!?！？]$/u.test(bare) ? "" : stop}`;
}

const maxCallWords = 6;
const callWords =
  /^(?:order|book|ring|e-?mail us|pre-?order|rsvp|enquire|drop by|stop by|come (?:by|in|over|along|and)|buy|shop|try|get|visit|join|sign up|discover|download|reserve|call|subscribe|claim|bestell\p{L}*|kauf\p{L}*|buch\p{L}*|jetzt|entdeck\p{L}*|probier\p{L}*|besuch\p{L}*|hol dir|komm\p{L}* vorbei|ruf\p{L}*|schau\p{L}* vorbei|meld\p{L}*|reservier\p{L}*|sichere? dir|(?:kostenlos|gratis) \p{L}*(?:test|prob)\p{L}*|compra|reserva|descubre|prueba|pide|ll[aá]ma\p{L}*|vis[ií]ta(?:nos)?|escr[ií]benos|apúntate|inscríbete|regístrate|descarga|appelez|contactez|venez|rejoignez|inscrivez|téléchargez|commandez|réservez|découvrez|essayez|chiama(?:ci)?|iscriviti|scopri|ordina|prova|prenota|compre|peça|experimente|اطلب(?:ها|ه|وا)?|احجز(?:ها|ه|وا)?|اشتر(?:ها|ه|وا)?|جرّب|تسوق|سجّل)(?!\p{L})/iu;
/** Calls that say nothing else. */
const shortCall =
  /^(?:start|see|read|learn|find|ask|request|explore|compare|apply|enrol|register|talk|meet|teste?|starte?|lern\p{L}*|erfahr\p{L}*|demandez|testez|empieza|ابدأ)(?!\p{L})/iu;
const maxShortWords = 4;

/** The words before an address, which are written small: "Run yours at velo.example". */
const toAddress =
  /(?:^|\s)(?:at|on|via|from|under|auf|unter|bei|über|en|sur|chez|su|em|na|من|على|عبر)\s+(?:(?:https?:\/\/)?(?:[a-z0-9-]+\.)+[a-z]{2,}\S*|\+?\p{N}[\p{N} /()-]{5,}\p{N})$/u;
const subject =
  /^(?:we|it|they|he|she|you|wir|es|sie|er|ihr|nous|il|elle|ils|vous|nosotros|ella|ellos|noi|lui|lei)(?!\p{L})/iu;

const isCall = (sentence: string, productName: string): boolean => {
  const bare = withoutAddress(sentence);
  const words = countWords(bare);
  if (
    /(?:ください|ご注文|ご予約|お申し込み|お問い合わせ|ご相談|を(?:予約|注文|購入|体験))(?:は\s*\S+\s*まで)?[。！]?$/u.test(
      sentence,
    )
  )
    return words <= 2 * maxCallWords;
  if (callWords.test(sentence) && words <= 2 * maxCallWords) return true;
  if (shortCall.test(sentence) && words <= maxShortWords) return true;
  const [first = ""] = bare.split(/\s/u);
  const isNamed = productName !== "" && bare.toLowerCase().startsWith(productName.toLowerCase());
  const isStatement = isNamed || subject.test(bare) || leansForward(first) || hasPrice.test(bare);
  return toAddress.test(sentence.replace(/[.!。！]+$/u, "")) && words > 0 && words <= maxCallWords && !isStatement;
};

/** Separates a call with an address at the end of a sentence. */
function callApart(sentence: string): readonly string[] {
  if (addressIn(sentence) === undefined) return [sentence];
  const cuts = [...sentence.matchAll(/(?:[;–—،]|,(?!\d)|\s-)\s+/gu)];
  const { index = 0, 0: sign = "" } = cuts.at(-1) ?? {};
  const last = capitalize(sentence.slice(index + sign.length));
  return index > 0 && isCall(last, "") && addressIn(last) !== undefined
    ? [closed(sentence.slice(0, index), "."), last]
    : [sentence];
}

/** A price, which also stands below the call. */
const price = /[\s,]*(?:(?:from|for|ab|für|nur|only)\s+)?(?:[$€£¥₹]\s?\d[\d.,]*|\d[\d.,]*\s?(?:€|£|EUR|USD|CHF|円))/iu;
const hasPrice = /\p{Sc}\s?\p{N}|\p{N}\s?(?:\p{Sc}|EUR|USD|CHF|円)/u;

/** Removes the price from a call, if the end card shows it below. */
function withoutPrice(call: string, shown = ""): string {
  const [sum = ""] = price.exec(call) ?? [];
  const digits = sum.replace(/[^\d.,]/gu, "").replace(/[.,]+$/u, "");
  return digits !== "" && shown.includes(digits) ? call.replace(price, "") : call;
}

const callEnd = /[\s,،、.。:→–-]+$/u;

/** The characters of a call that fit on two lines of a button in a legible size. */
const maxCallColumns = 46;

/** The positions where a call that is too long may end: the first one that leaves it short enough. */
const callEnds = [
  clauseEnd,
  comma,
  /\s+(?=(?:before|while|as long as|until|and|bevor|solange|bis|und|avant|antes|prima|قبل)\s)/iu,
  clause,
  continuation,
  /\s+(?=(?:today|now|at|on|heute|jetzt|noch|auf|in|near|nahe)\s)/iu,
];

/** The brief's call, or a meaningful beginning of it. */
function shortened(call: string): string | undefined {
  const fits = (text: string) => text.length <= maxCallColumns && wordsOf(text) >= 2;
  if (call.length <= maxCallColumns) return call;
  return callEnds
    .flatMap((end) => [...call.matchAll(new RegExp(end, "giu"))].map(({ index }) => call.slice(0, index)).reverse())
    .map((text) => text.replace(callEnd, ""))
    .find((text) => fits(text) && !leansForward(lastWord(text)));
}
