import { isUnspaced } from "../../../engine/timeline/captions/scripts.ts";
import { countWords } from "../../../platform/texts.ts";
import { sum } from "../../../platform/values.ts";
import { leansForward } from "../../language/function-words.ts";
import { balancedLines, emsOf, lineHeight, lineHeightOf, type Room, setLarge } from "./lines.ts";

/** A typeset piece of a text: one line, or a block with a ground of its own. */
export type Piece = {
  readonly text: string;
  readonly fontSize: number;
  /** `main` has the emphasis color, `boxed` a ground in it, `tile` a ground in the color of shapes. */
  readonly role: "plain" | "main" | "boxed" | "tile";
  readonly lines: number;
};

/** Removes the full stop, which titles do not have. */
export const titleOf = (text: string): string => text.replace(/(?<=[^.。!?！？])[.。]\s*$/u, "");

/**
 * Typesets a text by its content: a list as rows, a number large, two clauses against each other, few words as wide as
 * the room, and otherwise the last words on a ground of their own. Keeps the order of words. `turn` varies consecutive
 * scenes.
 */
export function piecesOf(text: string, room: Room, turn: number): readonly Piece[] {
  return listed(text, room) ?? figure(text, room) ?? paired(text, room) ?? wide(text, room, turn) ?? keyed(text, room);
}

const separators = /\s*(?:[،、;；]|,(?!\d))\s*|\s+(?:and|und|y|et|e|и|or|oder|ou|o|или|&|\+)\s+/u;
const maxItem = { words: 6, ems: 14 };
const minItems = 3;

type List = { readonly heading: string; readonly items: readonly string[] };

/** Three items or more, with or without a heading. */
export function listIn(text: string): List | undefined {
  const [, heading = "", rest = text] = /^([^:：]{2,40}[:：])\s*(\S.*)$/u.exec(text) ?? [];
  const split = (pattern: RegExp) => rest.split(pattern).filter((item) => item.trim() !== "");
  const byCommas = split(separators);
  // in Arabic the word for "and" is part of the next word
  const items = heading && byCommas.length < minItems ? split(/\s*[,،]\s*و?|\s+و(?=\p{sc=Arabic}{3,})/u) : byCommas;
  const bare = items.map((item) => item.replace(/^(?:and|und|y|et|e|и|or|oder|ou|o|или)\s+/u, ""));
  const isShort = (item: string) =>
    countWords(item) <= (isUnspaced(item) ? 6 : maxItem.words) && emsOf(item) <= maxItem.ems;
  if (bare.length < minItems || bare.length > 5 || !bare.every(isShort)) return undefined;
  const lengths = bare.map(emsOf);
  // "色は緑、黄、白の三色" is one sentence
  if (!heading && isUnspaced(text) && Math.max(...lengths) > 3 * Math.min(...lengths)) return undefined;
  if (heading) return { heading: heading.replace(/[:：]$/u, ""), items: bare };
  return parted(bare);
}

/** Matches "It has" in "It has a bell, a lock and a lamp". */
const clause = /^(?:it|we|you|they|es|er|sie|wir|ihr)\s+\p{L}+(?=\s)/iu;

/** The beginning of a list stands over it: a clause, or the words before a phrase like "onto the train". */
function parted(items: readonly string[]): List {
  const [first = "", ...others] = items;
  const [opening] = clause.exec(first) ?? [];
  if (opening) return { heading: opening, items: [first.slice(opening.length).trim(), ...others] };
  const words = first.split(" ");
  const last = words.findLastIndex(leansForward);
  const run = words.findLastIndex((word, at) => at < last && !leansForward(word)) + 1;
  const begin = Math.max(run, last - 1);
  const isLong = emsOf(first) > 0.9 * Math.max(...others.map(emsOf));
  if (!isLong || begin < 1 || last < begin || last === words.length - 1) return { heading: "", items };
  return { heading: words.slice(0, begin).join(" "), items: [words.slice(begin).join(" "), ...others] };
}

function listed(text: string, { width, height, maxFontSize }: Room): readonly Piece[] | undefined {
  const { heading, items } = listIn(text) ?? {};
  if (!items) return undefined;
  const row = lineHeightOf(text) + 2 * boxes.padding + boxes.gap;
  const rows = items.length + (heading ? 0.9 : 0);
  const longest = Math.max(...items.map(emsOf)) + 2 * boxes.padding;
  const fontSize = Math.min(maxFontSize * 0.8, width / longest, height / (rows * row));
  const left = height - items.length * fontSize * row;
  const above = heading
    ? setLarge(heading, { width, height: left / lineHeightOf(text), maxLines: 1, maxFontSize: fontSize * 1.4 })
    : undefined;
  return [
    ...(above ? above.lines.map((line) => plain(line, above.fontSize)) : []),
    ...items.map((item): Piece => ({ text: item, fontSize, role: "tile", lines: 1 })),
  ];
}

