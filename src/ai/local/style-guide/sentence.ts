import { type Clause, clausesOf } from "./clauses.ts";
import type { InstructionFinder } from "./templates.ts";
import { anyOf, type Field, wholeWord } from "./vocabulary.ts";

/** What one statement says about one field. */
export type Finding = {
  readonly field: Field;
  readonly value: string;
  /** Stands under a label or heading. */
  readonly isLabelled?: boolean;
  /** The text says that the value does not apply. */
  readonly isDenied?: boolean;
};

export type Part = Clause & {
  /** Its neighbors between stronger punctuation have no finite verb: a list, not a statement. */
  readonly isFragment: boolean;
};

export type Sentence = {
  readonly text: string;
  readonly parts: readonly Part[];
  /** It is about the brand, a film or their mood. */
  readonly isAboutStyle: boolean;
  readonly findInstruction: InstructionFinder;
};

/** The clauses that a rule has read, and what they say. */
export type Reading = { readonly findings: readonly Finding[]; readonly used: readonly Part[] };

/** Reads the clauses that no earlier rule has used. */
export type Rule = (sentence: Sentence, open: readonly Part[]) => Reading;

const finiteVerb = wholeWord(anyOf("finite"));
const styleSubject = wholeWord(anyOf("toneSubjects"));

export function parseSentence(text: string, findInstruction: InstructionFinder): Sentence {
  const clauses = clausesOf(text);
  const segments = segmentNumbers(clauses);
  const withVerb = new Set(clauses.flatMap((clause, index) => (finiteVerb.test(clause.text) ? segments[index]! : [])));
  const parts = clauses.map((clause, index) => ({ ...clause, isFragment: !withVerb.has(segments[index]!) }));
  return { text, parts, isAboutStyle: styleSubject.test(text), findInstruction };
}

/** For each clause, the number of strong separators before it. */
function segmentNumbers(clauses: readonly Clause[]): readonly number[] {
  let segment = 0;
  return clauses.map(({ joint }) => {
    if (joint === "stop" || joint === "colon") segment++;
    return segment;
  });
}

const helperWords = wholeWord(anyOf("degree", "filler", "negation", "articles", "prepositions"), "giu");

export const withoutHelperWords = (text: string): string => text.replace(helperWords, " ").trim();

/** A longer clause says more. Spares the search for a thousand words in each clause of a page. */
const maxCharacters = 60;

/** True if a clause has matches of the pattern, and otherwise only helper words. The pattern needs the flag g. */
export const consistsOf = (text: string, pattern: RegExp): boolean => {
  if (text.length > maxCharacters) return false;
  const rest = text.replace(pattern, " ");
  return rest !== text && !/[\p{L}\p{N}]/u.test(withoutHelperWords(rest));
};

const negationWord = wholeWord(anyOf("negation"));

/** True if a negation precedes the position in the clause. */
export const isNegatedBefore = (text: string, position: number): boolean => negationWord.test(text.slice(0, position));
