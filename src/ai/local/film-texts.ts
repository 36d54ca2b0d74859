import type { Brief } from "../../domain/ai/models.ts";
import { wordsIn } from "../../domain/ai/scenario/voice-text.ts";
import { addressIn, shortOffer, withoutAddress } from "../../domain/shared/offers.ts";
import { cleanText, countWords, sentencesOf } from "../../domain/shared/texts.ts";
import { detectLanguage, parseLanguage, phrasesIn } from "./languages.ts";
import type { Beat } from "./story.ts";

/** What a scene of a film says: on screen, and by a voice. */
type FilmText = { readonly overlay: string | null; readonly voice: string | null };

/** The scenes of a film: the product first, then what is said of it, and the call to action. */
export function filmOutline(sceneCount: number): readonly Beat[] {
  if (sceneCount === 1) return ["product"];
  const middle = Array.from({ length: sceneCount - 2 }, (_, at): Beat => (at % 2 === 0 ? "benefit" : "detail"));
  return ["product", ...middle, "action"];
}

const usualScenes = { least: 4, most: 6 };

/** Time to see a scene and to read it. */
const usualSceneSeconds = 2.3;

/** As many as the brief has facts for, and as can be read in the time. */
export function filmSceneCount(brief: Brief): number {
  const most = Math.min(usualScenes.most, Math.floor((brief.videoDurationSeconds ?? 20) / usualSceneSeconds));
  return Math.max(usualScenes.least, Math.min(most, factsOf(brief).length + 1));
}

/** Scenes last as long as their words take to read; the name and the end card somewhat longer. */
export const readingWeights = (texts: readonly FilmText[]): readonly number[] =>
  texts.map(({ overlay }, scene) => {
    const isOuter = scene === 0 || scene === texts.length - 1;
    return 1.2 + (isOuter ? 1.1 : 0) + 0.25 * wordsOf(overlay ?? "");
  });

/** Texts that say what the brief says, in its words; nothing is added to it but a call. */
export function filmTexts(brief: Brief, durations: readonly number[]): readonly FilmText[] {
  const sceneCount = durations.length;
  const name = cleanText(brief.productName, 80);
  const requested = brief.language.trim();
  const language = (requested ? parseLanguage(requested) : detectLanguage(brief.productDescription)) ?? "en";
  const phrases = phrasesIn(language);
  const call = callIn(brief) ?? phrases?.actionWithoutName ?? (name || null);
  const facts = filled(factsOf(brief), Math.max(1, sceneCount - 1));
  const hasLine = facts.length >= sceneCount - 1 || sceneCount <= 2;
  const line = hasLine ? (facts[0] ?? null) : null;
  const others = hasLine ? facts.slice(1) : facts;
  const fallbacks = [phrases?.benefit, phrases?.detail, phrases?.hook].filter((text) => text !== undefined);
  return durations.map((seconds, scene): FilmText => {
    const isLast = scene === sceneCount - 1 && sceneCount > 1;
    if (isLast) return { overlay: call, voice: call };
    if (scene === 0) return { overlay: line, voice: spoken([name, line], seconds) };
    const text = others[scene - 1] ?? (facts.length === 0 ? (fallbacks[scene - 1] ?? null) : null);
    return { overlay: text, voice: text };
  });
}

/** The name, and what follows as far as there is time for it. */
function spoken([name, line]: readonly [string, string | null], seconds: number): string | null {
  const named = name && !/\p{P}$/u.test(name) ? `${name}.` : name;
  const both = [named, line ?? ""].filter(Boolean).join(" ");
  return (countWords(both) <= wordsIn(seconds) * 1.25 ? both : named || line) || null;
}

const maxColumns = 84;

/** The sentences of the description without the name that they begin with, cut where they are too long for a scene. */
function factsOf({ productName, productDescription, language }: Brief): readonly string[] {
  const description = cleanText(productDescription, 5000);
  const wanted = language.trim() && parseLanguage(language);
  const detected = detectLanguage(description);
  // a film in another language than its brief cannot use its sentences
  if (wanted && detected && wanted !== detected) return [];
  const sentences = sentencesOf(productDescription).map((sentence) => cleanText(sentence, 400));
  return sentences
    .filter((sentence) => !isCall(sentence) && shortOffer(sentence) === undefined)
    .map((sentence) => withoutName(withoutPlace(sentence.replace(addressAtEnd, "$1")), productName))
    .filter((sentence) => /\p{L}{2}|\p{Lo}/u.test(sentence))
    .flatMap((sentence) => (sentence.length > maxColumns ? clausesOf(sentence) : [sentence]))
    .slice(0, 40);
}

/** A host begins no sentence for who parts them by capitals. It stands on the end card. */
const addressAtEnd = /([.!?])\s+(?:https?:\/\/)?(?:[a-z0-9-]+\.)+[a-z]{2,}\S*$/u;

/** Without an address that it ends with. A name with a point, such as Node.js, has capitals. */
function withoutPlace(sentence: string): string {
  const plain = withoutAddress(sentence);
  const address = sentence.startsWith(plain) ? addressIn(sentence.slice(plain.length)) : undefined;
  return address !== undefined && address === address.toLowerCase() ? `${plain}.` : sentence;
}

