import { isUnspaced } from "../../../timeline/captions/scripts.ts";
import type { Amount } from "../../ai/scene-design.ts";
import { countWords } from "../../shared/texts.ts";
import { balancedLines, emsOf, lineHeight, lineHeightOf, type Room, setLarge } from "./lines.ts";

/** A piece of a text as it is set: one line, or a block with a ground of its own. */
export type Piece = {
  readonly text: string;
  readonly fontSize: number;
  /** `main` has the color of what matters, `boxed` a ground of its own in it, `tile` one in the color of shapes. */
  readonly role: "plain" | "main" | "boxed" | "tile";
  readonly lines: number;
};

/** A text without the full stop that titles do not have. */
export const titleOf = (text: string): string => text.replace(/(?<=[^.。!?！？])[.。]\s*$/u, "");

/**
 * How a text is set, by what it says: a list as rows, a number large, two clauses against each other, few words as wide as
 * the room. The words stay in their order. `turn` lets scenes that follow each other differ.
 */
export function piecesOf(text: string, room: Room, turn: number): readonly Piece[] {
  return (
    listed(text, room) ?? figure(text, room) ?? paired(text, room) ?? wide(text, room, turn) ?? even(text, room, turn)
  );
}

const separators = /\s*[,،、;；]\s*|\s+(?:and|und|y|et|e|и|&|\+)\s+/u;
const maxItem = { words: 3, ems: 9 };
const minItems = 3;

type List = { readonly heading: string; readonly items: readonly string[] };

/** Three things or more, after a heading or without one. */
export function listIn(text: string): List | undefined {
  const [, heading = "", rest = text] = /^([^:：]{2,40}[:：])\s*(\S.*)$/u.exec(text) ?? [];
  const split = (pattern: RegExp) => rest.split(pattern).filter((item) => item.trim() !== "");
  const byCommas = split(separators);
  // in Arabic the word for "and" is part of the next one
  const items = heading && byCommas.length < minItems ? split(/\s*[,،]\s*و?|\s+و(?=\p{sc=Arabic}{3,})/u) : byCommas;
  const bare = items.map((item) => item.replace(/^(?:and|und|y|et|e|и)\s+/u, ""));
  const isShort = (item: string) =>
    countWords(item) <= (isUnspaced(item) ? 6 : maxItem.words) && emsOf(item) <= maxItem.ems;
  if (bare.length < minItems || bare.length > 5 || !bare.every(isShort)) return undefined;
  return { heading: heading.replace(/[:：]$/u, ""), items: bare };
}

function listed(text: string, { width, height, maxFontSize }: Room): readonly Piece[] | undefined {
  const { heading, items } = listIn(text) ?? {};
  if (!items) return undefined;
  const rows = items.length + (heading ? 1.4 : 0);
  const longest = Math.max(...items.map(emsOf)) + 1.1;
  const fontSize = Math.min(maxFontSize * 0.7, width / longest, height / (rows * 1.85));
  const above = heading
    ? setLarge(heading, { width, height: fontSize * 1.6, maxLines: 2, maxFontSize: fontSize * 1.05 })
    : undefined;
  return [
    ...(above ? above.lines.map((line) => plain(line, above.fontSize)) : []),
    ...items.map((item): Piece => ({ text: item, fontSize, role: "tile", lines: 1 })),
  ];
}

const plain = (text: string, fontSize: number): Piece => ({ text, fontSize, role: "plain", lines: 1 });

const measure =
  /(?<![\p{L}\p{N}])(\p{Sc}\s?)?\p{N}[\p{N}.,:/]*(?:\s?(?:%|\p{Sc}|[km]?g|[kcm]?m|ml|l|h|min|°C?|x|×|[kM]))?(?![\p{L}\p{N}])|(?:第|一回)?\p{N}[\p{N}.,:]*\s?[年月日時分秒円個本人名回歳種%％]+/u;

/** At most so many words beside the number: it would not be what the sentence is about. */
const maxBeside = 6;

type Figure = { readonly before: string; readonly number: string; readonly after: string };

/** The number that a text is about. */
export function figureIn(text: string): Figure | undefined {
  const { 0: number, index } = measure.exec(text) ?? {};
  if (number === undefined || index === undefined) return undefined;
  const bare = number.replace(/[.,:]$/u, "");
  const [before, after] = [text.slice(0, index).trim(), text.slice(index + bare.length).trim()];
  const isOther = measure.test(after) || /^[,;:、，،]/u.test(after);
  if (isOther || countWords(`${before} ${after}`) > maxBeside || before + after === "") return undefined;
  return { before, number: bare, after };
}

/** Of a number that can be seen at once: that many dots, or so many of a hundred. */
export function amountIn(text: string): Amount | undefined {
  const { number = "", after = "" } = figureIn(titleOf(text)) ?? {};
  const value = Number.parseFloat(number.replace(",", "."));
  if (/^\p{N}[\p{N}.,]*\s?%$/u.test(number) && value > 0 && value <= 100)
    return { filled: Math.floor(value), total: 100 };
  const isCount = /^\d{1,2}$/.test(number) && after !== "" && value >= 2 && value <= maxCounted;
  return isCount ? { filled: value, total: value } : undefined;
}

