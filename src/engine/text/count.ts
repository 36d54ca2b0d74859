import { once } from "../../platform/async.ts";

/**
 * The text with its first number on the way from `from` to its own value; `progress` is 0..1. The number keeps its
 * decimals, its separators and its digits. `language` is a BCP 47 tag: it tells what the point in 1.234 is.
 */
export function countedText(text: string, from: number, progress: number, language?: string): string {
  const number = findNumber(text, language);
  if (!number || progress >= 1) return text;
  const begin = Math.min(maxStart, Math.max(-maxStart, from));
  const value = begin + (number.value - begin) * Math.max(0, progress);
  return text.slice(0, number.start) + written(value, number) + text.slice(number.end);
}

/** Where the number that counts lies in a text, as indices. */
export function countedRange(text: string, language?: string): { start: number; end: number } | undefined {
  const number = findNumber(text, language);
  return number && { start: number.start, end: number.end };
}

type FoundNumber = {
  readonly start: number;
  readonly end: number;
  readonly value: number;
  readonly minus: string;
  /** The digits of each group before the decimals. */
  readonly groups: readonly string[];
  readonly groupSign: string;
  readonly decimalSign: string;
  readonly decimals: string;
  /** The code point of the zero. */
  readonly zero: number;
};

/** Beyond, numbers are not written exactly. */
const maxStart = 1e15;
const maxDigits = 15;

const minus = "(?<minus>(?<![\\p{L}\\p{N}])[-\\u2212])?";
const grouped =
  "\\p{Nd}{1,3}(?<sign>[.,'’_\\u0020\\u00A0\\u2009\\u202F\\u066C])(?:\\p{Nd}{2,3}\\k<sign>)*\\p{Nd}{3}(?!\\p{Nd}|\\k<sign>\\p{Nd})";
const decimal = "(?:(?<point>(?!\\k<sign>)[.,\\u066B])(?<decimals>\\p{Nd}+)(?![.,]?\\p{Nd}))?";
const numbers = new RegExp(
  `${minus}(?:(?<grouped>${grouped})${decimal}|(?<plain>\\p{Nd}+)${decimal.replace("(?!\\k<sign>)", "").replaceAll(/<(point|decimals)>/g, "<plain_$1>")})`,
  "gu",
);

function findNumber(text: string, language: string | undefined): FoundNumber | undefined {
  for (const match of text.matchAll(numbers)) {
    const found = parse(match.groups ?? {}, language);
    if (found) return { ...found, start: match.index, end: match.index + match[0].length };
  }
  return undefined;
}

type Parts = { readonly [name: string]: string | undefined };

function parse(parts: Parts, language: string | undefined): Omit<FoundNumber, "start" | "end"> | undefined {
  const { minus: sign = "", sign: separator = "", ...rest } = parts;
  const whole = rest.grouped ?? rest.plain ?? "";
  const groups = separator ? whole.split(separator) : [whole];
  const written = {
    groups,
    decimalSign: rest.point ?? rest.plain_point ?? "",
    decimals: rest.decimals ?? rest.plain_decimals ?? "",
  };
  const { decimalSign, decimals } = isOneDecimal(groups, separator, written.decimals, language)
    ? { decimalSign: separator, decimals: groups[1]! }
    : written;
  const own = decimalSign === separator && separator ? groups.slice(0, 1) : groups;
  const digits = own.join("") + decimals;
  const zero = zeroOf(digits);
  if (zero === undefined || [...digits].length > maxDigits) return undefined;
  const size = Number(`${asciiDigits(own.join(""), zero)}.${asciiDigits(decimals, zero)}0`);
  const groupSign = own.length > 1 ? separator : "";
  return { value: sign ? -size : size, minus: sign, groups: own, groupSign, decimalSign, decimals, zero };
}

/** True for one sign before three digits, if it is the language's decimal sign. */
function isOneDecimal(
  groups: readonly string[],
  sign: string,
  decimals: string,
  language: string | undefined,
): boolean {
  if (groups.length !== 2 || decimals || !/[.,]/.test(sign)) return false;
  return /^[0\u0660\u06F0\u0966]$/u.test(groups[0]!) || sign === decimalSignIn(language);
}

function decimalSignIn(language: string | undefined): string {
  try {
    const parts = new Intl.NumberFormat(language ?? "en", { numberingSystem: "latn" }).formatToParts(1.5);
    return parts.find(({ type }) => type === "decimal")?.value ?? ".";
  } catch {
    // not a language
    return ".";
  }
}

/** The code points of the zeros of all systems of ten digits in a row. */
const zeros = once(() =>
  Intl.supportedValuesOf("numberingSystem")
    .map((numberingSystem) => new Intl.NumberFormat("en", { numberingSystem }).format(0))
    .filter((zero) => /^\p{Nd}$/u.test(zero))
    .map((zero) => zero.codePointAt(0)!),
);

/** The zero of a number's digits; undefined if they are of several systems. */
function zeroOf(digits: string): number | undefined {
  const points = Array.from(digits, (digit) => digit.codePointAt(0)!);
  return zeros().find((zero) => points.every((point) => point >= zero && point < zero + 10));
}

const asciiDigits = (digits: string, zero: number): string =>
  Array.from(digits, (digit) => String(digit.codePointAt(0)! - zero)).join("");

function written(value: number, { groups, groupSign, decimalSign, decimals, zero, minus: sign }: FoundNumber): string {
  const [whole = "0", fraction = ""] = Math.abs(value)
    .toFixed([...decimals].length)
    .split(".");
  const isNegative = value < 0 && /[1-9]/.test(whole + fraction);
  // a number with zeros before it keeps its length
  const length = asciiDigits(groups[0]!, zero).startsWith("0") ? [...groups.join("")].length : 1;
  const digits = regroup(whole.padStart(length, "0"), groupSign, groups) + (fraction && decimalSign + fraction);
  const own = digits.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)));
  return isNegative ? (sign || "\u2212") + own : own;
}

/** Groups digits from the right as the number was; its second group repeats at the left. */
function regroup(whole: string, sign: string, groups: readonly string[]): string {
  if (sign === "") return whole;
  const lengths = groups
    .slice(1)
    .map((group) => [...group].length)
    .toReversed();
  const pieces: string[] = [];
  let rest = whole;
  for (let index = 0; rest !== ""; index++) {
    const length = lengths[Math.min(index, lengths.length - 1)]!;
    pieces.unshift(rest.slice(-length));
    rest = rest.slice(0, -length);
  }
  return pieces.join(sign);
}
