import { expect, test } from "bun:test";
import { contentOf } from "../../../src/domain/templates/library/design.ts";
import { placeholderFields } from "../../../src/domain/templates/placeholders.ts";
import { designs, frames, moves, pages, wordsOf } from "../../support/template-pages.ts";

const { square } = frames;

test("the library has at least 32 designs of all kinds, and the first ones keep their names", () => {
  expect(designs.size).toBeGreaterThanOrEqual(32);
  expect([...designs.keys()].slice(0, 8)).toEqual([
    ...["lower-third", "price-tag", "end-card", "quote", "countdown", "before-after", "list", "logo-sting"],
  ]);
  expect(Map.groupBy(designs.values(), ({ kind }) => kind).size).toBe(13);
});

test.each([...designs.values()])("$id shows each of its placeholders, and moves", async (design) => {
  const content = contentOf(design, { palette: {}, assets: {} });
  const shown = new Set(placeholderFields(content).flatMap(({ keys }) => keys));
  expect([...shown].toSorted()).toEqual(design.placeholders.map(({ key }) => key).toSorted());
  const enters = content.textOverlays.every(({ enter, animateIn }) => enter !== undefined || animateIn !== "none");
  expect(design.html ? await moves(design, square!) : enters).toBe(true);
});

test.each(pages)("the words of $id are inside of the safe zone and readable", async (design) => {
  const { letters, outside, pale } = await wordsOf(design, { canvas: square! });
  expect(letters).toBeGreaterThan(100);
  expect(outside).toBe(0);
  expect(pale).toBeLessThan(0.1);
});
