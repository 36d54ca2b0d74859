import { expect, test } from "bun:test";
import fc from "fast-check";
import { easingNames, easingOf, isEasing } from "../../../src/engine/motion/easing.ts";

const forms = ["steps(3)", "cubic-bezier(0.2, -1, 0.8, 2)", "spring(100,10)", "spring(1,50)", "spring(400,40)"];
const all = [...easingNames, ...forms];

test.each(all)("%s goes from 0 to 1", (name) => {
  expect(isEasing(name)).toBe(true);
  const ease = easingOf(name);
  expect(ease(0)).toBeCloseTo(0, 9);
  expect(ease(1)).toBeCloseTo(1, 9);
});

test.each(all.filter((name) => !/^step/.test(name)))("%s has no jumps", (name) => {
  const ease = easingOf(name);
  const steps = Array.from({ length: 2001 }, (_, index) => ease(index / 2000));
  const largest = Math.max(...steps.slice(1).map((value, index) => Math.abs(value - steps[index]!)));
  // a spring stops within a thousandth of its end
  expect(largest).toBeLessThan(0.06);
});

/** The values of easings.net at a quarter of the time. */
test.each([
  ["in-sine", 0.0761],
  ["out-cubic", 0.5781],
  ["in-out-quart", 0.0313],
  ["out-expo", 0.8232],
  ["in-circ", 0.0318],
  ["out-back", 0.8174],
  ["in-out-back", -0.0997],
  ["out-elastic", 0.9116],
  ["in-out-elastic", 0.012],
  ["in-bounce", 0.0273],
  ["ease", 0.4085],
  ["ease-in-out", 0.1292],
  ["steps(4)", 0.25],
])("%s is %d at a quarter", (name, value) => {
  expect(easingOf(name)(0.25)).toBeCloseTo(value, 3);
});

test("an out easing is its in easing backwards", () => {
  const families = easingNames.filter((name) => /^in-(?!out)/.test(name)).map((name) => name.slice(3));
  fc.assert(
    fc.property(fc.constantFrom(...families), fc.double({ min: 0, max: 1, noNaN: true }), (family, x) => {
      expect(easingOf(`out-${family}`)(x)).toBeCloseTo(1 - easingOf(`in-${family}`)(1 - x), 9);
    }),
  );
});

test.each([
  "in-out",
  "toString",
  "spring()",
  "spring(0,1)",
  "steps(0)",
  "steps(1.5)",
  "cubic-bezier(2,0,0,1)",
  "cubic-bezier(0,0,1)",
  "ease;",
  "",
  "steps(1e3)",
])("%p is no easing", (text) => {
  expect(isEasing(text)).toBe(false);
});