/** The measures of words on a ground of their own, as shares of the font size. */
export const boxes = { padding: 0.2, radius: 0.16, gap: 0.18 };

const plain = (text: string, fontSize: number): Piece => ({ text, fontSize, role: "plain", lines: 1 });

const measure =
  /(?<![\p{L}\p{N}])(\p{Sc}\s?)?\p{N}[\p{N}.,:/]*(?:\s?(?:%|\p{Sc}|[km]?g|[kcm]?m|ml|l|h|min|°C?|x|×|[kM]|[كس]م|كغم?|غم?|لتر|مل))?(?![\p{L}\p{N}])|(?:第|一回)?\p{N}[\p{N}.,:]*\s?(?:[か箇カヶ][国月年所]|[年月日時分秒円個本人名回歳種%％週]+|\p{sc=Katakana}[\p{sc=Katakana}ー]+)[間目]?(?:まで|以上|以下|以内)?/u;

/** A number with these words is an address, and no amount. */
const street =
  /^\d+\p{L}?\s+(?:\p{Lu}\S*\s+)+(?:street|st|road|rd|lane|avenue|ave|square|drive|court|quay|row|hill|way)\b|(?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|ufer|damm|markt)\s+\d/iu;

/** The most words beside the number: with more, the sentence is about something else. */
const maxBeside = 6;

type Figure = { readonly before: string; readonly number: string; readonly after: string };

/** The number that a text is about. */
export function figureIn(text: string, mostBeside = maxBeside): Figure | undefined {
  const { 0: number, index } = measure.exec(text) ?? {};
  if (number === undefined || index === undefined || street.test(text)) return undefined;
  const bare = number.replace(/[.,:]$/u, "");
  const [before, after] = [text.slice(0, index).trim(), text.slice(index + bare.length).trim()];
  const isOther = measure.test(after) || /^[,;:、，،]/u.test(after);
  if (isOther || countWords(`${before} ${after}`) > mostBeside || before + after === "") return undefined;
  return { before, number: bare, after };
}

/** Sets the number large together with its unit, so that both read as one. */
function figure(text: string, { width, height, maxFontSize }: Room): readonly Piece[] | undefined {
  const found = figureIn(text);
  if (!found) return undefined;
  // a preposition stays with its noun
  const [, leading = ""] = /(?:^|\s)(\p{L}{1,4})$/u.exec(found.before) ?? [];
  const led = leansForward(leading) ? leading : "";
  const number = led ? `${led} ${found.number}` : found.number;
  const before = found.before.slice(0, found.before.length - led.length).trim();
  const { after } = found;
  const large = Math.min(maxFontSize * 2, width / emsOf(number), height * (before && after ? 0.36 : 0.5));
  const row = lineHeightOf(text) / lineHeight;
  const left = (height - large * lineHeight * row) / row;
  const rest = { width, height: before && after ? left / 2 : left, maxLines: 2 };
  const [above, below] = [
    before ? setLarge(before, { ...rest, maxFontSize: Math.min(maxFontSize, large * 0.5) }) : undefined,
    after ? setLarge(after, { ...rest, maxFontSize: Math.min(maxFontSize, large * 0.7) }) : undefined,
  ];
  return [
    ...(above?.lines ?? []).map((line) => plain(line, above?.fontSize ?? 0)),
    { text: number, fontSize: large, role: "main", lines: 1 },
    ...(below?.lines ?? []).map((line, at): Piece => {
      return { text: line, fontSize: below?.fontSize ?? 0, role: at === 0 ? "main" : "plain", lines: 1 };
    }),
  ];
}

/** Two clauses: the second answers the first. */
function paired(text: string, room: Room): readonly Piece[] | undefined {
  const [first = "", second = "", ...others] = text.split(/(?<=[،、，;；–—]|,(?!\d))\s*/u);
  const ems = [first, second].map(emsOf);
  // a street stands above its town
  const isPlace = street.test(first);
  if (others.length > 0 || Math.min(...ems) < (isPlace ? 1 : 4) || Math.max(...ems) > 17) return undefined;
  return answered(first, second, room, isPlace ? 1 : 3);
}

