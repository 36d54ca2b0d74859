/** Signs of one currency only, and common notations. */
const signs: Readonly<Record<string, string>> = {
  ...{ "€": "EUR", "£": "GBP", "₹": "INR", "₺": "TRY", "₩": "KRW", "₴": "UAH", "₪": "ILS", "₫": "VND", "₱": "PHP" },
  ...{ US$: "USD", A$: "AUD", AU$: "AUD", C$: "CAD", CA$: "CAD", NZ$: "NZD", R$: "BRL", zł: "PLN", Kč: "CZK" },
};

const names = new Set(Intl.supportedValuesOf("currency"));

/** The currency in a text, by its code in any case, or its sign. */
export function currencyOf(text: string): string | undefined {
  const [code] = /(?<!\p{L})\p{L}{3}(?!\p{L})/u.exec(text.trim()) ?? [];
  if (code && names.has(code.toUpperCase())) return code.toUpperCase();
  const sign = text.replaceAll(/[\d\s.,'’–-]/g, "");
  return signs[sign];
}

/**
 * The number in a price in the notations of all countries: `24,90 €`, `1.299,00`, `1,299.00`, `CHF 1'299.–`. Undefined
 * for ambiguous numbers, such as `1.299` in a currency with cents.
 */
export function amountIn(text: string, currency: string | undefined): number | undefined {
  const [found, ...others] = text.match(/\d(?:[\d.,'’ \u00a0\u202f]*\d)?/g) ?? [];
  if (found === undefined || others.length > 0) return undefined;
  const digits = found.replaceAll(/['’ \u00a0\u202f]/g, "");
  const last = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","));
  if (last < 0) return Number(digits);
  const sign = digits[last]!; // safe because it was found there
  const decimals = digits.length - last - 1;
  const isRepeated = digits.indexOf(sign) !== last;
  const hasBoth = digits.includes(sign === "," ? "." : ",");
  const whole = digits.slice(0, last).replaceAll(/[.,]/g, "");
  const asDecimals = Number(`${whole}.${digits.slice(last + 1)}`);
  const asThousands = Number(digits.replaceAll(/[.,]/g, ""));
  if (isRepeated && !hasBoth) return asThousands;
  if (decimals !== 3 || hasBoth || whole === "0") return asDecimals;
  if (sign === "," || centsOf(currency) === 0) return asThousands;
  return centsOf(currency) === 3 ? asDecimals : undefined;
}

function centsOf(currency: string | undefined): number {
  if (currency === undefined) return 2;
  return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
}
