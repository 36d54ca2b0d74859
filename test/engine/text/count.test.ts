import { expect, test } from "bun:test";
import fc from "fast-check";
import { countedRange, countedText } from "../../../src/engine/text/count.ts";
import { painted, textDrawing } from "../../support/media/drawn-text.ts";

test.each([
  ["1.234,50 €", "de", "617,25 €"],
  ["₹1,23,456", "hi", "₹61,728"],
  ["٪٤٥", "ar", "٪٢٣"],
  ["١٬٢٣٤٫٥", "ar", "٦١٧٫٣"],
  ["१,२३,४५६", "hi", "६१,७२८"],
  ["$19.99", "en", "$9.99"],
  ["1 234 567,8 km", "fr", "617 283,9 km"],
  ["1'234'567.89", "de-CH", "617'283.94"],
  ["Top 10 of 2024", "en", "Top 5 of 2024"],
  ["5,000,000+", "en", "2,500,000+"],
  ["−40 °C", "en", "−20 °C"],
  ["COVID-19", "en", "COVID-10"],
  ["008", "en", "004"],
  ["12.05.2024", "de", "6.05.2024"],
  ["2024 500", "en", "1012 500"],
  ["no number", "en", "no number"],
])("%s (%s) is %s on half its way from 0", (text, language, half) => {
  expect(countedText(text, 0, 0.5, language)).toBe(half);
});

test("the language decides whether one sign before three digits separates decimals", () => {
  expect(countedText("1.234", 0, 0.5, "de")).toBe("617");
  expect(countedText("1.250", 0, 0.5, "en")).toBe("0.625");
  expect(countedText("0.250", 0, 0.5, "de")).toBe("0.125");
  expect(countedText("1.234", 0, 0.5, "no language")).toBe("0.617");
});

test("a number may count down, and across zero", () => {
  expect(countedText("7 left", 100, 0, "en")).toBe("100 left");
  expect(countedText("1,000", 2_000_000, 0, "en")).toBe("2,000,000");
  expect(countedText("10", -10, 0.25, "en")).toBe("−5");
  expect(countedText("10", -10, 0.5, "en")).toBe("0");
});

test("at its end, any text is what was written; on its way, what is around the number stays", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.double(),
      fc.double({ min: 0, max: 1 }),
      (text, from, progress) => {
        expect(countedText(text, from, 1)).toBe(text);
        const range = countedRange(text);
        const counted = countedText(text, Number.isNaN(from) ? 0 : from, progress);
        expect(counted.startsWith(text.slice(0, range?.start ?? text.length))).toBe(true);
        expect(counted.endsWith(text.slice(range?.end ?? 0))).toBe(true);
      },
    ),
  );
});

test.each([
  ["11,".repeat(4000), "11"],
  ["1".repeat(10_000), undefined],
  ["11.111,".repeat(1500), "11.111"],
  ["1 111 ".repeat(1500), "1"],
])("of a long row of digits, the first number of at most 15 counts: %#", (text, number) => {
  const range = countedRange(text);
  expect(range && text.slice(range.start, range.end)).toBe(number);
});

test("a text that counts keeps its box and the places of its other words", async () => {
  const drawing = await textDrawing("■ 8,888 ■", { style: { fontSize: 40 } });
  const counted = drawing.counted({ from: 0, progress: 0.0001 });
  expect(counted.box).toEqual(drawing.box);
  const size = { width: 500, height: 100 };
  const [still, moving] = [drawing, counted].map((one) => painted((context) => one.paint(context), size));
  const word = drawing.units("word")[1]!.box;
  let [beside, inside] = [0, 0];
  for (let x = -250; x < 250; x++) {
    for (let y = -50; y < 50; y++) {
      if (still!.at(x, y)[3] === moving!.at(x, y)[3]) continue;
      if (x >= Math.floor(word.x) && x <= Math.ceil(word.x + word.width)) inside++;
      else beside++;
    }
  }
  expect(beside).toBe(0);
  expect(inside).toBeGreaterThan(50);
});