/** Words, and below them their conclusion on a ground of its own. */
function answered(first: string, second: string, room: Room, maxLines = 3): readonly Piece[] {
  const row = (lineHeightOf(first + second) / lineHeight) * 1.02;
  const half = { ...room, height: (room.height * 0.5) / row, maxLines };
  const above = setLarge(first, half);
  const space = 1 + (2 * boxes.padding + boxes.gap) / lineHeight;
  const largest = Math.min(room.maxFontSize, 1.7 * above.fontSize);
  const below = setLarge(second, {
    ...{ width: room.width - 2 * boxes.padding * Math.min(largest, room.width / emsOf(second)), maxFontSize: largest },
    ...{ height: (room.height / row - above.lines.length * above.fontSize * lineHeight) / space },
    maxLines: emsOf(second) > 8 ? 2 : 1,
  });
  return [
    ...above.lines.map((line) => plain(line, Math.min(above.fontSize, below.fontSize * 1.1))),
    { text: below.lines.join("\n"), fontSize: below.fontSize, role: "boxed", lines: below.lines.length },
  ];
}

const maxWideEms = 15;

/** Sets few words in lines as wide as the room. */
function wide(text: string, room: Room, turn: number): readonly Piece[] | undefined {
  if (emsOf(text) > maxWideEms) return undefined;
  const { width, height, maxFontSize } = room;
  const settings = [1, 2, 3, 4].map((count) => {
    const lines = balancedLines(text, count);
    const full = lines.map((line) => Math.min(maxFontSize * 1.5, width / emsOf(line)));
    // no line so large that the others look lost
    const sizes = full.map((size) => Math.min(size, 2.2 * Math.min(...full)));
    const shrink = Math.min(1, height / (sum(sizes) * lineHeightOf(text)));
    return { lines, sizes: sizes.map((size) => size * shrink) };
  });
  const areaOf = ({ lines, sizes }: (typeof settings)[0]) =>
    sizes.reduce((sum, size, at) => sum + size * size * emsOf(lines[at] ?? ""), 0);
  const [best] = settings.toSorted((one, other) => areaOf(other) - areaOf(one));
  if (!best) return undefined;
  const main = mainLine(best.lines, turn);
  return best.lines.map((line, at): Piece => {
    const fontSize = best.sizes[at] ?? 0;
    return { text: line, fontSize, role: at === main ? "main" : "plain", lines: 1 };
  });
}

/** The line with a number, or else the last one, or the first one in every other scene. */
function mainLine(lines: readonly string[], turn: number): number {
  if (lines.length === 1) return turn % 2 === 0 ? 0 : -1;
  const numbered = lines.findLastIndex((line) => /\p{N}/u.test(line));
  return numbered >= 0 ? numbered : lines.length - 1;
}

/** A sentence ends with its news. */
function keyed(text: string, room: Room): readonly Piece[] {
  const lines = balancedLines(text, 4);
  const [last = text] = lines.slice(-1);
  const first = text.slice(0, text.length - last.length).trim();
  return first && emsOf(last) <= maxKeyEms ? answered(first, last, room) : even(text, room, 0);
}

const maxKeyEms = 12;

/** Sets lines in one size. */
function even(text: string, room: Room, turn: number): readonly Piece[] {
  const { lines, fontSize } = setLarge(text, { ...room, maxFontSize: room.maxFontSize * 0.9 });
  const main = mainLine(lines, turn);
  return lines.map((line, at) => ({ text: line, fontSize, role: at === main ? "main" : "plain", lines: 1 }));
}

/** The display of a scene without words: the name as large as possible, or with its first letter. */
export function nameAlone(name: string, room: Room, turn: number): readonly Piece[] {
  const { width, height, maxFontSize } = room;
  const [initial = ""] = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment.toUpperCase());
  if (turn % 2 === 1) {
    const large = Math.min(height * 0.66, width / emsOf(initial));
    const small = setLarge(name, { width, height: height * 0.2, maxLines: 1, maxFontSize });
    return [{ text: initial, fontSize: large, role: "main", lines: 1 }, plain(name, small.fontSize)];
  }
  return nameOf(name, room).map((piece) => ({ ...piece, role: "main" }));
}

/** A name: each of its lines as wide as the room, unless there are many. */
export function nameOf(name: string, room: Room): readonly Piece[] {
  return (wide(name, room, 1) ?? even(name, room, 1)).map((piece) => ({ ...piece, role: "plain" }));
}
