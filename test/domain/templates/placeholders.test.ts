import { expect, test } from "bun:test";
import fc from "fast-check";
import { fillPlaceholders } from "../../../src/domain/templates/placeholders.ts";
import { DomainError } from "../../../src/errors.ts";

const fill = (text: string, values: Record<string, string>) => fillPlaceholders(text, values, 1_000_000);

test("replaces every occurrence of a key", () => {
  expect(fill("{{a}} and {{b}} and {{a}}", { a: "one", b: "two" })).toEqual({
    text: "one and two and one",
    pending: [],
  });
});

test("trims keys, which may contain any characters except braces", () => {
  expect(
    fill("{{ product name }}|{{\tä.$-ü 👍🏽\n}}|{{a}b}}", { "product name": "Mug", "ä.$-ü 👍🏽": "yes" }).text,
  ).toBe("Mug|yes|{{a}b}}");
});

test("a placeholder without a value stays unchanged, and its key is listed once in order of appearance", () => {
  expect(fill("{{ z }}{{a}}{{z}}{{b}}", { a: "A" })).toEqual({ text: "{{ z }}A{{z}}{{b}}", pending: ["z", "b"] });
});

test("a value is plain text: no placeholders and no replacement patterns in it are expanded", () => {
  expect(fill("{{a}}", { a: "{{b}} $& $1 $$", b: "no" })).toEqual({ text: "{{b}} $& $1 $$", pending: [] });
});

test("inherited property names are ordinary keys", () => {
  const text = "{{__proto__}}{{constructor}}{{toString}}";
  expect(fill(text, {})).toEqual({ text, pending: ["__proto__", "constructor", "toString"] });
  expect(fill(text, JSON.parse('{"__proto__":"1","constructor":"2","toString":"3"}')).text).toBe("123");
});

test("malformed placeholders stay unchanged", () => {
  const text = "{{}} {{  }} {a} {{a} }} {{ {b} }} }}{{";
  expect(fill(text, { a: "A", b: "B", "": "empty" })).toEqual({ text, pending: [] });
  expect(fill("{{{a}}}", { a: "A" }).text).toBe("{A}");
});

test.each([
  ["open braces", "{{".repeat(200_000)],
  ["an open placeholder and spaces", `{{${" ".repeat(400_000)}`],
  ["open placeholders with a letter each", "{{x".repeat(150_000)],
  ["open placeholders with spaces each", "{{ ".repeat(150_000)],
  ["half closed placeholders", "{{ x }".repeat(80_000)],
])("400,000 characters of %s are processed without backtracking", (_, text) => {
  expect(fill(text, { x: "never" })).toEqual({ text, pending: [] });
});

test("rejects values that make a text too long", () => {
  const text = "{{a}}".repeat(100_000);
  expect(() => fillPlaceholders(text, { a: "x".repeat(10_000) }, 5_000_000)).toThrow(DomainError);
});

test("text around placeholders stays unchanged", () => {
  const plain = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[{}]/g, ""));
  fc.assert(
    fc.property(plain, plain, plain, (before, value, after) => {
      expect(fill(`${before}{{key}}${after}`, { key: value }).text).toBe(`${before}${value}${after}`);
    }),
  );
});
