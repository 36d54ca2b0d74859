import { type Atrule, type CssNode, type Declaration, generate, type List, parse, walk } from "css-tree";
import { expandFont } from "./font-shorthand.ts";
import { type CardField, CardRefused, cardLimits, type Ignored } from "./limits.ts";
import { assetIdOf, isPictureAddress } from "./pictures.ts";

/** A declaration that the renderer gets. Lines count from 1. */
export type StyleDeclaration = {
  readonly field: CardField;
  readonly line: number;
  readonly property: string;
  readonly value: string;
  readonly node: Declaration;
  /** Adds a declaration to the same block. */
  add(property: string, value: string): void;
  /** Declarations of one block have the same number. */
  readonly block: number;
  readonly isInKeyframes: boolean;
};

/** The position of a text in its field. */
type Origin = { readonly field: CardField; readonly line: number };

/** Collects what the styles of a card say. */
export type Styles = {
  readonly declarations: StyleDeclaration[];
  readonly ignored: Ignored[];
  readonly assetIds: Set<string>;
  /** The names of `@keyframes`. */
  readonly animations: Set<string>;
  selectors: number;
  blocks: number;
};

export const noStyles = (): Styles => ({
  declarations: [],
  ignored: [],
  assetIds: new Set(),
  animations: new Set(),
  selectors: 0,
  blocks: 0,
});

/** The rules that the renderer knows and that load nothing. */
const knownRules: ReadonlySet<string> = new Set(["keyframes", "-webkit-keyframes", "media", "supports", "layer"]);

/** Reads a stylesheet and returns it without the parts that would load something. Throws CardRefused. */
export function readStylesheet(css: string, origin: Origin, styles: Styles): CssNode {
  const tree = parseCss(css, "stylesheet", origin, styles);
  const nested: string[] = [];
  /** A value that the parser leaves as text is no garbage. */
  let isInDeclaration = false;
  walk(tree, {
    enter(node: CssNode, item: Visit["item"], list: List<CssNode>) {
      if (node.type === "Atrule") enterRule(node, { item, list, nested, origin, styles });
      else if (node.type === "Rule" || node.type === "Block") styles.blocks++;
      else if (node.type === "Selector") styles.selectors++;
      else if (node.type === "Raw" && list && !isInDeclaration) removeFrom(list, item);
      else if (node.type === "Declaration") {
        isInDeclaration = true;
        const isInKeyframes = nested.some((name) => name.endsWith("keyframes"));
        const add = (property: string, value: string) => void list.insertData(declarationOf(property, value), item);
        if (!readDeclaration(node, { origin, styles, isInKeyframes, add })) removeFrom(list, item);
        else expandIn(node, item, list);
      }
    },
    leave(node: CssNode) {
      if (node.type === "Atrule") nested.pop();
      if (node.type === "Declaration") isInDeclaration = false;
    },
  });
  requireBounds(styles, origin.field);
  return tree;
}

const declarationOf = (property: string, value: string): Declaration => ({
  type: "Declaration",
  important: false,
  property,
  value: { type: "Raw", value },
});

/** Reads the `style` of an element into its properties. */
export function readInlineStyle(css: string, origin: Origin, styles: Styles): ReadonlyMap<string, Declaration> {
  const tree = parseCss(css, "declarationList", origin, styles);
  styles.blocks++;
  const found = new Map<string, Declaration>();
  const add = (property: string, value: string) => void found.set(property, declarationOf(property, value));
  walk(tree, {
    visit: "Declaration",
    enter(node) {
      if (!readDeclaration(node, { origin, styles, isInKeyframes: false, add })) return;
      for (const part of expandFont(node) ?? [node]) found.set(part.property, part);
    },
  });
  requireBounds(styles, origin.field);
  return found;
}

function parseCss(css: string, context: string, { field, line }: Origin, { ignored }: Styles): CssNode {
  requireShallow(css, { field, line });
  try {
    return parse(css, {
      context,
      positions: true,
      line,
      onParseError: (error) => void ignored.push({ field, line: error.line, what: error.message }),
    });
  } catch (cause) {
    throw new CardRefused(field, `The CSS on line ${line} cannot be read: ${String(cause).slice(0, 100)}`);
  }
}

