import { expect, test } from "bun:test";
import { colorName, colorNames, inOneBreath } from "../../../src/domain/shared/color-names.ts";

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

test("what is no color keeps its own words", () => {
  expect(colorName("sunset")).toBe("sunset");
});

test("names stand once, in one breath", () => {
  expect(inOneBreath(colorNames(["#d62828", "#d02020", "#000", "#fff"]))).toBe("red, black and white");
  expect(inOneBreath(["red"])).toBe("red");
  expect(inOneBreath([])).toBe("");
});
