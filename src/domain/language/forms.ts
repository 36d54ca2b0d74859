import { stepMarks } from "../../platform/texts.ts";

const sequence =
  /^(?:first|zuerst|erst|d['’]abord|primero|prima|primeiro)[\s,]+(.+?)[,;.]\s*(?:and\s+)?(?:then|dann|puis|luego|después|poi|depois)[\s,]+(.+?)[,;.]?\s+(?:(?:and|und|et|y|e)\s+)?(?:finally|zuletzt|zum Schluss|schließlich|enfin|por último|infine|por fim)[\s,]+(.+)$/iu;

/** The steps of a text that says their order in words. */
export const sequenceIn = (text: string): readonly string[] => sequence.exec(text)?.slice(1) ?? [];

const beforeWords = "before|vorher|früher|avant|antes|prima|voor|до|قبل|以前|ビフォー|使用前";
const afterWords = "after|nachher|heute|après|después|ahora|dopo|depois|na|после|بعد|現在|アフター|使用後";
const named = "\\s*[:：–—-]\\s*";
const states = new RegExp(
  `^\\s*(${beforeWords})${named}(\\S.*?)[\\s.,;。、;–—-]*(${afterWords})${named}(\\S.*)$`,
  "iu",
);

type States = Readonly<Record<"before" | "was" | "after" | "is", string>>;

/** What was, and what is, with the names of both. */
export function statesIn(text: string): States | undefined {
  const [, before = "", was = "", after = "", is = ""] = states.exec(text) ?? [];
  return was && is ? { before, was, after, is } : undefined;
}

const drawnStars = /[★☆⭐]{3,5}\ufe0f?/u;
const saidStars =
  /\b(\d(?:[.,]\d)?)\s*(?:\/|out of|of|von|sur|de|su|из|من)\s*5(?:\s*(?:stars?|sternen?|étoiles|estrellas|stelle|estrelas|звёзд|звезд|نجوم))?|\b5\s*(?:stars?|sterne|étoiles|estrellas|stelle|estrelas)\b/iu;

/** A text with its rating as scenes show it. */
export const withShortRating = (text: string): string =>
  text.replace(saidStars, (_, figure?: string) => (figure ? `${figure}/5` : "★★★★★"));

/** A rating of five stars at most, as it is shown, and the rest of the text. */
export function ratingIn(text: string): { readonly stars: string; readonly rest: string } | undefined {
  const [found, figure] = drawnStars.exec(text) ?? saidStars.exec(text) ?? [];
  if (found === undefined) return undefined;
  const isDrawn = drawnStars.test(found);
  const stars = isDrawn ? found.replaceAll("⭐", "★").replaceAll("\ufe0f", "") : figure ? `★ ${figure}/5` : "★★★★★";
  const rest = text.replace(found, " ").replace(/\s+/gu, " ").trim();
  return { stars, rest };
}

const state = (words: string) => new RegExp(`^\\s*(?:${words})\\s*[:：–—-]\\s*\\S`, "iu");
const isBefore = state(beforeWords);
const isAfter = state(afterWords);
const isQuote = /^["“„«»「『].*["”“»«」』][.,。!！?？]?$/u;
const isAuthor = /^\s*(?:[-–—―]\s*)?\p{Lu}[^.!?:]{1,60}\.?\s*$/u;

/** Of a sentence: the stars, and who says so. */
const isAttribution = (text: string): boolean => {
  const { rest = text, stars } = ratingIn(text) ?? {};
  return stars !== undefined ? rest.length <= maxAuthor : /^\s*[-–—―]/u.test(text) && isAuthor.test(text);
};
const maxAuthor = 60;

/** Joins sentences that say something only together: two states, and a quote with its stars and its author. */
export function withForms(sentences: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const sentence of sentences) {
    const last = joined.at(-1) ?? "";
    const belongs = (isBefore.test(last) && isAfter.test(sentence)) || (isQuote.test(last) && isAttribution(sentence));
    if (belongs) joined[joined.length - 1] = `${last} ${sentence}`;
    else joined.push(sentence);
  }
  return joined;
}

/** True for a text that a scene shows as a whole: steps, two states, or a quote. */
export const isForm = (text: string): boolean =>
  stepMarks(text).length > 0 ||
  sequenceIn(text).length > 0 ||
  statesIn(text) !== undefined ||
  /^["“„«»「『]/u.test(text);
