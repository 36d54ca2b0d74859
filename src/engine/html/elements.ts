import { Parser } from "htmlparser2";
import { CardRefused, cardLimits, type Ignored } from "./limits.ts";
import { lineFinder } from "./lines.ts";

/** An element of a card. Lines count from 1. */
export type CardElement = {
  readonly name: string;
  readonly attributes: { readonly [name: string]: string };
  readonly line: number;
  readonly children: (CardElement | string)[];
};

/** The text of a `<style>` and the line on which it begins. */
export type Style = { readonly css: string; readonly line: number };

export type ParsedHtml = {
  readonly root: CardElement;
  readonly styles: readonly Style[];
  readonly count: number;
  readonly ignored: readonly Ignored[];
};

/** Elements that a picture cannot show, or that would load something. */
const refused: ReadonlySet<string> = new Set([
  ...["script", "iframe", "frame", "frameset", "object", "embed", "applet", "link", "base", "noscript", "template"],
  ...["video", "audio", "source", "track", "canvas", "input", "select", "textarea", "foreignobject", "portal"],
]);

/** Elements of a page that say nothing about its look. */
const silent: ReadonlySet<string> = new Set(["head", "title", "meta"]);

/** Parses HTML as browsers do, in linear time. Throws CardRefused. */
export function parseHtml(html: string): ParsedHtml {
  const lineOf = lineFinder(html);
  const ignored: Ignored[] = [];
  const styles: { css: string; line: number }[] = [];
  const body: CardElement = { name: "body", attributes: {}, line: 1, children: [] };
  const open: CardElement[] = [body];
  let count = 0;
  /** Elements whose contents are left out. */
  let hidden: string[] = [];
  let style: { css: string; line: number } | undefined;
  const ignore = (line: number, what: string) => ignored.push({ field: "html", line, what });

  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const line = lineOf(parser.startIndex);
        if (hidden.length > 0 || refused.has(name) || silent.has(name)) {
          if (hidden.length === 0 && refused.has(name)) ignore(line, `<${name}>`);
          // a page's styles stand in its head
          if (name !== "style" || hidden.at(-1) !== "head") {
            hidden.push(name);
            return;
          }
        }
        if (name === "style") {
          style = { css: "", line };
          return;
        }
        if (++count > cardLimits.elements) {
          throw new CardRefused("html", `Must have at most ${cardLimits.elements} elements.`);
        }
        for (const attribute of Object.keys(attributes)) {
          if (/^on/.test(attribute)) ignore(line, attribute);
        }
        if (name === "html" || name === "body") {
          Object.assign(body.attributes, attributes);
          return;
        }
        const element: CardElement = { name, attributes, line, children: [] };
        open.at(-1)!.children.push(element);
        open.push(element);
        if (open.length > cardLimits.depth) {
          throw new CardRefused("html", `Must not be nested more than ${cardLimits.depth} deep.`);
        }
      },
      ontext(text) {
        if (style) style.css += text;
        else if (hidden.length === 0) addText(open.at(-1)!.children, text);
      },
      onclosetag(name) {
        if (style && name === "style") {
          styles.push(style);
          style = undefined;
        } else if (hidden.length > 0) {
          const at = hidden.lastIndexOf(name);
          if (at >= 0) hidden = hidden.slice(0, at);
        } else if (name !== "html" && name !== "body" && open.length > 1 && open.at(-1)!.name === name) open.pop();
      },
    },
    { lowerCaseTags: true, lowerCaseAttributeNames: true, decodeEntities: true },
  );
  parser.end(html);
  return { root: body, styles, count, ignored };
}

function addText(children: CardElement["children"], text: string): void {
  const last = children.at(-1);
  if (typeof last === "string") children[children.length - 1] = last + text;
  else children.push(text);
}
