import type { Card } from "./card.ts";
import { unquoted } from "./css.ts";

/** Families that stand for those of the system, which has none here. */
const generic: ReadonlySet<string> = new Set([
  ...["serif", "sans-serif", "monospace", "cursive", "fantasy", "system-ui", "emoji", "math", "fangsong"],
  ...["ui-serif", "ui-sans-serif", "ui-monospace", "ui-rounded", "-apple-system", "blinkmacsystemfont"],
  ...["inherit", "initial", "unset", "revert", "revert-layer"],
]);

/** The families that a value of `font-family` names, except generic ones. */
export const familiesIn = (value: string): readonly string[] =>
  value
    .split(",")
    .map((name) => unquoted(name.trim()))
    .filter((name) => name !== "" && !generic.has(name.toLowerCase()) && !name.includes("var("));

/** The families that a card names, in lower case. */
export const namedFamilies = ({ declarations }: Card): readonly string[] => [
  ...new Set(
    declarations
      .filter(({ property }) => property === "font-family" || /^--.*(?:font|family|face)/i.test(property))
      .flatMap(({ value }) => familiesIn(value).map((name) => name.toLowerCase())),
  ),
];
