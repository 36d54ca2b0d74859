import { formatQuantity } from "../../domain/shared/issue-messages.ts";
import { invalid } from "../../errors.ts";

/** Lists and objects count as values; `maxItems` is per list. More levels overflow the stack in recursion. */
export type JsonBounds = { readonly maxValues: number; readonly maxItems: number; readonly maxDepth: number };

const defaultBounds: JsonBounds = { maxValues: 50_000, maxItems: 10_000, maxDepth: 32 };

/** Throws validation_error. Invalid JSON is left to JSON.parse. `path` is the path of the whole value. */
export function assertJsonBounds(text: string, path = "", bounds: Partial<JsonBounds> = {}): void {
  // before JSON.parse, because parsing and validating a million empty lists takes seconds
  new JsonScan(text, path, { ...defaultBounds, ...bounds }).read();
}

export const tooManyValues = (path: string, maxValues: number) =>
  invalid(path, `Must hold at most ${formatQuantity(maxValues, "values")}.`);

/** The larger bound of each kind; the default where one is left out. */
export const largerBounds = (one: JsonBounds, other: Partial<JsonBounds>): JsonBounds => {
  const { maxValues, maxItems, maxDepth } = { ...defaultBounds, ...other };
  return {
    maxValues: Math.max(one.maxValues, maxValues),
    maxItems: Math.max(one.maxItems, maxItems),
    maxDepth: Math.max(one.maxDepth, maxDepth),
  };
};

const unbounded = { maxValues: Infinity, maxItems: Infinity, maxDepth: Infinity };

/** The smallest bounds that a JSON text fits. */
export const measureJson = (text: string): JsonBounds => new JsonScan(text, "", unbounded).read();

/** An open list or object: the commas so far, and in an object the range of its last key in the text. */
type Level = { readonly isList: boolean; commas: number; keyStart: number; keyEnd: number };

const codeOf = (character: string) => character.charCodeAt(0);
const [space, quote, backslash] = [codeOf(" "), codeOf('"'), codeOf("\\")];
const [comma, colon] = [codeOf(","), codeOf(":")];
const [openList, closeList, openObject, closeObject] = [codeOf("["), codeOf("]"), codeOf("{"), codeOf("}")];

class JsonScan {
  readonly #text: string;
  readonly #path: string;
  readonly #bounds: JsonBounds;
  readonly #levels: Level[] = [];
  #values = 0;
  #mostItems = 0;
  #depth = 0;
  #stringStart = 0;

  constructor(text: string, path: string, bounds: JsonBounds) {
    this.#text = text;
    this.#path = path;
    this.#bounds = bounds;
  }

  read(): JsonBounds {
    let index = 0;
    while (index < this.#text.length) index = this.#readToken(index);
    return { maxValues: this.#values, maxItems: this.#mostItems, maxDepth: this.#depth };
  }

  /** Counts the token at `index` and returns the index after it. */
  #readToken(index: number): number {
    const code = this.#text.charCodeAt(index);
    if (code === quote) return this.#readString(index);
    if (code === comma) this.#countItem();
    else if (code === colon) this.#endKey(index);
    else if (code === openList || code === openObject) this.#open(code === openList);
    else if (code === closeList || code === closeObject) this.#levels.pop();
    else if (code > space) return this.#readLiteral(index);
    return index + 1;
  }

  #readString(start: number): number {
    this.#countValue();
    this.#stringStart = start;
    for (let index = start + 1; index < this.#text.length; index++) {
      const code = this.#text.charCodeAt(index);
      if (code === quote) return index + 1;
      if (code === backslash) index++;
    }
    return this.#text.length;
  }

  #readLiteral(start: number): number {
    this.#countValue();
    for (let index = start + 1; index < this.#text.length; index++) {
      const code = this.#text.charCodeAt(index);
      if (code <= space || code === comma || code === closeList || code === closeObject) return index;
    }
    return this.#text.length;
  }

  /** The string before a colon is a key, not a value. */
  #endKey(index: number): void {
    this.#values--;
    const level = this.#levels.at(-1);
    if (!level) return;
    level.keyStart = this.#stringStart;
    level.keyEnd = index;
  }

  #open(isList: boolean): void {
    this.#countValue();
    const { maxDepth } = this.#bounds;
    if (this.#levels.length === maxDepth)
      throw invalid(this.#pathOf(maxDepth), `Must not be nested deeper than ${maxDepth} levels.`);
    this.#levels.push({ isList, commas: 0, keyStart: 0, keyEnd: 0 });
    this.#depth = Math.max(this.#depth, this.#levels.length);
  }

  #countItem(): void {
    const level = this.#levels.at(-1);
    if (!level) return;
    level.commas++;
    if (!level.isList) return;
    this.#mostItems = Math.max(this.#mostItems, level.commas + 1);
    const { maxItems } = this.#bounds;
    if (level.commas < maxItems) return;
    throw invalid(this.#pathOf(this.#levels.length - 1), `Must have at most ${formatQuantity(maxItems, "items")}.`);
  }

  #countValue(): void {
    this.#values++;
    const { maxValues } = this.#bounds;
    if (this.#values > maxValues) throw tooManyValues(this.#path, maxValues);
  }

  /** The path of the container at this depth: 0 is the whole value. */
  #pathOf(depth: number): string {
    const steps = this.#levels.slice(0, depth).map((level) => (level.isList ? `${level.commas}` : this.#keyOf(level)));
    return [this.#path, ...steps].filter(Boolean).join(".");
  }

  #keyOf({ keyStart, keyEnd }: Level): string {
    try {
      return String(JSON.parse(this.#text.slice(keyStart, keyEnd)));
    } catch {
      return "";
    }
  }
}
