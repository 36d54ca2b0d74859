import { expect, test } from "bun:test";
import { readCard } from "../../../src/engine/html/card.ts";
import { namedFamilies } from "../../../src/engine/html/families.ts";
import { CardRefused } from "../../../src/engine/html/limits.ts";

const keyframes = "@keyframes in{from{opacity:0}}";
const momentsOf = (css: string, html = "<p>x") => readCard({ html, css: css + keyframes }).moments;
const ignoredIn = (html: string, css = "") =>
  readCard({ html, css }).ignored.map(({ field, line, what }) => `${field} ${line} ${what}`);

test("animations run from their delay to the end of their repetitions", () => {
  expect(momentsOf("p{animation:in 1s}")).toEqual([{ from: 0, to: 1 }]);
  expect(momentsOf("p{animation:in 500ms ease-out .25s 3 both}")).toEqual([{ from: 0.25, to: 1.75 }]);
  expect(momentsOf("p{animation-name:in;animation-duration:2s;animation-delay:1s}")).toEqual([{ from: 1, to: 3 }]);
  expect(momentsOf("p{animation:in 1s}i{animation:in 1s 4s}")).toEqual([
    { from: 0, to: 1 },
    { from: 4, to: 5 },
  ]);
  expect(momentsOf("p{animation:in 1s -0.5s}")).toEqual([{ from: 0, to: 0.5 }]);
});

test("delays of other rules and of elements count", () => {
  expect(momentsOf("p{animation:in 1s}i{animation-delay:2s}")).toEqual([
    { from: 0, to: 1 },
    { from: 2, to: 3 },
  ]);
  expect(momentsOf("p{animation:in 1s}", '<p style="animation-delay:.5s">x')).toEqual([{ from: 0, to: 1.5 }]);
  expect(momentsOf("p{animation:in 1s calc(var(--i) * .5s)}", '<p style="--i:1">a<p style="--i:3">b')).toEqual([
    { from: 0.5, to: 2.5 },
  ]);
});

test("an animation without an end, or with unknown times, never rests", () => {
  expect(momentsOf("p{animation:in 1s infinite}")).toEqual([{ from: 0 }]);
  expect(momentsOf("p{animation:var(--nothing)}")).toEqual([{ from: 0 }]);
});

test("a card without keyframes, or with a name that has none, stands still", () => {
  expect(readCard({ html: "<p>", css: "p{animation:in 1s}" }).moments).toEqual([]);
  expect(momentsOf("p{animation:other 1s}")).toEqual([]);
});

test("what a drawing shows no part of is named with its line, and so is data that is no picture", () => {
  expect(
    ignoredIn("<svg><g>\n<text>a<tspan>b</tspan></text>\n<image href='http://a/b.png'/></g><path d='M0 0'/></svg>"),
  ).toEqual(["html 2 <text> in <svg>", "html 3 <image> in <svg>"]);
  expect(ignoredIn("<img src='data:image/png;base64,AAAA'>")).toHaveLength(1);
});

test("what runs or loads is left out and named with its line", () => {
  expect(ignoredIn("<p>\n<script>alert(1)</script>\n<img src='http://a/b.png'><b onclick='x()'>b</b>")).toEqual([
    "html 2 <script>",
    "html 3 onclick",
    'html 3 <img src="http://a/b.png">',
  ]);
  expect(ignoredIn("<p>", "@import 'a.css';\np{background:url(//a/b.png)}\n@font-face{src:url(a.ttf)}")).toEqual([
    "css 1 @import",
    "css 2 background: url(//a/b.png)",
    "css 3 @font-face",
  ]);
  const { stylesheets } = readCard({ html: "<p>", css: "p{color:red;background:url(file:///etc/passwd)}" });
  expect(stylesheets.join("")).toBe("p{color:red}");
});

test("pictures of the project and their ids are found in both languages", () => {
  const { assetIds, ignored } = readCard({
    html: '<img src="asset:a-1"><p style="background:url(asset:a_2)">',
    css: "p{mask-image:url('asset:a3')}",
  });
  expect(assetIds.toSorted()).toEqual(["a-1", "a3", "a_2"]);
  expect(ignored).toEqual([]);
});

test("the parts of font become declarations of their own", () => {
  const { stylesheets } = readCard({ html: "<p>", css: "p{font:italic 700 20px/1.2 'My Font', serif}" });
  expect(stylesheets.join("")).toBe(
    'p{font-style:italic;font-weight:700;font-size:20px;line-height:1.2;font-family:"My Font",serif}',
  );
  expect(namedFamilies(readCard({ html: "<p>", css: "p{font:20px 'My Font', serif}" }))).toEqual(["my font"]);
});

const tooLarge: readonly (readonly [string, string, string])[] = [
  ["elements", "<i>".repeat(1) + "<b></b>".repeat(1001), ""],
  ["depth", "<div>".repeat(100), ""],
  ["size", "x".repeat(65 * 1024), ""],
  ["brackets", "<p>", `p{width:${"calc(".repeat(500)}1px${")".repeat(500)}}`],
  ["nested rules", "<p>", `${"@media all{".repeat(500)}p{color:red}${"}".repeat(500)}`],
  ["selectors", "<p>", "p{color:red}".repeat(2001)],
  ["comparisons", "<b></b>".repeat(999), "p{color:red}".repeat(1500)],
  ["shadows", "<p>", `p{text-shadow:${Array(100).fill("0 0 9px red").join()}}`],
];

test.each(tooLarge)("too many or too deep are refused: %s", (_, html, css) => {
  expect(() => readCard({ html, css })).toThrow(CardRefused);
});

test("markup without an end is read or refused", () => {
  for (const part of ["<a ", "<", "<a b='", "<!--", "&", "{{", '<p style="']) {
    for (const text of [part.repeat(10_000).slice(0, 60_000), `${part}${" ".repeat(60_000)}`]) {
      const read = (card: { html: string; css: string }) => () => {
        try {
          readCard(card);
        } catch (error) {
          if (!(error instanceof CardRefused)) throw error;
        }
      };
      expect(read({ html: text, css: "" })).not.toThrow();
      expect(read({ html: "", css: text })).not.toThrow();
    }
  }
});
