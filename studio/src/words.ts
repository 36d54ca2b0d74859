import { signal } from "@preact/signals";
import type en from "./words/en.json";

export type Word = keyof typeof en;
type Words = Readonly<Record<Word, string>>;

export const languages = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof languages;

/** The languages that the page offers for films. */
export const filmLanguages = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr", "ar", "ja", "zh"];

const words = signal<Words | undefined>(undefined);
export const language = signal<Language>("en");

const storageKey = "reelwright.language";

const isLanguage = (name: string | null | undefined): name is Language => name != null && name in languages;

/** The chosen language, else the first supported one of the browser. */
function preferredLanguage(): Language {
  try {
    const chosen = localStorage.getItem(storageKey);
    if (isLanguage(chosen)) return chosen;
  } catch {
    // a browser without cookies stores nothing, which is fine for reviewers
  }
  return navigator.languages.map((tag) => tag.split("-")[0]).find(isLanguage) ?? "en";
}

export async function loadWords(name: Language = preferredLanguage()): Promise<void> {
  const url = document.body.dataset[name] ?? "";
  words.value = await (await fetch(url)).json();
  language.value = name;
  document.documentElement.lang = name;
}

export async function chooseLanguage(name: Language): Promise<void> {
  await loadWords(name);
  try {
    localStorage.setItem(storageKey, name);
  } catch {
    // as above
  }
}

/** The text in the page's language, with `{name}` filled in. */
export function t(word: Word, values: Readonly<Record<string, string | number>> = {}): string {
  const text = words.value?.[word] ?? "";
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}

export const dateText = (milliseconds: number): string =>
  new Intl.DateTimeFormat(language.value, { dateStyle: "medium", timeStyle: "short" }).format(milliseconds);

/** Minutes and seconds of a position in a film, with tenths. */
export function timeText(seconds: number): string {
  const tenths = Math.floor(seconds * 10 + 0.001);
  const [minutes, rest] = [Math.floor(tenths / 600), tenths % 600];
  return `${minutes}:${String(Math.floor(rest / 10)).padStart(2, "0")}.${rest % 10}`;
}

export const moneyText = (amount: string, currency: string): string =>
  new Intl.NumberFormat(language.value, { style: "currency", currency, maximumFractionDigits: 4 }).format(
    Number(amount),
  );

/** Names of languages in the page's language. */
export const languageName = (tag: string): string =>
  new Intl.DisplayNames([language.value], { type: "language" }).of(tag) ?? tag;

/** Joins names in the way of the page's language. */
export const listText = (names: readonly string[]): string =>
  new Intl.ListFormat(language.value, { type: "unit" }).format(names);

const units = ["kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** Bytes in the unit that gives a short number. */
export function sizeText(bytes: number): string {
  const at = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3) - 1));
  const options = { style: "unit", unit: units[at], maximumFractionDigits: at > 0 ? 1 : 0 } as const;
  return new Intl.NumberFormat(language.value, options).format(bytes / 1000 ** (at + 1));
}

export const numberText = (value: number): string => new Intl.NumberFormat(language.value).format(value);

/** A day such as `2026-11-24`. */
export const dayText = (day: string): string =>
  new Intl.DateTimeFormat(language.value, { dateStyle: "medium", timeZone: "UTC" }).format(new Date(day));
