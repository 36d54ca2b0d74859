import { type MeasuredNode, Renderer } from "@takumi-rs/core";
import { type CardText, readCard, visit } from "../html/card.ts";
import type { CardElement } from "../html/elements.ts";
import type { Canvas } from "../timeline/canvas.ts";
import type { Box } from "../timeline/overlay.ts";
import { firstMark } from "./fit.ts";
import { nodeOf } from "./nodes.ts";

/** The boxes of elements with `data-box`, by its value, in pixels of the card. Words are not measured. */
export async function boxesIn(text: CardText, size: Canvas): Promise<Readonly<Record<string, Box>>> {
  const card = readCard(text);
  const elements: CardElement[] = [];
  visit(card.body, (element) => {
    if (element.attributes["data-box"] !== undefined) elements.push(element);
  });
  const marks = new Map(elements.map((element, index) => [element, firstMark + index]));
  const layout = await new Renderer().measure(nodeOf({ card, shares: new Map(), marks }), {
    ...{ width: size.width, height: size.height, css: [...card.stylesheets] },
  });
  const found = new Map<string, Box>();
  const visitNode = (node: MeasuredNode): void => {
    for (const child of node.children) {
      const element = child.height === 0 ? elements[Math.round(child.width) - firstMark] : undefined;
      if (element) found.set(element.attributes["data-box"]!, boxOf(node));
      visitNode(child);
    }
  };
  visitNode(layout);
  // an element that is not displayed has no box
  return Object.fromEntries([...found].filter(([, { width, height }]) => width > 0 && height > 0));
}

const boxOf = ({ width, height, transform }: MeasuredNode): Box => ({
  ...{ x: transform[4], y: transform[5], width, height },
});
