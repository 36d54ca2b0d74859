import { withoutEndPunctuation } from "./clauses.ts";
import { colorNotation, colorsIn } from "./colors.ts";
import type { Finding } from "./sentence.ts";
import { anyOf, anyRole } from "./vocabulary.ts";

const maxWords = 10;

const article = new RegExp(`^${anyOf("articles")}\\s+`, "iu");
const pronoun = new RegExp(`^${anyOf("pronouns")}$`, "iu");
const politeStart = new RegExp(`^(?:${anyRole("polite")}\\s+)+`, "iu");
/** German verbs stand at the end: "Neon oder Alkohol zeigen". */
const verbAtEnd = new RegExp(`\\s+(?:(?:zu|bitte|nicht)\\s+)*${anyOf("verbsAtEnd")}$`, "iu");
const notItem = new RegExp(`^${anyOf("stop")}(?![\\p{L}\\p{N}])`, "iu");

const yesAtEnd = new RegExp(`\\s${anyOf("yesAtEnd")}$`, "iu");

export const wordCount = (text: string) => text.split(/\s+/u).length;

/** False for a clause that goes on about something else. */
export const isItem = (text: string) => wordCount(text) <= maxWords && !notItem.test(text) && !yesAtEnd.test(text);

/** The item as a style guide holds it; empty if the text is none. */
function itemIn(text: string): readonly string[] {
  const item = withoutEndPunctuation(text.replace(politeStart, "").replace(verbAtEnd, "")).replace(article, "").trim();
  return item === "" || pronoun.test(item) || wordCount(item) > maxWords ? [] : [item];
}

/** A color to show is also one of the palette. */
export const itemFindings = (field: "include" | "avoid", texts: readonly string[]): readonly Finding[] =>
  texts.flatMap(itemIn).flatMap((value): readonly Finding[] => {
    const hasColor = field === "include" && value.search(colorNotation) >= 0;
    return [{ field, value }, ...(hasColor ? colorsIn(value) : [])];
  });
