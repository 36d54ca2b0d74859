import { expect, test } from "bun:test";
import fc from "fast-check";
import { formatAmount } from "../../../src/domain/ledger/money.ts";
import {
  imageSize,
  inputUnits,
  PriceRows,
  priceTable,
  replacePrices,
  videoSize,
} from "../../../src/domain/ledger/prices.ts";
import published from "../../../src/providers/prices.json" with { type: "json" };

const rowOf = (fields: object) => ({
  provider: "acme",
  model: "m",
  category: "llm",
  asOf: "2026-11-23",
  source: "https://example.com/prices",
  ...fields,
});

const tableOf = (rows: readonly object[], day = "2026-11-23") =>
  priceTable(PriceRows.parse(rows), () => Date.parse(day));

const acme = { provider: "acme", model: "m" };

test("a call costs its units at their prices", () => {
  const table = tableOf([
    rowOf({ unit: "input_token_million", price: "0.75" }),
    rowOf({ unit: "output_token_million", price: "3.75" }),
  ]);
  // 0.00075 + 0.001875
  expect(formatAmount(table.costOf(acme, { inputTokens: 1000, outputTokens: 500 })!)).toBe("0.002625");
  // 0.00000075 is rounded up
  expect(formatAmount(table.costOf(acme, { inputTokens: 1 })!)).toBe("0.000001");
  expect(table.costOf(acme, {})).toBe(0n);
});

test.each([
  ["second", { seconds: 8 }, "0.40"],
  ["minute", { seconds: 90 }, "0.075"],
  ["image", { images: 1 }, "0.05"],
  ["character_million", { characters: 2000 }, "0.0001"],
])("a price for each %s", (unit, units, cost) => {
  expect(formatAmount(tableOf([rowOf({ unit, price: "0.05" })]).costOf(acme, units)!)).toBe(cost);
});

test("a size has its own price, and an unknown one the dearest", () => {
  const table = tableOf([
    rowOf({ unit: "second", size: "720p", price: "0.1" }),
    rowOf({ unit: "second", size: "1080p", price: "0.2" }),
  ]);
  expect(table.costOf(acme, { seconds: 1 }, "720p")).toBe(100_000n);
  expect(table.costOf(acme, { seconds: 1 }, "4k")).toBe(200_000n);
  expect(table.costOf(acme, { seconds: 1 })).toBe(200_000n);
});

test("a video is priced by its shorter side, a picture by its megapixels", () => {
  const portrait = { width: 1080, height: 1920 };
  expect([videoSize({ width: 480, height: 854 }), videoSize({ width: 1280, height: 720 })]).toEqual(["480p", "720p"]);
  expect(videoSize(portrait)).toBe("1080p");
  expect([imageSize({ width: 1024, height: 1024 }), imageSize(portrait)]).toEqual(["1mp", "2mp"]);
  const table = priceTable(PriceRows.parse(published));
  const flux = { provider: "bfl", model: "flux-2-pro" };
  expect(formatAmount(table.costOf(flux, { images: 1 }, imageSize(portrait))!)).toBe("0.045");
});

test("pictures that are sent along cost by the piece or by their megapixels, each rounded up", () => {
  const pictures = inputUnits([
    { width: 1024, height: 1024 },
    { width: 1500, height: 1500 },
  ]);
  expect(pictures).toEqual({ inputImages: 2, inputMegapixels: 4 });
  const drawn = { images: 1, ...pictures };
  const table = tableOf([
    rowOf({ unit: "image", size: "1mp", price: "0.03" }),
    rowOf({ unit: "image", size: "input-mp", price: "0.015" }),
  ]);
  expect(table.costOf(acme, drawn, "1mp")).toBe(90_000n);
  expect(table.costOf(acme, { images: 1 }, "1mp")).toBe(30_000n);
  // another size of what is drawn is never that of what is sent along
  expect(table.costOf(acme, { images: 1 }, "9mp")).toBe(30_000n);
  const each = [rowOf({ unit: "second", price: "0.05" }), rowOf({ unit: "image", size: "input", price: "0.002" })];
  expect(tableOf(each).costOf(acme, { seconds: 2, ...pictures }, "480p")).toBe(104_000n);
  expect(tableOf([rowOf({ unit: "image", price: "0.05" })]).costOf(acme, drawn)).toBe(50_000n);
});

