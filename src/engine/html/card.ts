import { type CssNode, type Declaration, generate } from "css-tree";
import { LRUCache } from "lru-cache";
import { sha256Of } from "../../platform/values.ts";
import type { Stretch } from "../timeline/overlay.ts";
import { calculateTimes } from "./calculated-times.ts";
import { noStyles, readInlineStyle, readStylesheet, type StyleDeclaration, type Styles, short } from "./css.ts";
import { type CardElement, parseHtml } from "./elements.ts";
import { CardRefused, cardLimits, type Ignored } from "./limits.ts";
import { momentsOf } from "./moments.ts";
import { assetIdOf, bytesWithoutPictures, drawnInSvg, isPictureAddress } from "./pictures.ts";

/** What draws cards: a part of cache keys. A test compares it with the package; what we give it has a number of its own. */
export const cardRenderer = "takumi 2.16.3, 3";

/** The HTML and the CSS of a card, read. */
export type Card = {
  readonly body: CardElement;
  /** Without the parts that would load something, in the order in which they count. */
  readonly stylesheets: readonly string[];
  readonly inlineStyles: ReadonlyMap<CardElement, Readonly<Record<string, string>>>;
  readonly declarations: readonly CardDeclaration[];
  readonly assetIds: readonly string[];
  readonly moments: readonly Stretch[];
  /** What is left out, and what the parser does not understand. */
  readonly ignored: readonly Ignored[];
};

export type CardDeclaration = Pick<StyleDeclaration, "field" | "line" | "property" | "value">;

export type CardText = { readonly html: string; readonly css: string };

const known = new LRUCache<string, { readonly card?: Card; readonly refused?: CardRefused }>({ max: 100 });

/** Reads a card without drawing it. Throws CardRefused if it is too large. */
export function readCard(text: CardText): Card {
  const key = sha256Of(JSON.stringify([text.html, text.css]));
  const found = known.get(key) ?? attempt(text);
  known.set(key, found);
  if (found.refused) throw found.refused;
  // safe because a card that is not refused was read
  return found.card!;
}

function attempt(text: CardText): { readonly card?: Card; readonly refused?: CardRefused } {
  try {
    return { card: read(text) };
  } catch (error) {
    if (error instanceof CardRefused) return { refused: error };
    throw error;
  }
}

function read({ html, css }: CardText): Card {
  requireSize("html", html);
  requireSize("css", css);
  const { root: body, styles: own, count, ignored } = parseHtml(html);
  const styles = noStyles();
  const stylesheets: readonly CssNode[] = [
    ...own.map((style) => readStylesheet(style.css, { field: "html", line: style.line }, styles)),
    readStylesheet(css, { field: "css", line: 1 }, styles),
  ];
  const inline = new Map<CardElement, ReadonlyMap<string, Declaration>>();
  visit(body, (element) => {
    const { style } = element.attributes;
    if (style) inline.set(element, readInlineStyle(style, { field: "html", line: element.line }, styles));
    readPicture(element, styles);
    if (element.name === "svg") readDrawing(element, styles);
  });
  if (styles.selectors * count > cardLimits.comparisons) {
    throw new CardRefused("css", "Has too many selectors for so many elements.");
  }
  const moments = momentsOf(styles);
  calculateTimes(styles);
  return {
    ...{ body, moments, declarations: styles.declarations.map(drawnDeclaration), assetIds: [...styles.assetIds] },
    stylesheets: stylesheets.map((tree) => generate(tree)),
    inlineStyles: new Map([...inline].map(([element, style]) => [element, textsOf(style)])),
    ignored: [...ignored, ...styles.ignored],
  };
}

/** A declaration as it is drawn: calculated times have replaced their calculations. */
const drawnDeclaration = ({ field, line, property, node }: StyleDeclaration): CardDeclaration => ({
  ...{ field, line, property, value: generate(node.value) },
});

const textsOf = (style: ReadonlyMap<string, Declaration>): Readonly<Record<string, string>> =>
  Object.fromEntries([...style].map(([property, { value }]) => [property, generate(value)]));

function requireSize(field: "html" | "css", text: string): void {
  if (bytesWithoutPictures(text) <= cardLimits.bytes) return;
  throw new CardRefused(field, "Must have at most 64 KB, without the pictures in it.");
}

function readPicture({ name, attributes, line }: CardElement, styles: Styles): void {
  if (name !== "img") return;
  const { src = "" } = attributes;
  const id = assetIdOf(src);
  if (id !== undefined) styles.assetIds.add(id);
  else if (!isPictureAddress(src)) styles.ignored.push({ field: "html", line, what: `<img src="${short(src)}">` });
}

/** Reports what is left out of a drawing: of an element that is not drawn, nothing in it is. */
function readDrawing({ children }: CardElement, styles: Styles): void {
  for (const child of children) {
    if (typeof child === "string") continue;
    if (drawnInSvg.has(child.name)) {
      if (child.name !== "svg") readDrawing(child, styles);
    } else styles.ignored.push({ field: "html", line: child.line, what: `<${child.name}> in <svg>` });
  }
}

/** Visits the elements from the outermost on. */
export function visit(element: CardElement, use: (element: CardElement) => void): void {
  use(element);
  for (const child of element.children) if (typeof child !== "string") visit(child, use);
}
