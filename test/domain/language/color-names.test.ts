import { expect, test } from "bun:test";
import { colorName, colorNames, joinWithAnd } from "../../../src/domain/language/color-names.ts";

test.each([
  ["#14213d", "navy"],
  ["#0b3d2e", "dark green"],
  ["#f2b632", "amber"],
  ["#fefefe", "white"],
  ["#050505", "black"],
  ["rgb(200 30 40)", "red"],
  ["hsl(210 80% 50%)", "blue"],
  ["#3b2a20", "dark brown"],
])("%s is called %s", (color, name) => {
  expect(colorName(color)).toBe(name);
});

test("a text that is not a color stays unchanged", () => {
  expect(colorName("sunset")).toBe("sunset");
});

test("joins distinct names", () => {
  expect(joinWithAnd(colorNames(["#d62828", "#d02020", "#000", "#fff"]))).toBe("red, black and white");
  expect(joinWithAnd(["red"])).toBe("red");
  expect(joinWithAnd([])).toBe("");
});
