import { anyOf } from "./vocabulary.ts";

/** What stands between a clause and the one before it. */
export type Joint = "start" | "comma" | "and" | "or" | "but" | "colon" | "stop";

/** A part of a sentence between punctuation marks and conjunctions, with its place in the sentence. */
export type Clause = {
  readonly index: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly joint: Joint;
  /** The word before it denies it: "neither fast nor slow", "warm without being sweet". */
  readonly isDenied: boolean;
};

// a comma between parentheses or digits belongs to a color or a number
const comma = "\\s*[,、،](?!\\d)(?![^()]*\\))\\s*";
const conjunction = (name: string, pattern: string) => `(?:${comma}|\\s+)(?<${name}>${pattern})\\s+`;

const separator = new RegExp(
  [
    `(?<stop>\\s*(?:;|…|\\.{3}|[!?¡¿|·•]+|(?<!(?<!\\p{L})\\p{L})\\.(?=\\s))\\s*|\\s+[-–—/>]+\\s+|\\s*[–—]\\s*)`,
    "(?<colon>\\s*:\\s+)",
    conjunction("without", anyOf("withoutBeing")),
    conjunction("but", anyOf("but")),
    conjunction("or", anyOf("or")),
    conjunction("and", `(?:${anyOf("and")}|[&+])`),
    `(?<comma>${comma})`,
  ].join("|"),
  "giu",
);

const denyingConjunction = /^(?:nor|noch|ni|né)$/iu;

const joints = ["stop", "colon", "but", "or", "and", "comma"] as const;

const inseparable = new RegExp(anyOf("inseparable"), "giu");

/** Splits a sentence into its clauses, in order. */
export function clausesOf(sentence: string): readonly Clause[] {
  // a word joiner keeps the length and hides the conjunction
  const text = sentence.replace(inseparable, (words) => words.replaceAll(" ", "\u2060"));
  const found = [...text.matchAll(separator)];
  const starts = [0, ...found.map((match) => match.index + match[0].length)];
  const ends = [...found.map((match) => match.index), text.length];
  return starts
    .map((start, index) => ({
      text: withoutEndPunctuation(sentence.slice(start, ends[index])),
      start,
      end: ends[index]!,
      ...jointOf(found[index - 1]?.groups ?? {}),
    }))
    .filter((clause) => /[\p{L}\p{N}]/u.test(clause.text))
    .map((clause, index) => ({ ...clause, index }));
}

const jointOf = (found: Readonly<Record<string, string | undefined>>): Pick<Clause, "joint" | "isDenied"> =>
  found.without === undefined
    ? {
        joint: joints.find((name) => found[name] !== undefined) ?? "start",
        isDenied: denyingConjunction.test(found.or ?? ""),
      }
    : { joint: "but", isDenied: true };

export const startsSentence = ({ joint }: Clause): boolean =>
  joint === "start" || joint === "stop" || joint === "colon";

export const isJoined = ({ joint }: Clause): boolean => joint === "and" || joint === "or" || joint === "comma";

/** Groups of clauses that stand next to each other. */
export function runsOf<C extends Clause>(clauses: readonly C[]): readonly (readonly C[])[] {
  const runs: C[][] = [];
  for (const clause of clauses) {
    const last = runs.at(-1);
    if (last && last.at(-1)!.index === clause.index - 1) last.push(clause);
    else runs.push([clause]);
  }
  return runs;
}

/** Also without quotation marks around the whole text. */
export function withoutEndPunctuation(text: string): string {
  const bare = text.replace(/^[\s*_¡¿]+|[\s*_.!?,;:]+$/gu, "");
  return /^["'“”„«»‘]([^"“”„«»]*)["'“”«»’]$/u.exec(bare)?.[1] ?? bare;
}
