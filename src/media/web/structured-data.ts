import type { PageProduct } from "../../domain/ai/style-guide/web-pages.ts";
import { cleanText } from "../../domain/shared/texts.ts";
import { parseJson } from "../../platform/parse-json.ts";

type Node = { readonly [name: string]: unknown };

type StructuredProduct = {
  readonly product: PageProduct;
  readonly images: readonly string[];
  readonly logos: readonly string[];
};

/** A page has a few. */
const maxNodes = 200;

/** The first product that the page names in JSON-LD (https://schema.org/Product). */
export function structuredProduct(scripts: readonly string[]): StructuredProduct | undefined {
  const found = nodesIn(scripts.map(parseJson)).find((node) => isA(node, "Product") && textOf(node.name) !== "");
  if (!found) return undefined;
  const price = priceOf(found.offers);
  return {
    product: {
      name: cleanText(textOf(found.name), 200),
      description: cleanText(textOf(found.description), 2000),
      ...(price && { price }),
    },
    images: addressesIn(found.image),
    logos: asNodes(found.brand).flatMap(({ logo }) => addressesIn(logo)),
  };
}

/** Also those of a graph, level by level. */
function nodesIn(values: readonly unknown[]): readonly Node[] {
  const nodes: Node[] = [];
  const waiting = [...values];
  while (waiting.length > 0 && nodes.length < maxNodes) {
    const value = waiting.shift();
    if (Array.isArray(value)) waiting.push(...value.slice(0, maxNodes));
    else if (isNode(value)) {
      nodes.push(value);
      if (value["@graph"] !== undefined) waiting.push(value["@graph"]);
    }
  }
  return nodes;
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, maxNodes) : [value]);

const asNodes = (value: unknown): readonly Node[] => asList(value).filter(isNode);

const isA = (node: Node, type: string): boolean =>
  asList(node["@type"]).some((name) => textOf(name).replace(/^https?:\/\/schema\.org\//, "") === type);

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Addresses, or images with one. */
const addressesIn = (value: unknown): readonly string[] =>
  asList(value).flatMap((image) => textOf(isNode(image) ? (image.url ?? image.contentUrl) : image) || []);

/** The one price of its offers. */
function priceOf(offers: unknown): PageProduct["price"] {
  const prices = asNodes(offers).flatMap(({ price, lowPrice, highPrice, priceCurrency }) => {
    const amount = Number(price ?? (lowPrice === highPrice ? lowPrice : undefined));
    const currency = textOf(priceCurrency);
    return amount > 0 && amount < 1e9 && /^[A-Z]{3}$/.test(currency) ? { amount, currency } : [];
  });
  const [first, ...others] = prices;
  const isOne = others.every(({ amount, currency }) => amount === first?.amount && currency === first.currency);
  return isOne ? first : undefined;
}
