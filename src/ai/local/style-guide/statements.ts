import { cleanLines, sentencesOf } from "../../../domain/shared/texts.ts";
import { anyOf, anyWord, type Field, fields, vocabularies, wordsOf } from "./vocabulary.ts";

/** A sentence, or what stands under a label or heading. */
export type Statement = {
  /** The label that it stands under. */
  readonly field: Field | undefined;
  readonly text: string;
  readonly isListItem: boolean;
};

const labelWords = (name: Field | "prefix") => vocabularies.flatMap(({ labels }) => wordsOf(labels?.[name] ?? "(?!)"));

const anyLabel = fields.map((field) => `(?<${field}>${anyWord(labelWords(field))})`).join("|");

const label = `(?:${anyWord(labelWords("prefix"))}\\s+)?(?:${anyLabel})(?:\\s*\\([^)]{0,40}\\))?`;

/** A label with its value: "Tone: warm", "TEMPO = fast", "Camera – handheld". */
const labelledLine = new RegExp(`^${label}\\s*(?:[:=;：]|\\s[-–—>]+(?=\\s))\\s*(?<value>\\S.*)?$`, "iu");

/** A label alone on its line, with its end marks. */
const heading = new RegExp(`^${label}\\s*[:.!?]*$`, "iu");

/** A label inside a line: "Tone: warm | Tempo: slow". */
const inlineLabel = new RegExp(`(?<=[,;|/•·.!?]\\s*)(?=${label.replace(/\?<\w+>/g, "?:")}\\s*[:=])`, "giu");

const bullet = /^\s*(?:[-*•·–—+▪◦‣>]|\d{1,2}[.)]|\[[ x]?\])\s+/iu;
const markdown = /^\s*#+\s*|\*\*|__|`/gu;
const checkMark = /^[\s\-*•]*(?:✅|✔️?|☑️?|👍|✓)\s*/u;
const crossMark = /^[\s\-*•]*(?:❌|✖️?|🚫|👎|✗|✘|⛔️?)\s*/u;

/** The fields of a web page that `pageText` writes; its names say nothing about style. */
const pageName = /^(?:title|site):/i;
const pageDescription = /^description:\s*/i;

type Line = Statement & { readonly isEmpty: boolean; readonly opensList: boolean };

type PlacedLine = Statement & { readonly isUnderHeading: boolean };

/** Reads a text as statements, each with the label or heading that it stands under. */
export function statementsOf(text: string): readonly Statement[] {
  const normalized = cleanLines(text).normalize("NFC").replaceAll("’", "'");
  const lines = normalized
    .split("\n")
    .filter((line) => !pageName.test(line))
    .flatMap((line) => line.replace(pageDescription, "").split(inlineLabel))
    .map(readLine);
  return underHeadings(lines).flatMap(sentencesIn);
}

function readLine(line: string): Line {
  const marked = checkMark.test(line) ? "include" : crossMark.test(line) ? "avoid" : undefined;
  const isListItem = marked !== undefined || bullet.test(line);
  const bare = line.replace(checkMark, "").replace(crossMark, "").replace(markdown, "").replace(bullet, "").trim();
  const { field, value } = readLabel(bare);
  const text = field === undefined ? bare : value;
  return {
    field: field ?? marked,
    text,
    isListItem: isListItem && field === undefined,
    isEmpty: bare === "",
    opensList: field !== undefined && value === "",
  };
}

/** The field of a line's label and the rest of the line. */
function readLabel(line: string): { field: Field | undefined; value: string } {
  const { value = "", ...groups } = (labelledLine.exec(line) ?? heading.exec(line))?.groups ?? {};
  return { field: fields.find((field) => groups[field] !== undefined), value };
}

const isOtherHeading = ({ text, isListItem }: Line) => !isListItem && /:$/u.test(text);

/** Gives each line the field of the heading above it: for the list that follows, or for one paragraph. */
function underHeadings(lines: readonly Line[]): readonly PlacedLine[] {
  let current: Field | undefined;
  let previous: Line | undefined;
  return lines.flatMap((line) => {
    if (line.opensList) current = line.field;
    else if (endsScope(line, previous)) current = undefined;
    if (!line.isEmpty) previous = line;
    else if (previous && !previous.opensList && !previous.isListItem) current = undefined;
    return line.text === "" || isOtherHeading(line) ? [] : [place(line, current)];
  });
}

const place = (line: Line, heading: Field | undefined): PlacedLine => ({
  ...line,
  field: line.field ?? heading,
  isUnderHeading: line.field === undefined && heading !== undefined,
});

function endsScope(line: Line, previous: Line | undefined): boolean {
  if (line.isEmpty) return false;
  return line.field !== undefined || isOtherHeading(line) || (previous?.isListItem === true && !line.isListItem);
}

/** Before a small letter, where the segmenter does not split. */
const sentenceEnd = new RegExp(`(?<!(?<!\\p{L})${anyOf("abbreviations")})(?<=\\p{L}[.!?]+)\\s+(?=\\p{Ll})`, "iu");

/** A list item stays whole. A label on the line is only that of its first sentence; a heading that of all. */
function sentencesIn({ field, text, isListItem, isUnderHeading }: PlacedLine): readonly Statement[] {
  const sentences = isListItem ? [text] : sentencesOf(text).flatMap((sentence) => sentence.split(sentenceEnd));
  // a list of hex colors may hold no letter
  return (sentences.length === 0 ? [text] : sentences).map((sentence, index) => ({
    field: index === 0 || isUnderHeading ? field : undefined,
    text: sentence,
    isListItem,
  }));
}
