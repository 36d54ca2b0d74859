import { cleanText, countWords, sentencesOf } from "../../../platform/texts.ts";
import { ratingIn, statesIn } from "../../language/forms.ts";
import { leansForward } from "../../language/function-words.ts";
import { pricesIn } from "../../language/offers.ts";
import { type Layout, sameAs } from "../../looks/looks.ts";
import type { ScenarioScene } from "../../works/works.ts";
import { figureIn, halvesIn, listIn, pairIn, stepsIn, titleOf } from "./clauses.ts";

/** Facts of a film besides its scenario. */
export type FilmFacts = {
  readonly name: string;
  /** The host of the product's page. */
  readonly address: string;
  readonly price: string;
  /** An image of the project. */
  readonly logo?: { readonly assetId: string; readonly ratio: number };
};

export type Place = "opening" | "middle" | "end";

export const placeOf = (at: number, count: number): Place =>
  at === 0 ? "opening" : at === count - 1 ? "end" : "middle";

/** The layout of a scene, and its words by the names of the layout's boxes. */
export type SceneWords = { readonly layout: Layout; readonly words: Readonly<Record<string, string>> };

type Said = Pick<ScenarioScene, "text_overlay" | "voice_text">;

/** The layouts and words of a film's scenes. Of two in a row, the second has another layout if its words fit one. */
export function filmWords(facts: FilmFacts, scenes: readonly Said[]): readonly SceneWords[] {
  const set: SceneWords[] = [];
  for (const [at, scene] of scenes.entries()) {
    set.push(sceneWords(facts, scene, placeOf(at, scenes.length), set.at(-1)?.layout));
  }
  return set;
}

/** Chooses the layout of a scene by what its words say, at best another one than that before. Keeps their order. */
export function sceneWords(facts: FilmFacts, scene: Said, place: Place, before?: Layout): SceneWords {
  if (place === "opening") return openingWords(facts, scene);
  if (place === "end") return endWords(facts, scene);
  const ways = middleWords(facts, scene);
  const pageOf = (layout: Layout) => sameAs[layout] ?? layout;
  // safe because each text is a claim
  return ways.find(({ layout }) => before === undefined || pageOf(layout) !== pageOf(before)) ?? ways[0]!;
}

/** The product's name, and its description. */
function openingWords({ name }: FilmFacts, { text_overlay = "" }: Said): SceneWords {
  const said = titleOf(cleanText(text_overlay, 120));
  const isNamed = name === "" || said.toLowerCase().includes(name.toLowerCase());
  const words = isNamed && said !== "" ? { headline: said } : { headline: name, ...(said && { sub: said }) };
  return { layout: "opening", words };
}

/** The name, the price, one call, and the address. */
function endWords({ name, price, address, logo }: FilmFacts, scene: Said): SceneWords {
  const call = cleanText(scene.text_overlay ?? scene.voice_text ?? "", 80).replace(/(?<=[^.])[.。]$/u, "");
  const [initial = ""] = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment.toUpperCase());
  const words = { ...(!logo && { initial }), name, price: call.includes(price) ? "" : price, call, address };
  return { layout: "end-card", words };
}

/** The ways to set a text, the best first. */
function middleWords({ name }: FilmFacts, { text_overlay = "" }: Said): readonly SceneWords[] {
  const text = titleOf(cleanText(text_overlay, 200));
  if (text === "") return [{ layout: "claim", words: { headline: name } }];
  const whole = statesWords(text) ?? itemsIn("steps", stepsIn(text)) ?? reviewIn(text);
  if (whole) return [whole];
  const list = listIn(text);
  const isPronoun =
    list !== undefined &&
    list.heading !== "" &&
    text.startsWith(`${list.heading} ${list.items[0]}`) &&
    !/\s/u.test(list.heading);
  const ways = [
    itemsIn("list", list && isPronoun && name ? { ...list, heading: name } : list),
    quoteIn(text),
    offerIn(text),
    numberIn(text),
    pairedIn(pairIn(text)),
    { layout: "claim", words: { headline: text } } as const,
    pairedIn(halvesIn(text)),
  ];
  return ways.filter((way) => way !== undefined);
}

function itemsIn(layout: "list" | "steps", list: ReturnType<typeof listIn>): SceneWords | undefined {
  if (!list) return undefined;
  const items = Object.fromEntries(list.items.map((item, at) => [`item-${at + 1}`, item]));
  return { layout, words: { headline: list.heading, ...items } };
}

function statesWords(text: string): SceneWords | undefined {
  const found = statesIn(text);
  if (!found) return undefined;
  const { before, was, after, is } = found;
  return { layout: "before-after", words: { before, headline: titleOf(was), after, answer: titleOf(is) } };
}

/** What someone says with a rating. */
function reviewIn(text: string): SceneWords | undefined {
  const rated = ratingIn(text);
  const said = rated && quoteIn(rated.rest);
  return said && { layout: "review", words: { stars: rated.stars, ...said.words } };
}

