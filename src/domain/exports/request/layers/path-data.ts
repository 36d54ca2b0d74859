import { z } from "zod";

const maxBytes = 100 * 1024;
const maxCommands = 20_000;
const maxNumber = 1e6;

/** The numbers that each command of SVG path data takes. */
const arity: ReadonlyMap<string, number> = new Map(
  Object.entries({ m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0 }),
);

const allowed = /^\s*[Mm][\sMmZzLlHhVvCcSsQqTtAa0-9eE+\-.,]*$/;
const number = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/;
const tokens = new RegExp(`[MmZzLlHhVvCcSsQqTtAa]|${number.source}`, "g");
/** Shorter numbers without an exponent are smaller. */
const largeLength = `${maxNumber}`.length;

/** The number of commands that `values` numbers after a letter stand for; undefined for too few. */
function repeatsOf(letter: string, values: number): number | undefined {
  const name = letter.toLowerCase();
  // the flags of arcs may be written without spaces, so that seven numbers look like five
  const taken = name === "a" ? 5 : arity.get(name)!;
  if (taken === 0) return 1;
  return values < taken ? undefined : Math.ceil(values / taken);
}

/** The number of commands; undefined for invalid path data. */
function countCommands(text: string): number | undefined {
  if (!allowed.test(text)) return undefined;
  let [count, values, letter] = [0, 0, ""];
  const end = () => {
    const repeats = letter === "" ? 0 : repeatsOf(letter, values);
    if (repeats !== undefined) count += repeats;
    return repeats !== undefined;
  };
  const hasExponents = /e/i.test(text);
  let from = 0;
  tokens.lastIndex = 0;
  // tested and not matched: strings of all numbers would take three times as long
  while (tokens.test(text)) {
    const last = tokens.lastIndex - 1;
    // a number ends with a digit or a point, and these come before all letters
    if (text.charCodeAt(last) < 65) {
      values++;
      const mayBeLarge = hasExponents || last + 1 - from >= largeLength;
      if (mayBeLarge && Math.abs(Number(number.exec(text.slice(from, last + 1)))) > maxNumber) return undefined;
    } else {
      if (!end()) return undefined;
      letter = text[last]!;
      values = 0;
    }
    from = last + 1;
  }
  return end() ? count : undefined;
}

/** SVG path data. */
export const PathData = z
  .string()
  .max(maxBytes)
  .superRefine((text, context) => {
    if (text.length > maxBytes) return;
    const count = countCommands(text);
    if (count === undefined)
      context.addIssue({ code: "custom", message: "Must be SVG path data, such as M0 0 L100 50 Z." });
    else if (count > maxCommands) context.addIssue({ code: "custom", message: "Must have at most 20,000 commands." });
  });