/** Parsers call themselves for each bracket. */
function requireShallow(css: string, { field, line }: Origin): void {
  let depth = 0;
  for (const letter of css) {
    if ("([{".includes(letter)) depth++;
    else if (")]}".includes(letter)) depth = Math.max(0, depth - 1);
    if (depth > cardLimits.brackets) {
      throw new CardRefused(field, `The CSS from line ${line} on is nested more than ${cardLimits.brackets} deep.`);
    }
  }
}

type Visit = {
  readonly item: Parameters<List<CssNode>["remove"]>[0];
  readonly list: List<CssNode>;
  readonly nested: string[];
  readonly origin: Origin;
  readonly styles: Styles;
};

function enterRule(rule: Atrule, { item, list, nested, origin, styles }: Visit): void {
  nested.push(rule.name);
  if (rule.name.endsWith("keyframes") && rule.prelude) styles.animations.add(unquoted(generate(rule.prelude)));
  if (knownRules.has(rule.name)) return;
  styles.ignored.push({ field: origin.field, line: rule.loc?.start.line ?? origin.line, what: `@${rule.name}` });
  removeFrom(list, item);
  // its contents are still walked
  rule.block = null;
}

const removeFrom = (list: List<CssNode> | null, item: Visit["item"]): void => {
  list?.remove(item);
};

/** Replaces `font` by its parts, which the renderer knows. */
function expandIn(node: Declaration, item: Visit["item"], list: List<CssNode>): void {
  const parts = expandFont(node);
  if (!parts) return;
  for (const part of parts) list.insertData(part, item);
  list.remove(item);
}

type DeclarationContext = Pick<StyleDeclaration, "isInKeyframes" | "add"> & {
  readonly origin: Origin;
  readonly styles: Styles;
};

/** False for a declaration that loads something from outside. */
function readDeclaration(node: Declaration, { origin, styles, isInKeyframes, add }: DeclarationContext): boolean {
  const line = node.loc?.start.line ?? origin.line;
  const value = generate(node.value);
  if (partsOf(node) > cardLimits.parts) {
    throw new CardRefused(
      origin.field,
      `${node.property} on line ${line} must have at most ${cardLimits.parts} parts.`,
    );
  }
  const addresses = addressesIn(node.value, value);
  const outside = addresses.find((address) => !isPictureAddress(address) && !address.startsWith("#"));
  if (outside !== undefined || /image-set\(|src\(/i.test(value)) {
    styles.ignored.push({ field: origin.field, line, what: `${node.property}: ${short(value)}` });
    return false;
  }
  for (const address of addresses) {
    const id = assetIdOf(address);
    if (id !== undefined) styles.assetIds.add(id);
  }
  for (const part of expandFont(node) ?? [node]) {
    styles.declarations.push({
      ...{ field: origin.field, line, property: part.property, value: generate(part.value) },
      ...{ node: part, block: styles.blocks, isInKeyframes, add },
    });
  }
  return true;
}

/** The shadows, pictures or filters in a value: each is painted over the whole element. */
const partsOf = ({ property, value }: Declaration): number =>
  value.type === "Value" && /shadow|background|mask|filter|animation|image/.test(property)
    ? value.children.toArray().filter((node) => node.type === "Function" || generate(node) === ",").length
    : 0;

/** The addresses in a value, also in one that the parser left as text. */
function addressesIn(node: CssNode, value: string): readonly string[] {
  const found: string[] = [];
  walk(node, (each) => {
    if (each.type === "Url") found.push(each.value);
  });
  const raw = [...value.matchAll(/url\(\s*["']?([^"')]*)/gi)].map(([, address = ""]) => address);
  return found.length > 0 ? found : raw;
}

function requireBounds({ selectors, declarations }: Styles, field: CardField): void {
  if (selectors > cardLimits.selectors) {
    throw new CardRefused(field, `Must have at most ${cardLimits.selectors} selectors.`);
  }
  if (declarations.length > cardLimits.declarations) {
    throw new CardRefused(field, `Must have at most ${cardLimits.declarations} declarations.`);
  }
}

export const unquoted = (name: string): string => name.trim().replace(/^(["'])(.*)\1$/, "$2");

export const short = (value: string): string => (value.length > 60 ? `${value.slice(0, 57)}...` : value);
