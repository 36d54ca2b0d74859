import { compile } from "html-to-text";
import type { WebPage } from "../../domain/ai/style-guide/web-pages.ts";
import { hexColor, parseColor } from "../../domain/shared/colors.ts";
import { cleanLines, cleanText } from "../../domain/shared/texts.ts";
import { structuredProduct } from "./structured-data.ts";

const maxCharacters = 30_000;
// each tag costs memory; a page for people has a tenth of these
const maxTags = 200_000;

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"];
const blocks = ["section", "button", "tr", "dt", "dd", "figure", "label", "summary"];
const cells = ["td", "th"];
const skipped = [
  "title",
  "img",
  "nav",
  "noscript",
  "template",
  "svg",
  "iframe",
  "object",
  "canvas",
  "select",
  "textarea",
];

const htmlToText = compile({
  wordwrap: false,
  limits: { maxDepth: 300, maxChildNodes: 20_000, ellipsis: "" },
  selectors: [
    { selector: "a", options: { ignoreHref: true } },
    ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
    ...blocks.map((selector) => ({ selector, format: "block" })),
    ...cells.map((selector) => ({ selector, format: "inlineSurround", options: { suffix: " " } })),
    ...skipped.map((selector) => ({ selector, format: "skip" })),
  ],
});

/** Extracts the visible text, the metadata and the colors of a page. Text without markup stays as it is. */
export function parsePage(markup: string): WebPage {
  const head = readHead(markup);
  const text = isMarkup(markup) ? htmlToText(limitTags(markup)) : markup;
  const firstMeta = (...names: readonly string[]) =>
    decodeEntities(names.flatMap((name) => head.meta.get(name) ?? []).at(0));
  const { product, images = [], logos = [] } = structuredProduct(head.structured) ?? {};
  const themeColor = hexColor(firstMeta("theme-color"));
  return {
    // the first <title> is the page's: an <svg> has one too
    title: firstMeta("og:title") || decodeEntities(head.titles[0]),
    siteName: firstMeta("og:site_name", "application-name"),
    description: firstMeta("description", "og:description", "twitter:description"),
    colors: [...new Set([...(themeColor ? [themeColor] : []), ...cssColors(head.styles.join(";"))])],
    images: distinct([
      ...["og:image", "og:image:url", "twitter:image"].flatMap((name) => head.meta.get(name) ?? []),
      ...images,
      ...head.images,
    ]),
    logos: distinct([...logos, ...head.logos]),
    ...(product && { product }),
    text: cleanLines(text.slice(0, 4 * maxCharacters))
      .replaceAll(/\n{3,}/g, "\n\n")
      .slice(0, maxCharacters)
      .toWellFormed(),
  };
}

const isMarkup = (text: string) => /^\s*<|<(?:!doctype|html|head|body|title|meta|div|h[1-6]|p|a|span)\b/i.test(text);

/** Cuts the markup before its first tag over the limit. */
function limitTags(markup: string): string {
  let end = -1;
  for (let tags = 0; tags <= maxTags; tags++) {
    end = markup.indexOf("<", end + 1);
    if (end < 0) return markup;
  }
  return markup.slice(0, end);
}

/** Decodes the entities of text that is not parsed as tags, to one clean line. */
const decodeEntities = (text = "") => cleanText(htmlToText(text.slice(0, 10_000).replaceAll("<", "&lt;")), 1000);

const maxAddresses = 20;
const maxAddressCharacters = 2000;

/** Addresses as text: pictures inside of the page are none. */
const distinct = (addresses: readonly string[]): readonly string[] =>
  [...new Set(addresses.map((address) => address.replaceAll("&amp;", "&").trim()))]
    .filter((address) => address !== "" && address.length <= maxAddressCharacters && !/^data:/i.test(address))
    .slice(0, maxAddresses);

type Head = {
  readonly titles: string[];
  readonly styles: string[];
  /** In JSON-LD. */
  readonly structured: string[];
  readonly meta: Map<string, string>;
  readonly images: string[];
  readonly logos: string[];
};

/** Collects titles, metadata and all styles, also those of the body. */
function readHead(markup: string): Head {
  const head: Head = { titles: [], styles: [], structured: [], meta: new Map(), images: [], logos: [] };
  const appendToLast = (texts: string[], { text }: HTMLRewriterTypes.Text) => {
    texts.push(`${texts.pop() ?? ""}${text}`);
  };
  new HTMLRewriter()
    .on("title", { element: () => void head.titles.push(""), text: (chunk) => appendToLast(head.titles, chunk) })
    .on('script[type="application/ld+json"]', {
      element: () => void head.structured.push(""),
      text: (chunk) => appendToLast(head.structured, chunk),
    })
    .on("style", { element: () => void head.styles.push(""), text: (chunk) => appendToLast(head.styles, chunk) })
    .on("[style]", { element: (element) => void head.styles.push(element.getAttribute("style") ?? "") })
    .on("img", { element: (image) => collectImage(head, image) })
    .on('link[rel~="apple-touch-icon"]', { element: (link) => void head.logos.push(link.getAttribute("href") ?? "") })
    .on("meta", { element: (meta) => collectMeta(head.meta, meta) })
    .transform(markup);
  return head;
}

/** The first element of each name counts. */
function collectMeta(found: Map<string, string>, meta: HTMLRewriterTypes.Element): void {
  const name = (meta.getAttribute("property") ?? meta.getAttribute("name"))?.toLowerCase();
  const content = meta.getAttribute("content")?.trim();
  if (name && content && !found.has(name)) found.set(name, content);
}

/** Most of what is small is an icon. */
const minSide = 200;

function collectImage({ images, logos }: Head, image: HTMLRewriterTypes.Element): void {
  const address = image.getAttribute("src") || image.getAttribute("data-src") || "";
  const named = ["src", "alt", "class", "id"].map((name) => image.getAttribute(name) ?? "").join(" ");
  if (/logo/i.test(named)) {
    // before the icon of the page, which is a part of it
    logos.unshift(address);
    return;
  }
  const sides = ["width", "height"].flatMap((name) => Number.parseInt(image.getAttribute(name) ?? "", 10) || []);
  if (sides.every((side) => side >= minSide)) images.push(address);
}

const maxColors = 12;
// a hostile style sheet can hold millions
const maxDeclarations = 50_000;

const colorProperty = /color|background|border|fill|stroke|shadow|^--/;
const colorValue = /#[0-9a-f]{3,8}\b|[a-z]{2,20}\([^()]{1,100}\)|[a-z]{3,30}/gi;

/** The colors in the declarations of a style sheet as #rrggbb, the most used first. */
function cssColors(css: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const color of css.split(/[;{}]/).slice(0, maxDeclarations).flatMap(colorsInDeclaration)) {
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const byUse = [...counts].toSorted(([, first], [, second]) => second - first);
  return byUse.slice(0, maxColors).map(([color]) => color);
}

function colorsInDeclaration(declaration: string): readonly string[] {
  const colon = declaration.indexOf(":");
  if (colon < 0 || !colorProperty.test(declaration.slice(0, colon).trim().slice(-60).toLowerCase())) return [];
  const values = declaration.slice(colon + 1, colon + 400).match(colorValue) ?? [];
  return values.flatMap((value) => opaqueColor(value) ?? []);
}

/** Leaves out colors below half opacity, such as shadows: they are not a brand's colors. */
const opaqueColor = (text: string) => ((parseColor(text)?.alpha ?? 0) < 0.5 ? undefined : hexColor(text));
