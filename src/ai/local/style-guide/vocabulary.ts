import de from "../content/style-guide/de.json" with { type: "json" };
import en from "../content/style-guide/en.json" with { type: "json" };
import es from "../content/style-guide/es.json" with { type: "json" };
import fr from "../content/style-guide/fr.json" with { type: "json" };
import it from "../content/style-guide/it.json" with { type: "json" };

/** The parts of a brief that people write under a label or heading. */
export const fields = ["tone", "tempo", "colors", "camera", "voice", "include", "avoid"] as const;
export type Field = (typeof fields)[number];

type WordList =
  | "tones"
  | "toneNouns"
  | "toneSubjects"
  | "tempoNouns"
  | "fast"
  | "medium"
  | "slow"
  | "fastWithNoun"
  | "slowWithNoun"
  | "camera"
  | "voice"
  | "notVoice"
  | "colorNouns"
  | "colorQualifiers"
  | "negation"
  | "degree"
  | "filler"
  | "finite"
  | "articles"
  | "pronouns"
  | "prepositions"
  | "and"
  | "or"
  | "but"
  | "inseparable"
  | "notStyle"
  | "stop"
  | "verbsAtEnd"
  | "withoutBeing"
  | "limits"
  | "abbreviations"
  | "particles"
  | "filmWords"
  | "places"
  | "yesAtEnd"
  | "none"
  | "forWhom";

/** The words of one language. A list is separated by ", ", and its entries may be regular expressions. */
export type Vocabulary = { readonly [List in WordList]?: string } & {
  /** Tell whether a text has sentences in this language. */
  readonly functionWords: string;
  /** Patterns of adjectives and what replaces them, so that an entry also matches its inflected forms. */
  readonly endings?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<Field | "prefix", string>>;
  /** Names and the CSS colors that they mean. */
  readonly colors?: Readonly<Record<string, string>>;
  /** The word lists that the templates name. */
  readonly roles: Readonly<Record<string, string>>;
  /** Clauses that look like instructions and are none. */
  readonly ignore?: readonly string[];
  /** Templates of instructions: see `templatePattern`. */
  readonly include: readonly string[];
  readonly avoid: readonly string[];
  /** Instructions only at the start of a sentence or in a sentence about style. */
  readonly weakInclude: readonly string[];
  readonly weakAvoid: readonly string[];
};

export const vocabularies: readonly Vocabulary[] = [en, de, es, fr, it];

export const wordsOf = (list: string): readonly string[] => list.split(", ");

/** Alternatives of a regular expression, the longest first. */
export const anyWord = (words: readonly string[]): string =>
  words.length === 0 ? "(?!)" : `(?:${words.toSorted((a, b) => b.length - a.length).join("|")})`;

/** The pattern of roles in all languages. */
export const anyRole = (...names: readonly string[]): string =>
  anyWord(vocabularies.flatMap(({ roles }) => names.flatMap((name) => (roles[name] ? wordsOf(roles[name]) : []))));

/** Matches whole words in any script; `\b` knows only ASCII letters. */
export const wholeWord = (pattern: string, flags = "iu") =>
  new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, flags);

/** An entry with the endings that its language gives adjectives. */
export function inflected(word: string, { endings = {} }: Vocabulary): string {
  const ending = Object.keys(endings).find((pattern) => new RegExp(pattern, "u").test(word));
  return ending === undefined ? word : word.replace(new RegExp(ending, "u"), endings[ending]!);
}

const adjectives: readonly WordList[] = [
  "tones",
  "fast",
  "medium",
  "slow",
  "fastWithNoun",
  "slowWithNoun",
  "colorQualifiers",
];

/** A list's patterns in one language. */
const patternsOf = (list: WordList, vocabulary: Vocabulary): readonly string[] => {
  const words = vocabulary[list] === undefined ? [] : wordsOf(vocabulary[list]);
  return adjectives.includes(list) ? words.map((word) => inflected(word, vocabulary)) : words;
};

/** The pattern of lists in all languages. */
export const anyOf = (...lists: readonly WordList[]): string =>
  anyWord(vocabularies.flatMap((vocabulary) => lists.flatMap((list) => patternsOf(list, vocabulary))));
