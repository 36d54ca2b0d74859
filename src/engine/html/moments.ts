import { generate, parse } from "css-tree";
import type { Stretch } from "../timeline/overlay.ts";
import { finite, secondsOf } from "./calculate.ts";
import { type StyleDeclaration, type Styles, unquoted } from "./css.ts";
import { type Variables, variablesOf } from "./variables.ts";

/** The animations of one block of declarations; each list has the values of its property. */
type Animated = { names?: readonly string[]; durations?: Times; delays?: Times; counts?: Times };

/** In seconds, or repetitions. Undefined if a value is not known before it is drawn. */
type Times = readonly (number | undefined)[];

const maxCombinations = 10_000;

/**
 * The parts of a card's time in which its CSS animations may run, in seconds, in order. Which of several declarations
 * an element takes is not found out: each is combined with each.
 */
export function momentsOf({ declarations, animations }: Styles): readonly Stretch[] {
  if (animations.size === 0) return [];
  const variables = variablesOf(declarations);
  const blocks = Map.groupBy(
    declarations.filter(({ property, isInKeyframes }) => /^(-webkit-)?animation/.test(property) && !isInKeyframes),
    ({ block }) => block,
  );
  const all = [...blocks.values()].map((block) => animatedIn(block, animations, variables));
  const complete = all.filter(({ names, durations }) => names && durations);
  const parts = all.filter((each) => !complete.includes(each));
  const loose = (name: "durations" | "delays" | "counts") => parts.flatMap((each) => each[name] ?? []);
  // a name and its duration may stand in two blocks
  const named = parts.some(({ names }) => names && names.length > 0);
  const own = named ? [...complete, { durations: loose("durations"), delays: [0], counts: [1] }] : complete;
  const found = own.flatMap(({ durations = [], delays = [], counts = [] }) =>
    durations.flatMap((duration, index) =>
      combined(
        [duration, ...loose("durations")],
        [at(delays, index, 0), ...loose("delays")],
        [at(counts, index, 1), ...loose("counts")],
      ),
    ),
  );
  return joined(found);
}

/** Lists of animations repeat their values. */
const at = (values: Times, index: number, byDefault: number): number | undefined =>
  values.length === 0 ? byDefault : values[index % values.length];

function combined(durations: Times, delays: Times, counts: Times): readonly Stretch[] {
  if (durations.length * delays.length * counts.length > maxCombinations) return [{ from: 0 }];
  return durations.flatMap((duration) =>
    delays.flatMap((delay) => counts.flatMap((count) => momentOf(duration, delay, count))),
  );
}

function momentOf(duration: number | undefined, delay: number | undefined, count: number | undefined): Stretch | [] {
  if (duration === undefined || delay === undefined || count === undefined) return { from: Math.max(0, delay ?? 0) };
  const end = delay + duration * count;
  if (duration <= 0 || count <= 0 || end <= 0) return delay > 0 ? { from: delay, to: delay } : [];
  return { from: Math.max(0, delay), ...(Number.isFinite(end) && { to: end }) };
}

/** In seconds: what lies closer together is one part. */
const minRest = 0.1;

function joined(moments: readonly Stretch[]): readonly Stretch[] {
  const result: Stretch[] = [];
  for (const moment of moments.toSorted((one, other) => one.from - other.from)) {
    const last = result.at(-1);
    if (!last || moment.from > endOf(last) + minRest) result.push(moment);
    else if (endOf(moment) === Number.POSITIVE_INFINITY) result[result.length - 1] = { from: last.from };
    else if (last.to !== undefined) result[result.length - 1] = { ...last, to: Math.max(last.to, endOf(moment)) };
  }
  return result;
}

const endOf = ({ to = Number.POSITIVE_INFINITY }: Stretch): number => to;

function animatedIn(block: readonly StyleDeclaration[], known: ReadonlySet<string>, variables: Variables): Animated {
  const animated: Animated = {};
  for (const { property, value } of block) {
    const name = property.replace(/^-webkit-/, "");
    const values = () => listed(value).flatMap((each) => substituted(each, variables));
    if (name === "animation") Object.assign(animated, shorthand(value, known, variables));
    else if (name === "animation-name") animated.names = listed(value).map(unquoted);
    else if (name === "animation-duration") animated.durations = values().map(secondsOf);
    else if (name === "animation-delay") animated.delays = values().map(secondsOf);
    else if (name === "animation-iteration-count") animated.counts = values().map(countOf);
  }
  return animated;
}

/** Parts of a value between commas outside of parentheses. */
function listed(value: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const letter of value) {
    if (letter === "(") depth++;
    if (letter === ")") depth--;
    if (letter === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim());
}

const maxSubstitutions = 500;

/** A value with each of the values of its variables; variables without one stay. */
function substituted(value: string, variables: Variables, depth = 0): readonly string[] {
  const [found, name = "", byDefault] = /var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)/.exec(value) ?? [];
  if (found === undefined || depth > 5) return [value];
  const values = [...(variables.get(name) ?? []), ...(byDefault === undefined ? [] : [byDefault.trim()])];
  if (values.length > maxSubstitutions) return [value];
  const replaced = values.flatMap((each) =>
    substituted(
      value.replace(found, () => each),
      variables,
      depth + 1,
    ),
  );
  return replaced.length > 0 && replaced.length <= maxSubstitutions ? replaced : [value];
}

/** The animations that `animation` starts. A variable may hold a name. */
function shorthand(value: string, known: ReadonlySet<string>, variables: Variables): Animated {
  const each = listed(value)
    .flatMap((part) => substituted(part, variables))
    .map((part) => ({ part, words: wordsOf(part) }))
    .filter(({ part, words }) => part.includes("var(") || words.some((word) => known.has(unquoted(word))));
  const timesIn = (words: readonly string[]) => words.filter((word) => /^[\d.+-].*s$|^calc\(/i.test(word));
  const isUnknown = (part: string) => part.includes("var(");
  return {
    names: each.map(({ words }) => words.find((word) => known.has(unquoted(word))) ?? ""),
    durations: each.map(({ part, words }) => (isUnknown(part) ? undefined : secondsOf(timesIn(words)[0] ?? "0s"))),
    delays: each.map(({ part, words }) => (isUnknown(part) ? undefined : secondsOf(timesIn(words)[1] ?? "0s"))),
    counts: each.map(({ words }) => countOf(words.find((word) => /^(infinite|[\d.]+)$/i.test(word)) ?? "1")),
  };
}

/** Words of a value; a function is one word. */
function wordsOf(value: string): readonly string[] {
  try {
    const tree = parse(value, { context: "value" });
    return tree.type === "Value" ? tree.children.toArray().map((node) => generate(node)) : [];
  } catch {
    return [];
  }
}

const countOf = (value: string): number | undefined =>
  value.toLowerCase() === "infinite" ? Number.POSITIVE_INFINITY : finite(Number(value));
