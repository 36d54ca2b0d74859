import type { Stretch } from "../../engine/ports.ts";
import { formatQuantity } from "../shared/issue-messages.ts";
import type { FilmFacts } from "./film-facts.ts";
import type { Limit, Rule } from "./rules.ts";
import type { GateRules } from "./schema.ts";

/** What a rule has found; without a message, nothing is wrong. */
type Finding = {
  readonly message?: string | undefined;
  readonly measured?: number | string;
  readonly at?: readonly Stretch[];
};

/** Undefined if there is nothing that the rule could look at. */
export type Check = (film: FilmFacts, rule: Rule, own: GateRules) => Finding | undefined;

export const inSeconds = (value: number) => formatQuantity(Number(value.toFixed(2)), "seconds");
export const inBytes = (value: number) => `${formatQuantity(Number((value / 1_000_000).toFixed(3)))} MB`;
export const inPixels = (value: number) => formatQuantity(Math.round(value), "pixels");
export const inPercent = (value: number) => `${formatQuantity(Number((value * 100).toFixed(1)))} %`;

type NumberOptions = {
  /** What was measured, as the beginning of a sentence. */
  readonly what: string;
  readonly print: (value: number) => string;
  readonly digits?: number;
  /** What encoders add to a value that was met before. */
  readonly tolerance?: number;
};

export function within(value: number, { min, max }: Limit, { what, print, digits = 2, tolerance = 0 }: NumberOptions) {
  const measured = Number(value.toFixed(digits));
  const limit =
    min !== undefined && measured < min - tolerance
      ? `at least ${print(min)} is asked for`
      : max !== undefined && measured > max + tolerance
        ? `at most ${print(max)} is allowed`
        : undefined;
  return { measured, message: limit && `${what} ${print(measured)}: ${limit}.` };
}

/** The path of the first one, and how many more there are. */
export function naming(found: readonly { readonly path: string }[]): string {
  const [first, ...more] = new Set(found.map(({ path }) => path));
  return more.length > 0 ? `${first} and ${more.length} more` : `${first}`;
}
