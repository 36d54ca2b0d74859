/** The style of a paragraph, as far as a text layer has it. */
export type ParagraphStyle = {
  readonly color?: string;
  readonly fontSize?: number;
  readonly fontFamily?: string;
  readonly fontWeight?: string;
  readonly isItalic?: boolean;
  readonly align?: "left" | "center" | "right";
  /** A factor of the font size. */
  readonly lineHeight?: number;
  readonly letterSpacing?: number;
  readonly case?: "upper" | "lower" | "title";
};

export type Paragraph = { readonly text: string; readonly style: ParagraphStyle };

const element = /^\s*<(p|h[1-6]|div|span)\b([^<>]{0,2000})>((?:[^<>]|<br\s*\/?>){0,10000})<\/\1>\s*$/i;
const plain = /^[^<>]{0,10000}$/;

/** The words and the style of HTML that is one plain paragraph; undefined for any other. */
export function paragraphOf(html: string, css: string): Paragraph | undefined {
  const [, tag = "", attributes = "", inner] = element.exec(html) ?? [];
  const source = inner ?? (plain.test(html) ? html : undefined);
  if (source === undefined) return undefined;
  const classes = /\bclass\s*=\s*["']([^"']*)["']/i.exec(attributes)?.[1]?.split(/\s+/) ?? [];
  const declared = declarationsFor(css, [tag.toLowerCase(), ...classes.map((name) => `.${name}`), "body", "*"]);
  if (!declared) return undefined;
  const own = /\bstyle\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes);
  const byTag: readonly Declaration[] = /^h[1-6]$/i.test(tag) ? [["font-weight", "bold"]] : [];
  const style = styleOf([...byTag, ...declared, ...declarationsIn(own?.[1] ?? own?.[2] ?? "")]);
  return style && { text: wordsOf(source), style };
}

type Declaration = readonly [name: string, value: string];

const declarationsIn = (block: string): readonly Declaration[] =>
  block.split(";").flatMap((line): Declaration[] => {
    const colon = line.indexOf(":");
    if (colon < 0) return [];
    const value = line.slice(colon + 1).trim();
    return [[line.slice(0, colon).trim().toLowerCase(), value.replace(/\s*!important$/i, "")]];
  });

/** The declarations of rules with one of these selectors; undefined for rules of another kind. */
function declarationsFor(css: string, selectors: readonly string[]): readonly Declaration[] | undefined {
  const text = css.replaceAll(/\/\*[^*]*\*\//g, "");
  if (text.includes("@")) return undefined;
  const rules = text.split("}").map((rule) => rule.split("{"));
  const found: Declaration[] = [];
  for (const [selector = "", block] of rules) {
    const names = selector.split(",").map((name) => name.trim().toLowerCase());
    if (block === undefined || names.every((name) => name === "")) continue;
    if (names.some((name) => selectors.includes(name))) found.push(...declarationsIn(block));
  }
  return found;
}

type Reader = (value: string) => Partial<ParagraphStyle> | undefined;

/** Undefined: a text layer does not have this. */
const readers: Readonly<Record<string, Reader>> = {
  color: (value) => ({ color: value.replaceAll(/["']/g, "") }),
  "font-size": (value) => pixels(value, (fontSize) => ({ fontSize })),
  "font-family": (value) => ({ fontFamily: value.split(",")[0]!.replaceAll(/["']/g, "").trim() }),
  "font-weight": (value) => ({ fontWeight: value }),
  "font-style": (value) => ({ isItalic: value === "italic" || value === "oblique" }),
  "text-align": (value) => {
    const align = (["left", "center", "right"] as const).find((name) => name === value);
    return align && { align };
  },
  "line-height": (value) => {
    const factor = /^(\d{1,4}(?:\.\d+)?)(%?)$/.exec(value);
    return factor ? { lineHeight: Number(factor[1]) / (factor[2] ? 100 : 1) } : undefined;
  },
  "letter-spacing": (value) => (value === "normal" ? {} : pixels(value, (letterSpacing) => ({ letterSpacing }))),
  "text-transform": (value) => cases[value],
  margin: nothingIfZero,
  padding: nothingIfZero,
  "margin-top": nothingIfZero,
  "margin-bottom": nothingIfZero,
  "vertical-align": () => ({}),
  "white-space": () => ({}),
};

const cases: Readonly<Record<string, Partial<ParagraphStyle>>> = {
  none: {},
  uppercase: { case: "upper" },
  lowercase: { case: "lower" },
  capitalize: { case: "title" },
};

function nothingIfZero(value: string): Partial<ParagraphStyle> | undefined {
  return /^(0(px|em|%)?\s*)+$/.test(value) ? {} : undefined;
}

function pixels(value: string, set: (pixels: number) => Partial<ParagraphStyle>) {
  const found = /^(-?\d{1,5}(?:\.\d+)?)(px|pt)?$/.exec(value);
  return found ? set(Number(found[1]) * (found[2] === "pt" ? 4 / 3 : 1)) : undefined;
}

function styleOf(declarations: readonly Declaration[]): ParagraphStyle | undefined {
  let style: ParagraphStyle = {};
  for (const [name, value] of declarations) {
    if (name === "" || value === "") continue;
    const read = Object.hasOwn(readers, name) ? readers[name]!(value) : undefined;
    if (!read) return undefined;
    style = { ...style, ...read };
  }
  return style;
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  hellip: "…",
  ndash: "–",
  mdash: "—",
  copy: "©",
  reg: "®",
  trade: "™",
  euro: "€",
  pound: "£",
};

const wordsOf = (source: string): string =>
  source
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?<br\s*\/?> ?/gi, "\n")
    .replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{1,10});/gi, (match, name: string) => {
      if (!name.startsWith("#")) return entities[name.toLowerCase()] ?? match;
      const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : match;
    })
    .trim();