function quoteIn(text: string): SceneWords | undefined {
  const [, said = "", author = ""] =
    /^["“„«»「『](.{8,}?)["”“»«」』][.,。]?\s*(?:[-–—―]\s*)?(.{0,60})$/u.exec(text) ?? [];
  return said === "" ? undefined : { layout: "quote", words: { headline: said, author } };
}

const mostBesidePrice = 8;

/** Part of a Japanese price: "from", "off". */
const priceEnd = /^(?:から|より|引き|割引|オフ)/u;

/** Words before a price that no longer holds. A struck price has the meaning of them all. */
export const formerly = [
  ...["instead of", "was", "were", "down from", "statt", "vorher", "au lieu de", "en lugar de", "antes", "invece di"],
  ...["em vez de", "вместо", "بدل من", "بدلا من", "بدلاً من"],
];
const isFormerly = new RegExp(`[\\s,(]*(?:${formerly.join("|")})\\s*:?\\s*$`, "iu");

/** Words after a price that say how long or for what it holds. */
const keepsOffer =
  /^\s*(?:off|less|until|till|today|only|plus|more|all|if|when|bis|heute|weniger|günstiger|wenn|hasta|menos|jusqu\p{L}*|dès|offerts?|до|fino)(?!\p{L})/iu;

/** Words beside a sum that is no price, because people gave or won it. */
const collected =
  "raised|donated|collected|earned|paid out|invested|gesammelt|gespendet|eingenommen|récoltés?|collectés?|reversés?|recaudad[oa]s?|donad[oa]s?|raccolti|donati|arrecadad[oa]s";
const collectedBefore = new RegExp(`(?<!\\p{L})(?:${collected})\\s+(?:\\p{Ll}+\\s+)?$`, "iu");
const collectedAfter = new RegExp(`^\\s+(?:\\p{Ll}+\\s+)?(?:${collected})(?!\\p{L})`, "iu");

/** A price with what it is for, and the price that held before. */
function offerIn(text: string): SceneWords | undefined {
  const prices = pricesIn(text);
  const [found, second, ...others] = prices;
  if (!found || others.length > 0) return undefined;
  const [part = ""] = priceEnd.exec(text.slice(found.end)) ?? [];
  const first = { ...found, text: `${found.text}${part}`, end: found.end + part.length };
  const between = second ? text.slice(first.end, second.start) : "";
  if (second && !isFormerly.test(` ${between}`)) return undefined;
  const [before, after] = [text.slice(0, first.start), text.slice((second ?? first).end).replace(/^\)/u, "")];
  if (collectedBefore.test(before) || collectedAfter.test(after)) return undefined;
  // "Every £20 entry gives …" offers nothing
  const isInside =
    /^\s*\p{Ll}/u.test(after) && !leansForward(after.trim().split(" ")[0] ?? "") && !keepsOffer.test(after);
  if (isInside || countWords(`${before} ${after}`) > mostBesidePrice) return undefined;
  const { facts, rest } = factsApart(before);
  const sub = [...facts, trimmed(after.replace(/^[.!。！]\s*|^です$/gu, ""))].filter(Boolean).join(" ");
  return { layout: "offer", words: { headline: trimmed(rest), price: first.text, was: second?.text ?? "", sub } };
}

/** The sentences before an offer that share its scene, which stand below the price, and the offer's own words. */
function factsApart(before: string): { readonly facts: readonly string[]; readonly rest: string } {
  const sentences = sentencesOf(before.trim());
  const last = sentences.at(-1) ?? "";
  // "ca." is no sentence
  const isFact = /[.!?。！？]$/u.test(last) && countWords(last) > 1;
  if (isFact) return { facts: sentences, rest: "" };
  return sentences.length > 1 ? { facts: sentences.slice(0, -1), rest: last } : { facts: [], rest: before };
}

function numberIn(text: string): SceneWords | undefined {
  const found = collectedIn(text) ?? figureIn(text);
  if (!found) return undefined;
  const { before, number, after } = found;
  return { layout: "number", words: { headline: trimmed(before), number, sub: trimmed(after) } };
}

/** A sum that people gave, and what counts them: "3,200 runners raised £81,000". */
function collectedIn(text: string): ReturnType<typeof figureIn> {
  const [found, ...others] = pricesIn(text);
  if (!found || others.length > 0) return undefined;
  const [before, after] = [text.slice(0, found.start), text.slice(found.end)];
  const isCollected = collectedBefore.test(before) || collectedAfter.test(after);
  return isCollected && countWords(`${before} ${after}`) <= mostBesidePrice
    ? { before, number: found.text, after }
    : undefined;
}

function pairedIn(pair: readonly [string, string] | undefined): SceneWords | undefined {
  return pair && { layout: "split", words: { headline: trimmed(pair[0]), answer: trimmed(pair[1]) } };
}

/** Removes the signs that joined the words to their neighbors. */
const trimmed = (text: string): string => text.replace(/^[\s,;:–—、，؛،-]+|[\s,;–—、，؛،-]+$/gu, "");
