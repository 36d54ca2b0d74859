import { z } from "zod";

const maxBytes = 100 * 1024;
const maxCommands = 20_000;
const maxNumber = 1e6;

/** The numbers that each command of SVG path data takes. */
const arity: ReadonlyMap<string, number> = new Map(
  Object.entries({ m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0 }),
);

const allowed = /^\s*[Mm][\sMmZzLlHhVvCcSsQqTtAa0-9eE+\-.,]*$/;
const commands = /([MmZzLlHhVvCcSsQqTtAa])([^MmZzLlHhVvCcSsQqTtAa]*)/g;
const numbers = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/g;

/** The number of commands, with repeated ones that have no letter of their own; undefined for invalid path data. */
function countCommands(text: string): number | undefined {
  if (!allowed.test(text)) return undefined;
  let count = 0;
  for (const { 1: letter = "", 2: rest = "" } of text.matchAll(commands)) {
    const values = rest.match(numbers) ?? [];
    if (values.some((value) => Math.abs(Number(value)) > maxNumber)) return undefined;
    const taken = arity.get(letter.toLowerCase())!;
    // the flags of arcs may be written without spaces, so that seven numbers look like five
    const atLeast = letter.toLowerCase() === "a" ? 5 : taken;
    if (taken > 0 && values.length < atLeast) return undefined;
    count += taken === 0 ? 1 : Math.max(1, Math.ceil(values.length / atLeast));
  }
  return count;
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
