import { expect, test } from "bun:test";
import fc from "fast-check";
import { plainText, withoutEntities } from "../../src/platform/plain-text.ts";

test.each([
  ["Tom &amp; Jerry", "Tom & Jerry"],
  ["Tom &amp;amp;  Jerry\n", "Tom &  Jerry\n"],
  ["M&uuml;sli f&#252;r Z&#xFC;rich", "Müsli für Zürich"],
  ["<p>A steel mug.</p><ul><li>hot</li></ul>", "A steel mug.\n * hot"],
  ["&lt;p&gt;A mug &amp;amp; lid&lt;/p&gt;", "A mug & lid"],
  ["One<br/>two<br>three", "One\ntwo\nthree"],
  ["<div class='a'>Say <strong>it</strong></div>", "Say it"],
  // meant as they are
  ["1 < 2 & 3 > 2; AT&T, R&D; <3", "1 < 2 & 3 > 2; AT&T, R&D; <3"],
  ["https://x.example/?a=1&copy=2&lt=3", "https://x.example/?a=1&copy=2&lt=3"],
  ["{{name}} <name> <https://x.example>", "{{name}} <name> <https://x.example>"],
])("reads %j as words", (text, words) => {
  expect(plainText(text)).toBe(words);
});

test("text without entities and tags stays as it is, and each is decoded to its sign", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(..."aé <>&;=\n\t杯") }),
      (text) => void expect(withoutEntities(text)).toBe(text),
    ),
  );
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 3 }), (text, times) => {
      const encode = (plain: string) => plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
      const sign = text.replaceAll(/[&<>;]/g, "");
      const encoded = Array.from({ length: times }).reduce<string>(encode, `${sign} & co`);
      expect(plainText(encoded)).toBe(`${sign} & co`);
    }),
  );
});
