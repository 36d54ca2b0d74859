import type { Amount } from "../../ai/scene-design.ts";
import { figureIn, listIn, titleOf } from "./layouts.ts";

const maxCounted = 60;
const maxBeside = 12;

/** An amount that dots can show: a number, a day of the week, a month, or the items of a list. */
export function amountIn(text: string): Amount | undefined {
  const title = titleOf(text);
  return dateIn(title) ?? numberIn(title) ?? spelledIn(title) ?? listedIn(title);
}

/** A count, or a percentage. */
function numberIn(title: string): Amount | undefined {
  const { number = "", after = "" } = figureIn(title, maxBeside) ?? {};
  const value = Number.parseFloat(number.replace(",", "."));
  if (/^\p{N}[\p{N}.,]*\s?%$/u.test(number) && value > 0 && value <= 100)
    return { filled: Math.floor(value), total: 100 };
  const isCount = /^\d{1,2}$/.test(number) && after !== "" && value >= 2 && value <= maxCounted;
  return isCount ? { filled: value, total: value } : undefined;
}

const patternsOf = (words: string): readonly RegExp[] =>
  words.split(" ").map((forms) => new RegExp(`(?<!\\p{L})(?:${forms})(?!\\p{L})`, "iu"));

const days = patternsOf(
  "mondays?|montags? tuesdays?|dienstags? wednesdays?|mittwochs? thursdays?|donnerstags? fridays?|freitags? saturdays?|samstags? sundays?|sonntags?",
).map((day, at) => new RegExp(`${day.source}|(?:ال)?${arabicDays()[at]}|${"月火水木金土日"[at]}曜`, "iu"));

function arabicDays(): readonly string[] {
  return ["[إا]ثنين", "ثلاثاء", "[أا]ربعاء", "خميس", "جمعة", "سبت", "[أا]حد(?=\\s|$)"];
}

const months = patternsOf(
  "january|januar|يناير february|februar|فبراير march|märz|مارس april|أبريل (?<=in\\s)may|mai|مايو june|juni|يونيو july|juli|يوليو august|أغسطس september|سبتمبر october|oktober|أكتوبر november|نوفمبر december|dezember|ديسمبر",
).map((month, at) => new RegExp(`${month.source}|(?<![十\\d])(?:${at + 1}|${kanjiOf(at + 1)})月(?!曜)`, "iu"));

function kanjiOf(value: number): string {
  return value > 10 ? `十${"一二"[value - 11]}` : "一二三四五六七八九十"[value - 1]!; // safe: 1 to 10
}

/** The only day or month in a text, among the others. */
function dateIn(title: string): Amount | undefined {
  for (const names of [days, months]) {
    const named = names.flatMap((name, at) => (name.test(title) ? [at] : []));
    if (named.length === 1) return { first: named[0]!, filled: 1, total: names.length };
  }
  return undefined;
}

/** Numbers from two up. */
const spelled = patternsOf(
  "two|zwei three|drei|ثلاثة?|ثلاث four|vier|أربعة? five|fünf|خمسة? six|sechs|ستة? seven|sieben|سبعة? eight|acht|ثماني(?:ة)? nine|neun|تسعة? ten|zehn|عشرة? eleven|elf twelve|zwölf",
).map((word, at) => {
  const counters = "(?=[年日時分秒個本人回歳種色つかヶ週])";
  return new RegExp(`${word.source}|(?<![十一二三四五六七八九])${kanjiOf(at + 2)}${counters}`, "iu");
});

function spelledIn(title: string): Amount | undefined {
  const found = spelled.flatMap((word, at) => (word.test(title) ? [at + 2] : []));
  return found.length === 1 ? { filled: found[0]!, total: found[0]! } : undefined;
}

const denied = /^(?:no|without|zero|kein\p{L}*|ohne|nie|sans|sin|senza|sem|без|بلا|بدون|لا)\s|なし$|ゼロ$/iu;

/** The items of a list, crossed out if each is a missing one. */
function listedIn(title: string): Amount | undefined {
  const { items = [title] } = listIn(title) ?? {};
  const isDenied = items.every((item) => denied.test(item));
  if (items.length === 1 && !isDenied) return undefined;
  return { filled: items.length, total: items.length, ...(isDenied && { isCrossed: true }) };
}
