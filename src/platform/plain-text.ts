import { compile } from "html-to-text";

const limits = { maxDepth: 300, maxChildNodes: 20_000, ellipsis: "" };
const inline = [
  { selector: "a", options: { ignoreHref: true } },
  ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
  ...["img", "style", "script"].map((selector) => ({ selector, format: "skip" })),
  ...["p", "ul", "ol"].map((selector) => ({ selector, options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } })),
];
const withoutTags = compile({ wordwrap: false, limits, selectors: inline });
// a whitespace set that no text contains, so that white space stays
const decode = compile({ wordwrap: false, limits, whitespaceCharacters: "\0" });

const entity = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/i;
const tag =
  /<(?:!--|\/?(?:p|br|b|strong|i|em|u|s|del|span|div|ul|ol|li|h[1-6]|a|table|tbody|tr|td|th|img|font|small|su[bp]|hr|center|blockquote|section|style)(?:\s[^<>]{0,2000})?\/?>)/i;

const entities = new RegExp(entity, "gi");
const maxSigns = 3000;

/** A feed, a shop and a template may each encode a text once. */
const maxTimes = 3;

const signs = new Map<string, string>();

/** Decodes a named entity, which takes a parser; few names occur. */
function signOf(name: string): string {
  const known = signs.get(name);
  if (known !== undefined) return known;
  const sign = decode(name);
  if (signs.size < maxSigns) signs.set(name, sign);
  return sign;
}

const decodeOnce = (text: string): string => text.replaceAll(entities, signOf);

/** Decodes entities, also those that were encoded several times. */
export function withoutEntities(text: string): string {
  let found = text;
  for (let times = 0; times < maxTimes && entity.test(found); times++) found = decodeOnce(found);
  return found;
}

/** Removes tags and entities of a text that passed through HTML once or more: videos would show them. */
export function plainText(text: string): string {
  let found = text;
  for (let times = 0; times < maxTimes; times++) {
    if (tag.test(found)) found = withoutTags(found);
    else if (entity.test(found)) found = decodeOnce(found);
    else break;
  }
  return found;
}