const copula = /^(?:is|are|ist|sind|es|est|è|é|هو|هي|это)\s+/iu;

function withoutName(sentence: string, productName: string): string {
  const name = productName.trim();
  if (!name || !sentence.toLowerCase().startsWith(name.toLowerCase())) return sentence;
  const rest = sentence.slice(name.length);
  if (/^[\p{L}\p{N}]/u.test(rest) && !/^[はがも]/u.test(rest)) return sentence;
  const line = rest
    .replace(/^\s*[,:;–—、，،：。.-]*\s*/u, "")
    .replace(/^は、?/u, "")
    .replace(copula, "");
  // a verb needs its subject
  return rest.startsWith(" ") && line === rest.trim() ? sentence : capitalize(line);
}

/** Where a long sentence may end early. Commas part lists, too. */
const clauseEnd = /\s*[;:–—؛；]\s*|\s+-\s+/u;
const comma = /\s*[,،、，]\s*/u;
const leading = /^(?:and|und|y|et|e|и|so|و)\s+/iu;
const addition = /\s+(?=(?:and|und|y|et|e|и)\s)/iu;
const clause = /,?\s+(?=(?:that|which|who|where|der|die|das|que|qui|который|которая)\s)/iu;

const clausesOf = (sentence: string): readonly string[] =>
  sentence
    .split(clauseEnd)
    .filter(Boolean)
    .map((part) => closed(part.replace(leading, ""), sentence));

/** Longer facts are parted until there are enough, as far as they can be. */
function filled(facts: readonly string[], count: number): readonly string[] {
  let parts = [...facts];
  while (parts.length < count) {
    const longest = parts.reduce((best, part, at) => (part.length > (parts[best]?.length ?? 0) ? at : best), 0);
    const halves = parts[longest] === undefined ? [] : halvesOf(parts[longest]);
    if (halves.length < 2) break;
    parts = [...parts.slice(0, longest), ...halves, ...parts.slice(longest + 1)];
  }
  return parts;
}

const minWords = 3;

function halvesOf(text: string): readonly string[] {
  const hasList = text.split(comma).length > 2;
  const patterns = hasList ? [clauseEnd] : [clauseEnd, comma, ...(comma.test(text) ? [] : [addition]), clause];
  for (const pattern of patterns) {
    const [first = "", ...others] = text.split(pattern);
    const rest = text.slice(first.length).replace(/^[\s,;:–—،؛、，；-]+/u, "");
    if (others.length === 0 || wordsOf(first) < minWords || wordsOf(rest) < minWords) continue;
    // the second half goes on with the sentence
    if (pattern === clause) return [first, rest];
    return [closed(first, text), closed(rest.replace(leading, ""), text)];
  }
  return [];
}

/** A sign of a script without spaces says about half a word. */
const wordsOf = (text: string): number => Math.max(countWords(text), text.length / 12);

const capitalize = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** With the full stop of the sentence that it comes from. */
function closed(part: string, sentence: string): string {
  const stop = /[.。！!]$/u.exec(sentence)?.[0] ?? "";
  const bare = part.trim().replace(/[,;:.。]+$/u, "");
  return `${capitalize(bare)}${/[!?！？]$/u.test(bare) ? "" : stop}`;
}

const maxCallWords = 6;
const callWords =
  /^(?:order|book|buy|shop|try|get|visit|join|sign up|start|discover|download|reserve|call|subscribe|bestell\p{L}*|kauf\p{L}*|buch\p{L}*|jetzt|entdeck\p{L}*|probier\p{L}*|besuch\p{L}*|compra|reserva|descubre|commandez|réservez|découvrez|اطلب(?:ها|ه|وا)?|احجز(?:ها|ه|وا)?|اشتر(?:ها|ه|وا)?|جرّب|تسوق)(?!\p{L})/iu;

const isCall = (sentence: string): boolean =>
  (callWords.test(sentence) || /(?:ください|ご注文|ご予約)(?:は\s*\S+\s*まで)?[。！]?$/u.test(sentence)) &&
  countWords(sentence) <= 2 * maxCallWords;

/** Stands below the call, too. */
const price = /[\s,]*(?:(?:from|for|ab|für|nur|only)\s+)?(?:[$€£¥₹]\s?\d[\d.,]*|\d[\d.,]*\s?(?:€|£|EUR|USD|CHF|円))/iu;

/** The brief's own call to action, without the address that stands below it. */
function callIn({ productDescription, language }: Brief): string | undefined {
  const wanted = language.trim() && parseLanguage(language);
  const detected = detectLanguage(cleanText(productDescription, 5000));
  if (wanted && detected && wanted !== detected) return undefined;
  const call = sentencesOf(productDescription).find(isCall);
  const bare = cleanText(withoutAddress(call ?? "").replace(price, ""), 60).replace(/[\s,.。]+$/u, "");
  return bare && countWords(bare) <= maxCallWords ? bare : undefined;
}
