/** An amount of money: whole millionths of a US dollar. Never a float. */
export type Micros = bigint;

export const currency = "USD";

const microsPerUnit = 1_000_000n;

/** Decimal places of prices: a token costs much less than a millionth. */
const priceDecimals = 12;

const decimal = /^(\d{1,15})(?:\.(\d+))?$/;

/** Scales a decimal to a whole number; undefined if it is not a decimal or has more places. */
function scaled(value: string | number, places: number): bigint | undefined {
  const [, whole, fraction = ""] = decimal.exec(String(value)) ?? [];
  if (whole === undefined || fraction.length > places) return undefined;
  return BigInt(whole + fraction.padEnd(places, "0"));
}

/** Undefined for a value that is not an amount with at most six decimals. */
export const parseAmount = (value: string | number): Micros | undefined => scaled(value, 6);

/** Prints two to six decimals, for answers. */
export function formatAmount(micros: Micros): string {
  const sign = micros < 0n ? "-" : "";
  const size = micros < 0n ? -micros : micros;
  const fraction = `${size % microsPerUnit}`.padStart(6, "0").replace(/0{1,4}$/, "");
  return `${sign}${size / microsPerUnit}.${fraction}`;
}

/** A price per unit in 10^-12 dollars. */
type Price = bigint;

export const parsePrice = (value: string | number): Price | undefined => scaled(value, priceDecimals);

/** Converts a quantity, such as seconds, to whole millionths, rounded up. */
export const millionthsOf = (quantity: number): bigint => BigInt(Math.ceil(quantity * 1_000_000 - 1e-6));

const divisor = 10n ** BigInt(priceDecimals);

/** `millionths` of a quantity at a price for each `per` of it: an exact sum of parts is rounded up once. */
export type CostPart = { readonly price: Price; readonly millionths: bigint; readonly per: bigint };

export function roundedCost(parts: readonly CostPart[]): Micros {
  const common = parts.reduce((product, { per }) => product * per, 1n);
  // price × millionths is in 10^-18 dollars: a millionth of a dollar is 10^12 of it
  const sum = parts.reduce((total, { price, millionths, per }) => total + (price * millionths * common) / per, 0n);
  const whole = divisor * common;
  return (sum + whole - 1n) / whole;
}

export const sumOf = (amounts: readonly Micros[]): Micros => amounts.reduce((sum, amount) => sum + amount, 0n);
