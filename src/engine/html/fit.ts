import type { MeasuredNode, Renderer, RenderOptions } from "@takumi-rs/core";
import { type Card, visit } from "./card.ts";
import type { CardElement } from "./elements.ts";
import { type FitShares, nodeOf } from "./nodes.ts";

/** Widths of the parts that mark elements; wider than any card, and unlikely in a layout. */
const firstMark = 70_001;

const smallestShare = 0.1;
const steps = 7;
const maxElements = 50;

/** The shares of their sizes at which the words of elements with `data-fit` fit into their boxes. */
export async function fitWords(renderer: Renderer, card: Card, options: RenderOptions): Promise<FitShares> {
  const elements: CardElement[] = [];
  visit(card.body, (element) => {
    if (element.attributes["data-fit"] !== undefined && elements.length < maxElements) elements.push(element);
  });
  const marks = new Map(elements.map((element, index) => [element, firstMark + index]));
  const overflowing = async (shares: FitShares): Promise<ReadonlySet<CardElement>> => {
    const layout = await renderer.measure(nodeOf({ card, shares, marks }), options);
    const boxes = markedBoxes(layout);
    return new Set(elements.filter((element) => boxes.get(marks.get(element)!)));
  };

  const ranges = new Map([...(await overflowing(new Map()))].map((element) => [element, { low: smallestShare, high: 1 }]));
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

/** True for each mark whose element has words outside of its box. */
function markedBoxes(layout: MeasuredNode): ReadonlyMap<number, boolean> {
  const found = new Map<number, boolean>();
  const visitNode = (node: MeasuredNode, box: MeasuredNode | undefined): void => {
    for (const child of node.children) {
      if (child.width >= firstMark && child.height === 0 && box) found.set(Math.round(child.width), overflows(box));
      visitNode(child, node);
    }
  };
  visitNode(layout, undefined);
  return found;
}

/** The block of the words lies in the box of the element. */
function overflows(box: MeasuredNode): boolean {
  const [left, top] = [box.transform[4], box.transform[5]];
  const isOutside = (node: MeasuredNode): boolean =>
    node.width < firstMark &&
    (node.runs.some((run) => {
      const x = node.transform[4] - left + run.x;
      const y = node.transform[5] - top + run.y;
      const sides = [-x, -y, x + run.width - box.width, y + run.height - box.height];
      return Math.max(...sides) > tolerance;
    }) ||
      node.children.some(isOutside));
  return isOutside(box);
}
