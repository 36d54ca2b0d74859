import type { PageProduct } from "../../domain/ai/style-guide/web-pages.ts";
import { lenientJson } from "../../platform/parse-json.ts";
import { plainText } from "../../platform/plain-text.ts";
import { cleanText } from "../../platform/texts.ts";
import { amountIn, currencyOf } from "./prices.ts";

type Node = { readonly [name: string]: unknown };

type StructuredProduct = {
  readonly product: PageProduct;
  readonly images: readonly string[];
  readonly logos: readonly string[];
};

/** Pages have only a few nodes. */
const maxNodes = 1000;

/** Groups first: their variants often stand beside them. */
const productTypes = [
  ["ProductGroup"],
  ["Product", "ProductModel", "IndividualProduct", "SomeProducts", "Vehicle", "Car", "Book", "SoftwareApplication"],
];

/**
 * The page's product, from its JSON-LD or microdata (https://schema.org/Product): the first group of variants, else the
 * first product.
 */
export function structuredProduct(
  scripts: readonly string[],
  microdata: readonly Node[],
): StructuredProduct | undefined {
  const nodes = nodesIn([...scripts.map(lenientJson), ...microdata]);
  const graph = graphOf(nodes);
  const isNamed = (node: Node) => textOf(node.name) !== "";
  const found = productTypes
    .map((types) => nodes.map(graph.full).find((node) => types.some((type) => isA(node, type)) && isNamed(node)))
    .find((node) => node !== undefined);
  if (!found) return undefined;
  const variants = [...graph.nodes(found.hasVariant), ...graph.nodes(found.model), ...variantsOf(found, nodes)];
  const all = [found, ...variants];
  const price = priceOf(graph, all);
  return {
    product: {
      name: cleanText(textOf(found.name), 200),
      description: cleanText(all.map(({ description }) => textOf(description)).find(Boolean) ?? "", 2000),
      ...(price && { price }),
    },
    images: all.flatMap(({ image }) => addressesIn(graph, image)),
    logos: all
      .flatMap(({ brand, manufacturer }) => [...graph.nodes(brand), ...graph.nodes(manufacturer)])
      .flatMap(({ logo }) => addressesIn(graph, logo)),
  };
}

/** The variants that name their group themselves. */
const variantsOf = (group: Node, nodes: readonly Node[]): readonly Node[] => {
  const { "@id": id, productGroupID: name } = group;
  return nodes.filter(
    ({ isVariantOf, inProductGroupWithID }) =>
      asNodes(isVariantOf).some((other) => id !== undefined && other["@id"] === id) ||
      (name !== undefined && inProductGroupWithID === name),
  );
};

/** Includes the nodes of a graph, and the subjects of pages, level by level. */
function nodesIn(values: readonly unknown[]): readonly Node[] {
  const nodes: Node[] = [];
  const waiting = [...values];
  for (let at = 0; at < waiting.length && nodes.length < maxNodes; at++) {
    const value = waiting[at];
    if (Array.isArray(value)) waiting.push(...value.slice(0, maxNodes));
    else if (isNode(value)) {
      nodes.push(value);
      for (const name of ["@graph", "mainEntity", "mainEntityOfPage", "about"]) {
        if (value[name] !== undefined) waiting.push(value[name]);
      }
    }
  }
  return nodes;
}

type Graph = {
  /** All statements about the node anywhere on the page. */
  full(node: Node): Node;
  nodes(value: unknown): readonly Node[];
};

/** Resolves references by `@id`. */
function graphOf(nodes: readonly Node[]): Graph {
  const known = new Map<string, Node>();
  for (const node of nodes) {
    const id = textOf(node["@id"]);
    if (id !== "") known.set(id, { ...node, ...known.get(id) });
  }
  const full = (node: Node): Node => ({ ...known.get(textOf(node["@id"])), ...node });
  return { full, nodes: (value) => asNodes(value).map(full) };
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, maxNodes) : [value]);

const asNodes = (value: unknown): readonly Node[] => asList(value).filter(isNode);

const isA = (node: Node, type: string): boolean =>
  asList(node["@type"]).some(
    (name) => rawText(name).replace(/^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)/i, "") === type,
  );

/** The plain text, or a value with its language. */
function rawText(value: unknown): string {
  const [first] = asList(value);
  const text = isNode(first) ? first["@value"] : first;
  return typeof text === "string" || typeof text === "number" ? String(text) : "";
}

const textOf = (value: unknown): string => plainText(rawText(value).slice(0, 20_000)).trim();

/** URLs, or images with one. */
const addressesIn = (graph: Graph, value: unknown): readonly string[] =>
  asList(value).flatMap((image) => {
    if (!isNode(image)) return rawText(image) || [];
    const { contentUrl, url, "@id": id } = graph.full(image);
    return rawText(contentUrl) || rawText(url) || (/^https?:.*\.\w{3,4}$/.test(rawText(id)) ? rawText(id) : []);
  });

/** Prices at other times, for other buyers, and for other amounts of the product. */
const otherPrices =
  /ListPrice|StrikethroughPrice|SuggestedRetail|SRP|MSRP|InvoicePrice|MinimumAdvertised|RegularPrice/i;
const isOther = (node: Node): boolean =>
  otherPrices.test(asList(node.priceType).map(rawText).join(" ")) ||
  node.validForMemberTier !== undefined ||
  node.referenceQuantity !== undefined ||
  node.billingDuration !== undefined;

/** The only price of all offers. */
function priceOf(graph: Graph, products: readonly Node[]): PageProduct["price"] {
  const offers = products.flatMap((product) => graph.nodes(product.offers));
  const all = offers.flatMap((offer) => [offer, ...graph.nodes(offer.offers)]);
  const prices = all.flatMap((offer) => {
    const given = [offer, ...graph.nodes(offer.priceSpecification)].filter((node) => !isOther(node));
    const [own] = given.flatMap((node) => amountsOf(node, textOf(offer.priceCurrency)));
    return own === undefined ? [] : own;
  });
  const [first, ...others] = prices;
  if (first === undefined || first === "range") return undefined;
  const isOne = others.every(
    (other) => other !== "range" && other.amount === first.amount && other.currency === first.currency,
  );
  return isOne ? first : undefined;
}

function amountsOf(
  { price, lowPrice, highPrice, priceCurrency }: Node,
  outer: string,
): readonly (NonNullable<PageProduct["price"]> | "range")[] {
  const written = textOf(price) || textOf(lowPrice);
  if (written === "") return [];
  const currency = currencyOf(textOf(priceCurrency) || outer) ?? currencyOf(written);
  const amountOf = (value: unknown) => (typeof value === "number" ? value : amountIn(textOf(value), currency));
  const amount = amountOf(rawText(price) === "" ? lowPrice : price);
  if (rawText(price) === "" && rawText(highPrice) === "") return [];
  if (rawText(price) === "" && amountOf(highPrice) !== amount) return ["range"];
  return currency !== undefined && amount !== undefined && amount > 0 && amount < 1e9 ? [{ amount, currency }] : [];
}
