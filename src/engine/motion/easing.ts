/** Maps the progress of time, 0..1, to the progress of a value: 0 at 0 and 1 at 1; it may overshoot between them. */
export type Easing = (progress: number) => number;

/** Penner's equations as easings.net defines them, as the way into a value: no library has all with these constants. */
const families: Readonly<Record<string, Easing>> = {
  sine: (x) => 1 - Math.cos((x * Math.PI) / 2),
  quad: (x) => x ** 2,
  cubic: (x) => x ** 3,
  quart: (x) => x ** 4,
  quint: (x) => x ** 5,
  expo: (x) => (x === 0 ? 0 : 2 ** (10 * x - 10)),
  circ: (x) => 1 - Math.sqrt(1 - x ** 2),
  back: (x) => back(x, overshoot),
  elastic: (x) => elastic(x, 3),
  bounce: (x) => 1 - bounceOut(1 - x),
};

/** The families whose two halves are not the halves of the simple form. */
const inOutFamilies: Readonly<Record<string, Easing>> = {
  back: (x) => back(x, overshoot * 1.525),
  elastic: (x) => elastic(x, 4.5, 11.125),
};

const overshoot = 1.70158;

const back = (x: number, by: number): number => (by + 1) * x ** 3 - by * x ** 2;

/** A sine of the period `2π / waves` in tenths of the time, on an exponential. */
function elastic(x: number, waves: number, phase = 10.75): number {
  if (x === 0 || x === 1) return x;
  return -(2 ** (10 * x - 10)) * Math.sin((10 * x - phase) * ((2 * Math.PI) / waves));
}

/** The four parabolas of a ball that falls to 1. */
function bounceOut(x: number): number {
  const [steep, width] = [7.5625, 2.75];
  if (x < 1 / width) return steep * x ** 2;
  if (x < 2 / width) return steep * (x - 1.5 / width) ** 2 + 0.75;
  if (x < 2.5 / width) return steep * (x - 2.25 / width) ** 2 + 0.9375;
  return steep * (x - 2.625 / width) ** 2 + 0.984375;
}

const outOf =
  (into: Easing): Easing =>
  (x) =>
    1 - into(1 - x);

const inOutOf =
  (into: Easing): Easing =>
  (x) =>
    x < 0.5 ? into(2 * x) / 2 : 1 - into(2 - 2 * x) / 2;

/** The curve of CSS Easing Functions 1: solves x by bisection, because it never fails. */
function cubicBezier(x1: number, y1: number, x2: number, y2: number): Easing {
  const at = (t: number, one: number, two: number) => 3 * (1 - t) ** 2 * t * one + 3 * (1 - t) * t ** 2 * two + t ** 3;
  return (x) => {
    let [low, high] = [0, 1];
    for (let step = 0; step < 40; step++) {
      const middle = (low + high) / 2;
      if (at(middle, x1, x2) < x) low = middle;
      else high = middle;
    }
    return at((low + high) / 2, y1, y2);
  };
}

/** The share of its way that a spring is off when it counts as settled. */
const settled = 0.001;

/** The step response of a damped spring of mass 1; its settling time is stretched to the whole progress. */
function spring(stiffness: number, damping: number): Easing {
  const frequency = Math.sqrt(stiffness);
  const ratio = damping / (2 * frequency);
  const response = ratio < 1 ? swinging(frequency, ratio) : creeping(frequency, Math.max(ratio, 1.0001));
  const end = settlingTime(frequency, ratio);
  return (x) => response(x * end);
}

const swinging = (frequency: number, ratio: number): Easing => {
  const damped = frequency * Math.sqrt(1 - ratio ** 2);
  return (time) =>
    1 -
    Math.exp(-ratio * frequency * time) *
      (Math.cos(damped * time) + ((ratio * frequency) / damped) * Math.sin(damped * time));
};

const creeping = (frequency: number, ratio: number): Easing => {
  const root = Math.sqrt(ratio ** 2 - 1);
  const [slow, fast] = [frequency * (ratio - root), frequency * (ratio + root)];
  return (time) => 1 - (fast * Math.exp(-slow * time) - slow * Math.exp(-fast * time)) / (fast - slow);
};

