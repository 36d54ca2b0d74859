/** Control characters, bidirectional controls, private-use code points and zero-width characters. */
const invisible = /[\p{Cc}\p{Co}\p{Cs}\u200b\u202a-\u202e\u2066-\u2069\ufeff]/gu;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Cleans a model's text: one line of at most `maxCharacters` graphemes, cut between words if possible. */
export function cleanText(text: string, maxCharacters: number): string {
  // bounds the work on an oversized text
  const line = text
    .slice(0, maxCharacters * 16)
    .replace(/\s+/gu, " ")
    .replace(invisible, "")
    .trim();
  const pieces = [...graphemes.segment(line)];
  if (pieces.length <= maxCharacters) return line;
  const cut = line.slice(0, pieces[maxCharacters - 1]!.index); // safe because there are more than maxCharacters pieces
  const lastSpace = cut.lastIndexOf(" ");
  return `${(lastSpace > cut.length * 0.6 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`;
}

const emptyWords = /^(null|none|nil|n\/?a|no text|-+|–|—|\.)?$/i;

/** Like `cleanText`, but null if the text is missing or means "nothing", such as "n/a". */
export function textOrNull(text: string | null | undefined, maxCharacters: number): string | null {
  const line = cleanText(text ?? "", maxCharacters);
  return emptyWords.test(line) ? null : line;
}

/** Cleans a text but keeps its lines: removes invisible characters and trailing spaces, normalises line breaks. */
export const cleanLines = (text: string): string =>
  text
    .replace(/\r\n?|\p{Zl}|\p{Zp}/gu, "\n")
    .split("\n")
    .map((line) => line.replace(/\t/g, " ").replace(invisible, "").trimEnd())
    .join("\n")
    .trim();

export const capitalize = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** Counts words by Unicode segmentation, also in languages without spaces between words. */
export const countWords = (text: string): number => {
  const words = new Intl.Segmenter(undefined, { granularity: "word" });
  return [...words.segment(text)].filter(({ isWordLike }) => isWordLike).length;
};

/** No sentence ends between a number and a small word or before a price: "In a mill. 200 walls", "In Leeds. £18". */
const beforeNumber =
  /(?<=[\p{L}\p{N}]{2}[.!?])(?<!(?<!\p{L})(?:approx|circa|zirka|ca|max|min|vol|fig|art|tel|inkl|zzgl|abs|nr|no|st)\.)\s+(?=\p{Sc}\s?\p{N}|(?<=\p{L}{3}[.!?]\s+)\p{N})/iu;

/** The dot of a date, which ends no sentence: "am 3. Mai". */
const day = /(?<=(?<!\p{N})\p{N}{1,2})\.(?=\s(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)\p{L}*(?!\p{L}))/giu;
/** Replaces such a dot: a character that no cleaned text has. */
const dot = "\ue000";

/** The point of an abbreviation: of a title, before a number, or inside a sentence. */
const abbreviation =
  /(?<![\p{L}\p{N}])(?:(?:Dr|Prof|Mr|Mrs|Ms|St|Mme|Mlle|Sr|Sra|Srta|Dra|Dott|Dipl|Ing|Hl)\.(?=\s*\p{L})|(?:Nr|No|Art|Abs|Tel|ca|approx|env)\.(?=\s*\p{N})|(?:bzw|inkl|zzgl|usw|etc|incl|vs|Inc|Ltd|Co|z\.\s?B|d\.\s?h|e\.g|i\.e)\.(?=\s*\p{Ll}))/gu;

const numbers = ["1١①", "2٢②", "3٣③", "4٤④", "5٥⑤"];
const numbered =
  /(?:(?<=^|[\s:：.。])\(?(?:(?:step|schritt|étape|etapa|paso|passo|шаг|الخطوة|ステップ)\s*)?[1-5١-٥][.):：、](?=\s|$|\p{L})|[①-⑤])\s*/giu;

/** A longer text between two numbers is no step. */
const maxStep = 80;

type Mark = { readonly start: number; readonly end: number };

/** The numbers before steps, which follow each other from one on; none if there are fewer than two steps. */
export function stepMarks(text: string): readonly Mark[] {
  const marks: Mark[] = [];
  for (const { 0: all, index } of text.matchAll(numbered)) {
    const isNext = [...(numbers[marks.length] ?? "")].some((number) => all.includes(number));
    const last = marks.at(-1);
    const step = last ? text.slice(last.end, index).trim() : "step";
    // a step is one sentence
    if (isNext && step !== "" && step.length <= maxStep && !/[.!?。！？]\s*\S|\n/u.test(step)) {
      marks.push({ start: index, end: index + all.length });
    }
  }
  return marks.length < 2 ? [] : marks;
}

/** A text without the numbers of its steps. */
export const withoutStepMarks = (text: string): string =>
  stepMarks(text).reduceRight((rest, { start, end }) => `${rest.slice(0, start)} ${rest.slice(end)}`, text);

/** Steps as one sentence: without the points and the breaks that would part them. */
const joinSteps = (text: string): string =>
  stepMarks(text).reduceRight((rest, { start, end }, at) => {
    const mark = rest.slice(start, end).trim().replace(".", dot);
    const before = rest.slice(0, start).trimEnd();
    const open = at === 0 ? before : before.replace(/[.。!！]$/u, (sign) => (sign === "." ? dot : ""));
    return `${open}${before && " "}${mark} ${rest.slice(end)}`;
  }, text);

/** Hides the points that end no sentence; `withPoints` restores them. */
export const withoutPoints = (text: string): string =>
  joinSteps(text.replace(day, dot).replace(abbreviation, (short) => short.replaceAll(".", dot)));

export const withPoints = (text: string): string => text.replaceAll(dot, ".");

/** Splits a text into sentences, each on one line. */
export const sentencesOf = (text: string): readonly string[] => {
  const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });
  // collapses spaces first: the split pattern would backtrack quadratically on a long run of spaces
  const spaced = withoutPoints(cleanLines(text).replace(/[^\S\n]+/gu, " "));
  const lines = spaced.split(/\n+|(?<=[。！？])| [•·] |^[-*•·] /mu);
  return lines
    .flatMap((line) => [...sentences.segment(line)])
    .flatMap(({ segment }) => segment.split(beforeNumber))
    .map((sentence) => withPoints(sentence).trim())
    .filter((sentence) => /\p{L}|\p{Sc}\s?\p{N}|\p{N}\s?[\p{Sc}%]/u.test(sentence));
};

/** Cells that a spreadsheet would read as a formula. */
const formula = /^[=+\-@\t\r]/;

/** Starts of cells in programs that use another separator; none if the line begins with quotes. */
const innerFormula = /(?<=[;\t\r\n]\s*)(?=[=+\-@])/g;

function cellOf(text: string, at: number): string {
  const safe = formula.test(text) ? `'${text}` : text;
  const inner = at === 0 ? safe : safe.replaceAll(innerFormula, "'");
  return /[",;\t\r\n]/.test(inner) ? `"${inner.replaceAll('"', '""')}"` : inner;
}

/** A line of RFC 4180 with its line break. Formulas get an apostrophe in front, also where `;` separates cells. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cellOf).join(",")}\r\n`;
