import type { Node } from "@takumi-rs/helpers";
import { defaultStylePresets } from "@takumi-rs/helpers/jsx";
import type { Card } from "../html/card.ts";
import type { CardElement } from "../html/elements.ts";
import { isPictureAddress } from "../html/pictures.ts";
import { emojiAddress, splitEmoji } from "./emoji.ts";
import { svgOf } from "./svg.ts";

type Metadata = Omit<Node, "type">;

/** The share of its own size to which the words of an element with `data-fit` shrink. */
export type FitShares = ReadonlyMap<CardElement, number>;

export type NodeOptions = {
  readonly card: Card;
  readonly shares: FitShares;
  /** Adds to each of these elements a part without an area, of this width: it is found again in measured layouts. */
  readonly marks?: ReadonlyMap<CardElement, number>;
};

/** Margins of the contents stay inside. */
const full = { display: "flow-root", width: "100%", height: "100%" } as const;

/** The nodes of a card, in a page that fills it. */
export function nodeOf({ card, ...options }: NodeOptions): Node {
  const { body } = card;
  const page = elementNode(body, { card, ...options });
  const ofPage = { ...page, preset: { ...full, fontFamily: "Inter" } };
  return { type: "container", tagName: "html", preset: full, children: [ofPage] };
}

function elementNode(element: CardElement, options: NodeOptions): Node {
  const { name, attributes } = element;
  const metadata = metadataOf(element, options);
  if (name === "br") return { type: "text", text: "\n", ...metadata };
  if (name === "svg") return { type: "image", src: svgOf(element), ...sizeOf(element), ...metadata };
  if (name === "img") {
    const { src = "" } = attributes;
    if (isPictureAddress(src)) return { type: "image", src: src.trim(), ...sizeOf(element), ...metadata };
    // a picture from outside keeps its place
    return {
      type: "container",
      ...metadata,
      style: { display: "inline-block", ...sizeOf(element), ...metadata.style },
    };
  }
  const children = fitted(element, childNodes(element, options), options);
  const [only] = children;
  if (children.length === 1 && only?.type === "text" && Object.keys(only).length === 2) return { ...only, ...metadata };
  return { type: "container", children, ...metadata };
}

function metadataOf(element: CardElement, { card }: NodeOptions): Metadata {
  const { name, attributes } = element;
  const { class: className, id, dir, lang, style: _, ...others } = attributes;
  const style = card.inlineStyles.get(element);
  const preset = defaultStylePresets[name as keyof typeof defaultStylePresets];
  return {
    tagName: name,
    attributes: others,
    ...(className !== undefined && { className }),
    ...(id !== undefined && { id }),
    ...((dir === "ltr" || dir === "rtl") && { dir }),
    ...(lang !== undefined && { lang }),
    ...(style && { style: camelCased(style) }),
    ...(preset && { preset }),
  };
}

const camelCased = (style: Readonly<Record<string, string>>): NonNullable<Metadata["style"]> =>
  Object.fromEntries(
    Object.entries(style).map(([property, value]) => [
      property.startsWith("--") ? property : property.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

function sizeOf({ attributes }: CardElement): { width?: number; height?: number } {
  const side = (name: string) => {
    const value = Number.parseFloat(attributes[name] ?? "");
    return Number.isFinite(value) && value >= 0 ? { [name]: value } : {};
  };
  return { ...side("width"), ...side("height") };
}

/** Spaces between elements that are no words are left out where a line begins or ends. */
function childNodes({ children, name }: CardElement, options: NodeOptions): Node[] {
  const isBlank = (child: CardElement | string | undefined) => typeof child === "string" && child.trim() === "";
  const first = children.findIndex((child) => !isBlank(child));
  const last = children.findLastIndex((child) => !isBlank(child));
  const shown = name === "pre" ? children : children.slice(Math.max(0, first), last + 1);
  return shown.flatMap((child) => (typeof child === "string" ? textNodes(child) : [elementNode(child, options)]));
}

/** Emoji are pictures, since the renderer draws no color fonts. */
const textNodes = (text: string): readonly Node[] =>
  splitEmoji(text).map((part): Node => {
    if (!part.isEmoji) return { type: "text", text: part.text };
    return { type: "image", src: emojiAddress(part.text), style: emojiStyle };
  });

const emojiStyle = {
  ...{ display: "inline-block", width: "1.18em", height: "1em", margin: "0 0.02em", verticalAlign: "-0.12em" },
  ...{ objectFit: "contain" },
} as const;

/** The words in a block of their own, whose size is a share of that of the element. */
function fitted(element: CardElement, children: Node[], { shares, marks }: NodeOptions): Node[] {
  const share = shares.get(element) ?? 1;
  const mark = marks?.get(element);
  if (share === 1 && mark === undefined) return children;
  const marking: Node[] =
    mark === undefined ? [] : [{ type: "container", style: { position: "absolute", width: mark, height: 0 } }];
  return [{ type: "container", style: { display: "block", fontSize: `${share}em` }, children }, ...marking];
}
