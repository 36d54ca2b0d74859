import type { CardElement } from "../html/elements.ts";
import { drawnInSvg } from "../html/pictures.ts";

/** Attributes whose names have capitals, by their lower-case names. */
const capitals: ReadonlyMap<string, string> = new Map(
  [
    ...["viewBox", "preserveAspectRatio", "gradientUnits", "gradientTransform", "patternUnits", "patternTransform"],
    ...["clipPathUnits", "maskUnits", "maskContentUnits", "patternContentUnits", "spreadMethod", "refX", "refY"],
    ...["markerWidth", "markerHeight", "markerUnits", "pathLength"],
    ...["filterUnits", "primitiveUnits", "stdDeviation"],
  ].map((name) => [name.toLowerCase(), name]),
);

/** The markup of a drawing in a card, without what would load something. */
export function svgOf(element: CardElement): string {
  return serialized({ ...element, attributes: { xmlns: "http://www.w3.org/2000/svg", ...element.attributes } });
}

function serialized({ name, attributes, children }: CardElement): string {
  const tag = drawnInSvg.get(name);
  if (!tag) return "";
  const written = Object.entries(attributes)
    .filter(([attribute, value]) => isHarmless(attribute, value))
    .map(([attribute, value]) => ` ${capitals.get(attribute) ?? attribute}="${escaped(value)}"`);
  const inner = children.map((child) => (typeof child === "string" ? escaped(child) : serialized(child)));
  return `<${tag}${written.join("")}>${inner.join("")}</${tag}>`;
}

function isHarmless(attribute: string, value: string): boolean {
  if (!/^[a-z][\w:-]*$/i.test(attribute) || attribute.startsWith("on") || attribute === "class") return false;
  if (attribute === "href" || attribute === "xlink:href") return value.startsWith("#");
  return !/url\(\s*["']?(?!#)/i.test(value);
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => entities[letter]!);
