import { expect, test } from "bun:test";
import { hexColor, parseColor } from "../../src/platform/colors.ts";

const red = { red: 255, green: 0, blue: 0, alpha: 1 };

test.each([
  "red",
  " Red ",
  "#f00",
  "#FF0000",
  "#f00f",
  "rgb(255 0 0)",
  "rgb(100%, 0%, 0%)",
  "RGBA(255, 0, 0, 1)",
  "hsl(0 100% 50%)",
  "hsl(1turn, 100%, 50%)",
  "hwb(0 0% 0%)",
  "color(srgb 1 0 0)",
])("%p is red", (text) => {
  expect(parseColor(text)).toEqual(red);
});

test.each([
  ["lab(50% 40 30)", { red: 187, green: 88, blue: 70, alpha: 1 }],
  ["lch(50% 80 30)", { red: 225, green: 39, blue: 57, alpha: 1 }],
  ["oklab(0.5 none 0.1)", { red: 121, green: 96, blue: 6, alpha: 1 }],
  ["oklch(0.7 0.1 0)", { red: 210, green: 132, blue: 156, alpha: 1 }],
])("converts %p from its color space", (text, color) => {
  expect(parseColor(text)).toEqual(color);
});

test("clips colors outside sRGB", () => {
  expect(parseColor("rgb(300 -20 0)")).toEqual(red);
  expect(parseColor("color(display-p3 1 0 0)")).toEqual(red);
});

test("alpha is a fraction in every notation", () => {
  expect(parseColor("transparent")).toEqual({ red: 0, green: 0, blue: 0, alpha: 0 });
  expect(parseColor("rgb(0 0 0 / 25%)")?.alpha).toBe(0.25);
  expect(parseColor("rgba(0,0,0,7)")?.alpha).toBe(1);
  expect(parseColor("#0008")?.alpha).toBeCloseTo(0x88 / 255);
});

test.each([
  "",
  "currentColor",
  "inherit",
  "fff",
  "facade",
  "123456",
  "#12345",
  "#ggg",
  "rgb(1,2)",
  "color(--hsv 0 1 1)",
  "constructor",
  "__proto__",
  "red;blue",
  `red${" ".repeat(10)}x`,
  `rgb(${"1".repeat(300)} 0 0)`,
])("%p is not a color", (text) => {
  expect(parseColor(text)).toBeUndefined();
});

test.each([
  ["#F80", "#ff8800"],
  ["RebeccaPurple", "#663399"],
  ["rgb(0 128 255 / 20%)", "#0080ff"],
  ["hsl(120deg 100% 25%)", "#008000"],
  ["ff8800", undefined],
  ["warm", undefined],
])("%p as six hex digits is %p", (text, hex) => {
  expect(hexColor(text)).toBe(hex);
});