test("an announced price is in force from its day on", () => {
  const rows = [rowOf({ unit: "second", price: "0.1" }), rowOf({ unit: "second", price: "0.2", from: "2027-01-01" })];
  expect(tableOf(rows, "2026-12-31").list()).toMatchObject([{ price: "0.1" }]);
  expect(tableOf(rows, "2027-01-01").list()).toMatchObject([{ price: "0.2" }]);
});

const longRows = (tokens: number, [input, longInput]: readonly string[], [output, longOutput]: readonly string[]) => [
  rowOf({ unit: "input_token_million", price: input }),
  rowOf({ unit: "input_token_million", price: longInput, aboveInputTokens: tokens }),
  rowOf({ unit: "output_token_million", price: output }),
  rowOf({ unit: "output_token_million", price: longOutput, aboveInputTokens: tokens }),
];

test("a request with more input than a row begins above is paid by that row as a whole", () => {
  const table = tableOf(longRows(272_000, ["2", "4"], ["10", "15"]));
  const cost = (inputTokens: number) => formatAmount(table.costOf(acme, { inputTokens, outputTokens: 1_000_000 })!);
  expect([cost(272_000), cost(272_001), cost(544_000)]).toEqual(["10.544", "16.088004", "17.176"]);
  // output alone has no length
  expect(formatAmount(table.costOf(acme, { outputTokens: 1_000_000 })!)).toBe("10.00");
  expect(table.list()).toHaveLength(4);
});

test("GPT-6 costs twice and one and a half times as much above 272,000 tokens, also at the gateway", () => {
  const table = priceTable(PriceRows.parse(published), () => Date.parse("2026-11-28"));
  const family = Object.values(Object.groupBy(table.list(), ({ provider, model }) => `${provider} ${model}`))
    .map((rows) => rows![0]!)
    .filter(({ model }) => /gpt-6/.test(model));
  expect(family.length).toBeGreaterThan(5);
  for (const model of family) {
    const cost = (units: object) => Number(table.costOf(model, units)!);
    const [short, long] = [{ inputTokens: 272_000 }, { inputTokens: 544_000 }];
    expect([model.model, cost(long)]).toEqual([model.model, 4 * cost(short)]);
    const withOutput = (units: object) => cost({ ...units, outputTokens: 1_000_000 }) - cost(units);
    expect([model.model, withOutput(long)]).toEqual([model.model, 1.5 * withOutput(short)]);
  }
});

test("what a call can use at most never costs less than what it uses", () => {
  const price = fc.integer({ min: 0, max: 50_000 });
  const pair = fc.tuple(price, price).map((both) => both.toSorted((a, b) => a - b).map((cents) => `${cents / 100}`));
  const count = fc.integer({ min: 0, max: 1_000_000 });
  const units = fc.record({ inputTokens: count, outputTokens: count });
  const facts = fc.property(count, pair, pair, units, units, (tokens, input, output, used, more) => {
    const table = tableOf(longRows(tokens, input, output));
    const most = {
      inputTokens: used.inputTokens + more.inputTokens,
      outputTokens: used.outputTokens + more.outputTokens,
    };
    return table.costOf(acme, most)! >= table.costOf(acme, used)!;
  });
  fc.assert(facts);
});

test("a model without a row is unpriced", () => {
  const table = tableOf([rowOf({ unit: "second", price: "0.1" })]);
  expect(table.isPriced(acme)).toBe(true);
  expect(table.isPriced({ ...acme, model: "other" })).toBe(false);
  expect(table.costOf({ ...acme, provider: "other" }, { seconds: 1 })).toBeUndefined();
});

test("a row of the operator replaces all rows of its provider and model", () => {
  const rows = PriceRows.parse([
    rowOf({ unit: "input_token_million", price: "1" }),
    rowOf({ unit: "output_token_million", price: "2" }),
    rowOf({ model: "other", unit: "second", price: "3" }),
  ]);
  const own = PriceRows.parse([{ provider: "acme", model: "m", category: "video", unit: "second", price: 0.5 }]);
  expect(replacePrices(rows, own)).toMatchObject([
    { model: "other", price: "3" },
    { model: "m", unit: "second", price: "0.5", currency: "USD" },
  ]);
});

test("every published price has its day and its page", () => {
  const rows = PriceRows.parse(published);
  expect(rows.length).toBeGreaterThan(30);
  for (const { asOf, source } of rows) {
    expect(asOf).not.toBe("1970-01-01");
    expect(source).toStartWith("https://");
  }
});
