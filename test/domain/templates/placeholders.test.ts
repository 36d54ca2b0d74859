import { expect, test } from "bun:test";
import fc from "fast-check";
import { fillPlaceholders } from "../../../src/domain/templates/placeholders.ts";
import { DomainError } from "../../../src/errors.ts";

const fill = (text: string, values: Record<string, string>) => fillPlaceholders(text, values, 1_000_000);

test("every occurrence of a key is replaced by its value", () => {
  expect(fill("{{a}} and {{b}} and {{a}}", { a: "one", b: "two" })).toEqual({
    text: "one and two and one",
    pending: [],
  });
});

test("keys are trimmed and may hold any characters but braces", () => {
  expect(
    fill("{{ product name }}|{{\tä.$-ü 👍🏽\n}}|{{a}b}}", { "product name": "Mug", "ä.$-ü 👍🏽": "yes" }).text,
  ).toBe("Mug|yes|{{a}b}}");
});

test("a key without a value stays as it was written, and is named once, in order of appearance", () => {
  expect(fill("{{ z }}{{a}}{{z}}{{b}}", { a: "A" })).toEqual({ text: "{{ z }}A{{z}}{{b}}", pending: ["z", "b"] });
});

test("a value is plain text: not looked into again, and no pattern of replacements", () => {
  expect(fill("{{a}}", { a: "{{b}} $& $1 $$", b: "no" })).toEqual({ text: "{{b}} $& $1 $$", pending: [] });
});

test("names that every object inherits are ordinary keys", () => {
  const text = "{{__proto__}}{{constructor}}{{toString}}";
  expect(fill(text, {})).toEqual({ text, pending: ["__proto__", "constructor", "toString"] });
  expect(fill(text, JSON.parse('{"__proto__":"1","constructor":"2","toString":"3"}')).text).toBe("123");
});

test("what looks like a placeholder and is none stays", () => {
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
])("400,000 characters of %s are read through", (_, text) => {
  expect(fill(text, { x: "never" })).toEqual({ text, pending: [] });
});

test("values may not blow a text up without bounds", () => {
  const text = "{{a}}".repeat(100_000);
  expect(() => fillPlaceholders(text, { a: "x".repeat(10_000) }, 5_000_000)).toThrow(DomainError);
});

test("text around placeholders is never touched", () => {
  const plain = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[{}]/g, ""));
  fc.assert(
    fc.property(plain, plain, plain, (before, value, after) => {
      expect(fill(`${before}{{key}}${after}`, { key: value }).text).toBe(`${before}${value}${after}`);
    }),
  );
});
