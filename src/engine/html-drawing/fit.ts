import type { MeasuredNode, Renderer, RenderOptions } from "@takumi-rs/core";
import { type Card, visit } from "../html/card.ts";
import type { CardElement } from "../html/elements.ts";
import { splitEmoji } from "./emoji.ts";
import { type FitShares, nodeOf } from "./nodes.ts";

/** Widths of the parts that mark elements; wider than any card, and unlikely in a layout. */
export const firstMark = 70_001;

const smallestShare = 0.05;
const steps = 7;
const maxElements = 50;

/** The shares of their sizes at which the words of elements with `data-fit` fit into their boxes. */
export async function fitWords(renderer: Renderer, card: Card, options: RenderOptions): Promise<FitShares> {
  const elements: CardElement[] = [];
  visit(card.body, (element) => {
    if (element.attributes["data-fit"] !== undefined && elements.length < maxElements) elements.push(element);
  });
  const marks = new Map(elements.map((element, index) => [element, firstMark + index]));
  const letters = new Map(elements.map((element) => [element, letterCount(wordsIn(element))]));
  const overflowing = async (shares: FitShares): Promise<ReadonlySet<CardElement>> => {
    const layout = await renderer.measure(nodeOf({ card, shares, marks }), options);
    const boxes = markedBoxes(layout);
    const isTooLarge = (element: CardElement): boolean => {
      const box = boxes.get(marks.get(element)!);
      return box !== undefined && (box.overflows || box.letters < (letters.get(element) ?? 0));
    };
    return new Set(elements.filter(isTooLarge));
  };

  const ranges = new Map(
    [...(await overflowing(new Map()))].map((element) => [element, { low: smallestShare, high: 1 }]),
  );
  for (let step = 0; step < steps && ranges.size > 0; step++) {
    const tried = new Map([...ranges].map(([element, { low, high }]) => [element, (low + high) / 2]));
    const tooLarge = await overflowing(tried);
    for (const [element, share] of tried) {
      const { low, high } = ranges.get(element)!;
      ranges.set(element, tooLarge.has(element) ? { low, high: share } : { low: share, high });
    }
  }
  return new Map([...ranges].map(([element, { low }]) => [element, Math.round(low * 1000) / 1000]));
}

/** In pixels. */
const tolerance = 1;

const wordsIn = ({ children }: CardElement): string =>
  children.map((child) => (typeof child === "string" ? child : wordsIn(child))).join("");

/** Without emoji, which are drawn as pictures. */
const letterCount = (text: string): number =>
  splitEmoji(text.replace(/\s+/g, "")).reduce((sum, part) => sum + (part.isEmoji ? 0 : part.text.length), 0);

/** `letters` are those that are laid out: lines that do not fit are left out. */
type MarkedBox = { readonly overflows: boolean; readonly letters: number };

/** The boxes of marked elements, by their marks. */
function markedBoxes(layout: MeasuredNode): ReadonlyMap<number, MarkedBox> {
  const found = new Map<number, MarkedBox>();
  const visitNode = (node: MeasuredNode): void => {
    for (const child of node.children) {
      if (isMark(child))
        found.set(Math.round(child.width), { overflows: overflows(node, layout), letters: lettersIn(node) });
      visitNode(child);
    }
  };
  visitNode(layout);
  return found;
}

const lettersIn = ({ runs, children }: MeasuredNode): number =>
  runs.reduce((sum, { text }) => sum + text.replace(/\s+/g, "").length, 0) +
  children.reduce((sum, child) => sum + lettersIn(child), 0);

const isMark = ({ width, height }: MeasuredNode): boolean => width >= firstMark && height === 0;

/** True if the words lie outside of the box of their element, or of the card. */
function overflows(element: MeasuredNode, card: MeasuredNode): boolean {
  const box = areaOf(element);
  const right = Math.min(box.right, card.width);
  const bottom = Math.min(box.bottom, card.height);
  const isWide = (node: MeasuredNode): boolean => {
    // a block of words leaves out the padding of its element
    const own = areaOf(node);
    const [from, to] = [Math.max(box.left, own.left), Math.min(right, own.right)];
    return (
      node.runs.some(({ text, x, width }) => {
        const left = node.transform[4] + x;
        return left < from - tolerance || left + width * shareWithoutEnd(text) > to + tolerance;
      }) || node.children.some((child) => !isMark(child) && isWide(child))
    );
  };
  // a line is as high as the element says, and its glyphs may be higher
  const isHigh = element.children
    .filter((child) => !isMark(child))
    .map(areaOf)
    .some((words) => words.top < box.top - tolerance || words.bottom > bottom + tolerance);
  return isHigh || isWide(element);
}

/** The share of a line's width that its words have: a space at its end is about half as wide as a letter. */
const shareWithoutEnd = (text: string): number =>
  text.length === 0 ? 0 : (text.trimEnd().length + text.length) / (2 * text.length);

const areaOf = ({ width, height, transform }: MeasuredNode) => ({
  ...{ left: transform[4], top: transform[5], right: transform[4] + width, bottom: transform[5] + height },
});
