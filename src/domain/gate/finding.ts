import type { Stretch } from "../../engine/ports.ts";
import type { Box } from "../../engine/timeline/overlay.ts";
import { formatQuantity } from "../shared/issue-messages.ts";
import type { FilmFacts } from "./film-facts.ts";
import type { Limit, Rule } from "./rules.ts";
import type { GateRules } from "./schema.ts";

/** The finding of a rule; without a message, nothing is wrong. */
type Finding = {
  readonly message?: string | undefined;
  readonly measured?: number | string;
  readonly at?: readonly Stretch[];
};

/** Undefined if the rule does not apply. */
export type Check = (film: FilmFacts, rule: Rule, own: GateRules) => Finding | undefined;

export const inSeconds = (value: number) => formatQuantity(Number(value.toFixed(2)), "seconds");
export const inBytes = (value: number) => `${formatQuantity(Number((value / 1_000_000).toFixed(3)))} MB`;
export const inPixels = (value: number) => formatQuantity(Math.round(value), "pixels");
export const inPercent = (value: number) => `${formatQuantity(Number((value * 100).toFixed(1)))} %`;

type NumberOptions = {
  /** The subject of the measurement, as the beginning of a sentence. */
  readonly what: string;
  readonly print: (value: number) => string;
  readonly digits?: number;
  /** The deviation that encoders may add. */
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

/** The path of the first one, and the number of further ones. */
export function naming(found: readonly { readonly path: string }[]): string {
  const [first, ...more] = new Set(found.map(({ path }) => path));
  return more.length > 0 ? `${first} and ${more.length} more` : `${first}`;
}

export const overlaps = (one: Box, other: Box): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

/** The box with a margin around it. */
export const grown = ({ x, y, width, height }: Box, by: number): Box => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
});
