import { isUtf8 } from "node:buffer";
import { fileTypeFromBuffer } from "file-type";
import sniffEncoding from "html-encoding-sniffer";
import { compile } from "html-to-text";
import type { PageProduct, WebPage } from "../../domain/ai/style-guide/web-pages.ts";
import { hexColor, parseColor } from "../../platform/colors.ts";
import { plainText, withoutEntities } from "../../platform/plain-text.ts";
import { cleanLines, cleanText } from "../../platform/texts.ts";
import { collectMicrodata } from "./microdata.ts";
import { collectPictures, distinctPictures, type Pictures, picturesInList, picturesInStyle } from "./pictures.ts";
import { amountIn, currencyOf } from "./prices.ts";
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
  const {
    product = sharedProduct(firstMeta),
    images = [],
    logos = [],
  } = structuredProduct(head.structured, head.microdata) ?? {};
  const price =
    product && !head.structured.some((script) => /"(?:price|lowPrice)"/i.test(script)) && sharedPrice(firstMeta);
  const { pictures } = head;
  const themeColor = hexColor(firstMeta("theme-color"));
  return {
    // the first <title> is the page's: an <svg> has one too
    title: firstMeta("og:title") || decodeEntities(head.titles[0]),
    siteName: firstMeta("og:site_name", "application-name"),
    description: firstMeta("description", "og:description", "twitter:description"),
    colors: [...new Set([...(themeColor ? [themeColor] : []), ...cssColors(head.styles.join(";"))])],
    images: distinctPictures(
      [
        ...["og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"].flatMap(
          (name) => head.meta.get(name) ?? [],
        ),
        ...images,
        ...pictures.images,
        ...pictures.backgrounds,
        ...head.galleries.flatMap(picturesInGallery),
        ...head.inline.flatMap(picturesInStyle),
      ],
      maxAddresses,
    ),
    logos: distinctPictures([...logos, ...pictures.logos, ...head.icons], maxAddresses),
    ...(product && { product: { ...(price && { price }), ...product } }),
    text: cleanLines(withoutEntities(text.slice(0, 4 * maxCharacters)))
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

/** Decodes text that is not parsed as tags, as one clean line. */
const decodeEntities = (text = "") => cleanText(plainText(text.slice(0, 10_000)), 1000);

const maxAddresses = 20;

type FirstMeta = (...names: readonly string[]) => string;

/** Pages of shops without structured data name their product for previews (https://ogp.me). */
function sharedProduct(firstMeta: FirstMeta): PageProduct | undefined {
  const name = firstMeta("og:title");
  const isProduct = /product$/i.test(firstMeta("og:type")) || firstMeta(...amountNames) !== "";
  return isProduct && name !== "" ? { name, description: firstMeta("og:description", "description") } : undefined;
}

const amountNames = ["product:sale_price:amount", "product:price:amount", "og:price:amount", "product:price"];
const currencyNames = ["product:sale_price:currency", "product:price:currency", "og:price:currency"];

function sharedPrice(firstMeta: FirstMeta): PageProduct["price"] {
  const written = firstMeta(...amountNames);
  const currency = currencyOf(firstMeta(...currencyNames)) ?? currencyOf(written);
  const amount = amountIn(written, currency);
  return amount !== undefined && amount > 0 && amount < 1e9 && currency !== undefined
    ? { amount, currency }
    : undefined;
}

/** Magento stores the pictures of a product in a script. */
const picturesInGallery = (script: string): readonly string[] => {
  const [, list] =
    /"mage\/gallery\/gallery"\s*:\s*\{[\s\S]{0,2000}?"data"\s*:\s*(\[[^\]]{0,100000}\])/.exec(script) ?? [];
  return list === undefined ? [] : picturesInList(list);
};

type Head = {
  readonly titles: string[];
  readonly styles: string[];
  /** Styles of elements. */
  readonly inline: string[];
  /** Texts of JSON-LD. */
  readonly structured: string[];
  readonly microdata: { [name: string]: unknown }[];
  readonly meta: Map<string, string>;
  readonly pictures: Pictures;
  readonly galleries: string[];
  readonly icons: string[];
};

/** Collects titles, metadata and all styles, also those of the body. */
function readHead(markup: string): Head {
  const head: Head = {
    ...{ titles: [], styles: [], inline: [], structured: [], microdata: [], meta: new Map(), galleries: [], icons: [] },
    pictures: { images: [], logos: [], backgrounds: [] },
  };
  const withoutScripts: string[] = [];
  const collect = (texts: string[]) => ({
    element: () => void texts.push(""),
    text: ({ text }: HTMLRewriterTypes.Text) => void texts.push(`${texts.pop() ?? ""}${text}`),
  });
  const rewriter = new HTMLRewriter()
    .on("title", collect(head.titles))
    .on('script[type*="ld+json" i]', collect(head.structured))
    .on('script[type="text/x-magento-init"]', collect(head.galleries))
    .on("noscript", collect(withoutScripts))
    .on("style", collect(head.styles))
    .on("[style]", {
      element: (element) => {
        const style = element.getAttribute("style") ?? "";
        head.styles.push(style);
        if (style.includes("url(")) head.inline.push(style);
      },
    })
    .on('link[rel~="apple-touch-icon"]', { element: (link) => void head.icons.push(link.getAttribute("href") ?? "") })
    .on("meta", { element: (meta) => collectMeta(head.meta, meta) });
  collectMicrodata(collectPictures(rewriter, head.pictures), head.microdata).transform(markup);
  // pages show these where scripts do not load the others
  collectPictures(new HTMLRewriter(), head.pictures).transform(withoutScripts.join(""));
  return head;
}

/** Collects the first element of each name. */
function collectMeta(found: Map<string, string>, meta: HTMLRewriterTypes.Element): void {
  const name = (
    meta.getAttribute("property") ??
    meta.getAttribute("name") ??
    meta.getAttribute("itemprop")
  )?.toLowerCase();
  const content = meta.getAttribute("content")?.trim();
  if (name && content && !found.has(name)) found.set(name, content);
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

/** Omits colors below half opacity, such as shadows: they are not a brand's colors. */
const opaqueColor = (text: string) => ((parseColor(text)?.alpha ?? 0) < 0.5 ? undefined : hexColor(text));

// browsers scan 1024 bytes for a declaration; some pages declare it later
const maxPrescanBytes = 4096;

/** Decodes a page in the encoding that the HTML standard detects. Undefined if the bytes are not text. */
export async function decodePage(bytes: Uint8Array): Promise<string | undefined> {
  if (!startsLikePage(bytes) && (await fileTypeFromBuffer(bytes))) return undefined;
  const text = new TextDecoder(encodingOf(bytes) as Bun.Encoding).decode(bytes);
  return isText(text) ? text : undefined;
}

/** A byte order mark or a tag. file-type takes `<?xml` for XML, and text like "MZ" after a mark for a program. */
const startsLikePage = (bytes: Uint8Array): boolean =>
  /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff|\s*<)/.test(new TextDecoder("latin1").decode(bytes.subarray(0, maxPrescanBytes)));

function encodingOf(bytes: Uint8Array): string {
  const defaultEncoding = isUtf8(bytes) ? "UTF-8" : "windows-1252";
  const encoding = sniffEncoding(bytes, { maxPrescanBytes, defaultEncoding });
  // the standard's name for legacy encodings that are unsafe to decode, such as HZ; TextDecoder throws for it
  return encoding === "replacement" ? defaultEncoding : encoding;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: human-readable text has none of these
const isText = (text: string) => !/[\u0000-\u0008\u000e-\u001a]/.test(text);