const maxCounted = 60;

function figure(text: string, { width, height, maxFontSize }: Room): readonly Piece[] | undefined {
  const found = figureIn(text);
  if (!found) return undefined;
  const { before, number, after } = found;
  const large = Math.min(maxFontSize * 2.1, (width / emsOf(number)) * 0.98, height * 0.46);
  const rest = {
    width,
    height: (height - large * lineHeight) / 2,
    maxLines: 2,
    maxFontSize: Math.min(maxFontSize, large * 0.5),
  };
  const [above, below] = [before, after].map((part) => (part ? setLarge(part, rest) : { lines: [], fontSize: 0 }));
  const size = Math.min(...[above, below].flatMap((part) => (part?.lines.length ? [part.fontSize] : [])));
  return [
    ...(above?.lines ?? []).map((line) => plain(line, size)),
    { text: number, fontSize: large, role: "main", lines: 1 },
    ...(below?.lines ?? []).map((line) => plain(line, size)),
  ];
}

/** Two clauses: the second answers the first. */
function paired(text: string, room: Room): readonly Piece[] | undefined {
  const [first = "", second = "", ...others] = text.split(/(?<=[,،、，;；–—])\s*/u);
  const ems = [first, second].map(emsOf);
  if (others.length > 0 || Math.min(...ems) < 4 || Math.max(...ems) > 17) return undefined;
  const padding = 0.22;
  const half = { ...room, height: room.height * 0.5, maxLines: 3 };
  const boxRoom = { ...half, width: room.width * 0.93, height: half.height * 0.86 };
  const settings = [setLarge(first, half), setLarge(second, boxRoom)];
  const fontSize = Math.min(room.maxFontSize * 0.85, ...settings.map((each) => each.fontSize));
  const [above, below] = settings as [(typeof settings)[0], (typeof settings)[0]];
  return [
    ...above.lines.map((line) => plain(line, fontSize)),
    { text: below.lines.join("\n"), fontSize: fontSize / (1 + padding / 4), role: "boxed", lines: below.lines.length },
  ];
}

const maxWideEms = 15;

/** Each line as wide as the room: for few words. */
function wide(text: string, room: Room, turn: number): readonly Piece[] | undefined {
  if (emsOf(text) > maxWideEms) return undefined;
  const { width, height, maxFontSize } = room;
  const settings = [1, 2, 3, 4].map((count) => {
    const lines = balancedLines(text, count);
    const full = lines.map((line) => Math.min(maxFontSize * 1.5, width / emsOf(line)));
    // no line so large that the others look lost
    const sizes = full.map((size) => Math.min(size, 2.2 * Math.min(...full)));
    const shrink = Math.min(1, height / (sizes.reduce((sum, size) => sum + size, 0) * lineHeightOf(text)));
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

/** One with a number, else the last, or in every other scene the first. */
function mainLine(lines: readonly string[], turn: number): number {
  if (lines.length === 1) return turn % 2 === 0 ? 0 : -1;
  const numbered = lines.findLastIndex((line) => /\p{N}/u.test(line));
  return numbered >= 0 ? numbered : lines.length - 1;
}

/** Lines of one size. */
function even(text: string, room: Room, turn: number): readonly Piece[] {
  const { lines, fontSize } = setLarge(text, { ...room, maxFontSize: room.maxFontSize * 0.9 });
  const main = mainLine(lines, turn);
  return lines.map((line, at) => ({ text: line, fontSize, role: at === main ? "main" : "plain", lines: 1 }));
}

/** What a scene shows that has no words of its own: the name as a pattern of lines, or its first letter. */
export function nameAlone(name: string, room: Room, turn: number): readonly Piece[] {
  const { width, height, maxFontSize } = room;
  const [initial = ""] = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment.toUpperCase());
  if (turn % 2 === 1) {
    const large = Math.min(height * 0.66, width / emsOf(initial));
    const small = setLarge(name, { width, height: height * 0.2, maxLines: 1, maxFontSize });
    return [{ text: initial, fontSize: large, role: "main", lines: 1 }, plain(name, small.fontSize)];
  }
  const fontSize = Math.min(maxFontSize, width / emsOf(name), height / (3 * lineHeight));
  const rows = Math.max(3, Math.min(6, Math.floor(height / (fontSize * lineHeight))));
  const main = rows >> 1;
  return Array.from({ length: rows }, (_, at): Piece => {
    return { text: name, fontSize, role: at === main ? "main" : "plain", lines: 1 };
  });
}

/** A name: each of its lines as wide as the room, unless it has many. */
export function nameOf(name: string, room: Room): readonly Piece[] {
  return (wide(name, room, 1) ?? even(name, room, 1)).map((piece) => ({ ...piece, role: "plain" }));
}
