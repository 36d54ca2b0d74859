import { expect, test } from "bun:test";
import fc from "fast-check";
import { formatAmount, parseAmount, parsePrice, roundedCost } from "../../../src/domain/ledger/money.ts";

test.each([
  [0n, "0.00"],
  [42_000n, "0.042"],
  [1n, "0.000001"],
  [5_000_000n, "5.00"],
  [1_234_500_000n, "1234.50"],
])("%s millionths are shown as %s", (micros, text) => {
  expect(formatAmount(micros)).toBe(text);
});

test("an amount is read as it was written", () => {
  fc.assert(fc.property(fc.bigInt(0n, 10n ** 15n), (micros) => expect(parseAmount(formatAmount(micros))).toBe(micros)));
});

test.each(["", "-1", "1e3", "1.1234567", ".5", "1.", "NaN", "1,5", " 1"])("%p is no amount", (text) => {
  expect(parseAmount(text)).toBeUndefined();
});

test("numbers are amounts as JSON writes them", () => {
  expect(parseAmount(0.1)).toBe(100_000n);
  expect(parseAmount(1e300)).toBeUndefined();
  expect(parseAmount(Number.NaN)).toBeUndefined();
});

test("a sum of parts is rounded up once, to a millionth", () => {
  const price = parsePrice("0.1")!;
  // a third of a millionth each
  const third = { price: parsePrice("0.000001")!, millionths: 1_000_000n, per: 3n };
  expect(roundedCost([third, third, third])).toBe(1n);
  expect(roundedCost([third])).toBe(1n);
  expect(roundedCost([third, third, third, third])).toBe(2n);
  expect(roundedCost([{ price, millionths: 3_000_000n, per: 1_000_000n }])).toBe(1n);
  expect(roundedCost([])).toBe(0n);
});