/** The time after which the envelope of the response stays within `settled` of the end. */
function settlingTime(frequency: number, ratio: number): number {
  if (ratio < 1) return -Math.log(settled * Math.sqrt(1 - ratio ** 2)) / (ratio * frequency);
  const bounded = Math.max(ratio, 1.0001);
  return (-Math.log(settled) + Math.log(bounded + 1)) / (frequency * (bounded - Math.sqrt(bounded ** 2 - 1)));
}

const named: Readonly<Record<string, Easing>> = {
  linear: (x) => x,
  step: (x) => (x < 1 ? 0 : 1),
  ease: cubicBezier(0.25, 0.1, 0.25, 1),
  "ease-in": cubicBezier(0.42, 0, 1, 1),
  "ease-out": cubicBezier(0, 0, 0.58, 1),
  "ease-in-out": cubicBezier(0.42, 0, 0.58, 1),
  ...Object.fromEntries(
    Object.entries(families).flatMap(([name, into]) => [
      [`in-${name}`, into],
      [`out-${name}`, outOf(into)],
      [`in-out-${name}`, inOutOf(inOutFamilies[name] ?? into)],
    ]),
  ),
};

/** The names without parameters. */
export const easingNames: readonly string[] = Object.keys(named);

/** The forms with parameters, for people. */
export const easingForms: readonly string[] = ["steps(n)", "cubic-bezier(x1,y1,x2,y2)", "spring(stiffness,damping)"];

type Form = { readonly count: number; accepts(values: readonly number[]): boolean; make(values: number[]): Easing };

const isShare = (value = Number.NaN): boolean => value >= 0 && value <= 1;

const forms: Readonly<Record<string, Form>> = {
  steps: {
    count: 1,
    accepts: ([n = 0]) => Number.isInteger(n) && n >= 1 && n <= 1000,
    make:
      ([n = 1]) =>
      (x) =>
        Math.min(1, Math.floor(x * n) / n),
  },
  "cubic-bezier": {
    count: 4,
    accepts: ([x1, y1 = 0, x2, y2 = 0]) => isShare(x1) && isShare(x2) && Math.max(Math.abs(y1), Math.abs(y2)) <= 100,
    make: ([x1 = 0, y1 = 0, x2 = 1, y2 = 1]) => cubicBezier(x1, y1, x2, y2),
  },
  spring: {
    count: 2,
    accepts: ([stiffness = 0, damping = 0]) => stiffness >= 1 && stiffness <= 10_000 && damping >= 1 && damping <= 1000,
    make: ([stiffness = 100, damping = 10]) => spring(stiffness, damping),
  },
};

const cache = new Map<string, Easing | undefined>();
const maxCached = 1000;

/** True for `linear`, `step`, CSS's names, the families of easings.net such as `out-back`, and `easingForms`. */
export const isEasing = (text: string): boolean => find(text) !== undefined;

/** The curve of an easing that `isEasing` accepts; linear for others. */
export const easingOf = (text: string): Easing => find(text) ?? named.linear!;

function find(text: string): Easing | undefined {
  if (Object.hasOwn(named, text)) return named[text];
  if (cache.has(text)) return cache.get(text);
  const easing = parse(text);
  if (cache.size >= maxCached) cache.clear();
  cache.set(text, easing);
  return easing;
}

function parse(text: string): Easing | undefined {
  if (text.length > 100) return undefined;
  const [, name = "", list = ""] = /^([a-z-]+)\(([\d\s,.+-]*)\)$/.exec(text.trim()) ?? [];
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  const values = list.split(",").map((value) => (value.trim() === "" ? Number.NaN : Number(value)));
  if (!form || values.length !== form.count || !values.every(Number.isFinite) || !form.accepts(values))
    return undefined;
  const curve = form.make(values);
  return (x) => (x <= 0 ? 0 : x >= 1 ? 1 : curve(x));
}
