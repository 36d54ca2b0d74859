import { compile } from "html-to-text";
import type { WebPage } from "../../domain/ai/style-guide/web-pages.ts";
import { hexColor } from "../../domain/shared/colors.ts";
import { cleanLines, cleanText } from "../../domain/shared/texts.ts";
import { colorsOf } from "./colors.ts";

const maxCharacters = 30_000;
/** Of markup: a page for people has a tenth of it, and each tag costs memory. */
const maxTags = 200_000;

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

const toText = compile({
  wordwrap: false,
  limits: { maxDepth: 300, maxChildNodes: 20_000, ellipsis: "" },
  selectors: [
    { selector: "a", options: { ignoreHref: true } },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
    ...["section", "button", "tr", "dt", "dd", "figure", "label", "summary"].map((selector) => ({
      ...{ selector, format: "block" },
    })),
    ...["td", "th"].map((selector) => ({ selector, format: "inlineSurround", options: { suffix: " " } })),
    ...skipped.map((selector) => ({ selector, format: "skip" })),
  ],
});

/** What a page for people shows and says of itself; a text without markup is shown as it is. */
export function parsePage(markup: string): WebPage {
  const head = readHead(markup);
  const shown = isMarkup(markup) ? toText(withoutExcess(markup)) : markup;
  const about = (...names: readonly string[]) => plain(names.flatMap((name) => head.meta.get(name) ?? []).at(0));
  const themeColor = hexColor(about("theme-color"));
  return {
    // drawings have titles too, and come later
    title: about("og:title") || plain(head.titles[0]),
    siteName: about("og:site_name", "application-name"),
    description: about("description", "og:description", "twitter:description"),
    colors: [...new Set([...(themeColor ? [themeColor] : []), ...colorsOf(head.styles.join(";"))])],
    text: cleanLines(shown.slice(0, 4 * maxCharacters))
      .replaceAll(/\n{3,}/g, "\n\n")
      .slice(0, maxCharacters)
      .toWellFormed(),
  };
}

const isMarkup = (text: string) => /^\s*<|<(?:!doctype|html|head|body|title|meta|div|h[1-6]|p|a|span)\b/i.test(text);

/** Up to the tag that is one too many. */
function withoutExcess(markup: string): string {
  let end = -1;
  for (let tags = 0; tags <= maxTags; tags++) {
    end = markup.indexOf("<", end + 1);
    if (end < 0) return markup;
  }
  return markup.slice(0, end);
}

/** A text as it stands in the markup, as one line for people. */
const plain = (text = "") => cleanText(toText(text.slice(0, 10_000).replaceAll("<", "&lt;")), 1000);

type Head = { readonly titles: string[]; readonly styles: string[]; readonly meta: Map<string, string> };

/** What stands in the head, and the styles wherever they stand. */
function readHead(markup: string): Head {
  const head: Head = { titles: [], styles: [], meta: new Map() };
  const intoLast = (texts: string[], { text }: HTMLRewriterTypes.Text) => texts.push(`${texts.pop() ?? ""}${text}`);
  new HTMLRewriter()
    .on("title", { element: () => void head.titles.push(""), text: (part) => void intoLast(head.titles, part) })
    .on("style", { element: () => void head.styles.push(""), text: (part) => void intoLast(head.styles, part) })
    .on("[style]", { element: (element) => void head.styles.push(element.getAttribute("style") ?? "") })
    .on("meta", { element: (meta) => noteMeta(head.meta, meta) })
    .transform(markup);
  return head;
}

function noteMeta(found: Map<string, string>, meta: HTMLRewriterTypes.Element): void {
  const name = (meta.getAttribute("property") ?? meta.getAttribute("name"))?.toLowerCase();
  const content = meta.getAttribute("content")?.trim();
  if (name && content && !found.has(name)) found.set(name, content);
}
