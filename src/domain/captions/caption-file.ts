import { parseText, tokenizeVTTCue, type VTTCue, type VTTNode } from "media-captions";
import { DomainError } from "../../errors.ts";
import { fieldSentence } from "../../platform/field-sentences.ts";
import { type SpokenWord, timeWords, wordsOf } from "../../timeline/captions/words.ts";
import { amount } from "../shared/issue-messages.ts";

/** A cue of a caption file: its lines as its author broke them, and its words with the times that they share. */
export type TimedCue = {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly (readonly SpokenWord[])[];
};

export type CaptionFormat = "srt" | "vtt";

/** In UTF-8. */
export const maxCaptionFileBytes = 1024 * 1024;
const maxCues = 5_000;
/** The parser takes quadratic time for the spaces of a line. */
const maxLineCharacters = 2_000;
const maxIssues = 20;

export type CaptionFile = {
  readonly text: string;
  readonly format: CaptionFormat;
  /** The field of the request, for errors. */
  readonly path: string;
  readonly language?: string | undefined;
};

/** Reads a caption file. Throws validation_error, which names each line that is no caption. */
export async function readCaptionFile({ text, format, path, language }: CaptionFile): Promise<readonly TimedCue[]> {
  const accept = (faults: readonly string[]) => {
    if (faults.length > 0) throw refused(path, faults);
  };
  accept(Buffer.byteLength(text) > maxCaptionFileBytes ? ["Must not be larger than 1 MiB."] : []);
  const lines = linesOf(text);
  // many players take either format whatever the name of the file is
  const type = lines[0]!.startsWith(vttHeader) ? "vtt" : format;
  accept(lines.flatMap(tooLong));
  accept(type === "vtt" && format === type ? headerFaults(lines) : []);
  accept(blocksOf(lines, type).flatMap((block) => blockFaults(block, type)));
  const { cues } = await parseText(lines.join("\n"), { type });
  accept(cues.length === 0 ? ["Must have at least one caption."] : []);
  accept(cues.length > maxCues ? [`Must have at most ${amount(maxCues, "captions")}.`] : []);
  return cues.map((cue) => timedCue(cue, type, language)).filter((cue) => cue.lines.length > 0);
}

const refused = (path: string, faults: readonly string[]): DomainError =>
  new DomainError("validation_error", {
    issues: faults.slice(0, maxIssues).map((fault) => ({ path, message: fieldSentence(path.split("."), fault) })),
  });

const vttHeader = "WEBVTT";
const times = /^([\d:.,]+) ?--> ?([\d:.,]+)(.*)$/;

/** Without a byte order mark and needless spaces. What follows the times of a SubRip cue are coordinates. */
function linesOf(text: string): readonly string[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  return lines.map((line) =>
    line
      .replace(/\s+/g, " ")
      .trim()
      .replace(times, (_, start, end, rest: string) => `${start} --> ${end}${/^ [XY]\d:/.test(rest) ? "" : rest}`),
  );
}

const tooLong = (line: string, index: number): string[] =>
  line.length > maxLineCharacters
    ? [`Line ${index + 1} must have at most ${amount(maxLineCharacters, "characters")}.`]
    : [];

const headerFaults = ([first]: readonly string[]): string[] =>
  first!.startsWith(vttHeader) ? [] : [`Line 1 must be ${vttHeader}.`];

/** Lines between empty lines; `line` is the number of the first. */
type Block = { readonly line: number; readonly lines: readonly string[] };

function blocksOf(lines: readonly string[], format: CaptionFormat): readonly Block[] {
  const starts = lines.flatMap((line, index) => (line !== "" && !lines[index - 1] ? [index] : []));
  const blocks = starts.map((start) => {
    const end = lines.indexOf("", start);
    return { line: start + 1, lines: lines.slice(start, end < 0 ? lines.length : end) };
  });
  return format === "vtt"
    ? blocks.filter(({ lines: [first] }) => !/^(?:WEBVTT|NOTE|STYLE|REGION)\b/.test(first!))
    : blocks;
}

/** Cues that the parser would leave out without a word. */
function blockFaults({ line, lines: [first = "", second] }: Block, format: CaptionFormat): string[] {
  const isNumbered = second !== undefined && !first.includes(arrow) && (second.includes(arrow) || /^\d+$/.test(first));
  const [number, text] = isNumbered ? [line + 1, second] : [line, first];
  const range = timesIn(text);
  if (!range) return [`Line ${number} must be a time like ${exampleTimes[format]}.`];
  return range.end > range.start ? [] : [`Line ${number} must have an end after its start.`];
}

const arrow = "-->";
const exampleTimes = { srt: "00:00:01,000 --> 00:00:02,500", vtt: "00:00:01.000 --> 00:00:02.500" };

function timesIn(line: string): { readonly start: number; readonly end: number } | undefined {
  const [, ...written] = times.exec(line) ?? [];
  const [start, end] = written.map(secondsOf);
  return start === undefined || end === undefined ? undefined : { start, end };
}

function secondsOf(time: string): number | undefined {
  const [, hours = 0, minutes, seconds] = /^(?:(\d{1,2}):)?(\d{2}):(\d{2}(?:[.,]\d{1,3})?)$/.exec(time) ?? [];
  if (minutes === undefined || seconds === undefined) return undefined;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(",", "."));
}

function timedCue(cue: VTTCue, format: CaptionFormat, language: string | undefined): TimedCue {
  const { startTime: start, endTime: end, text } = cue;
  const pieces = format === "vtt" ? timedPieces(cue) : [{ text: withoutMarkup(text), start, end }];
  const lines: SpokenWord[][] = [[]];
  let isOpen = false;
  for (const piece of pieces) {
    const words = timeWords(piece.text, piece, language);
    for (const [index, line] of piece.text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      const [first, ...others] = words.splice(0, wordsOf(line, language).length);
      const isGlued = index === 0 && isOpen && !/^\s/.test(line);
      if (first) lines.at(-1)!.push({ ...first, glued: isGlued || first.glued }, ...others);
    }
    isOpen = /\S$/.test(piece.text);
  }
  return { start, end, lines: lines.filter((line) => line.length > 0) };
}

/** SubRip has no escapes: what looks like a tag is one. */
const withoutMarkup = (text: string): string => text.replace(/<\/?[a-z][^<>]*>/gi, "").replace(/\{\\[^{}]*\}/g, "");

type Piece = { readonly text: string; readonly start: number; readonly end: number };

/** The text of a WebVTT cue between the times in it. */
function timedPieces(cue: VTTCue): readonly Piece[] {
  const { startTime, endTime } = cue;
  const marks: { text: string; start: number }[] = [{ text: "", start: startTime }];
  for (const part of partsOf(tokenizeVTTCue(cue))) {
    const last = marks.at(-1)!;
    if (typeof part === "string") last.text += part;
    else if (part.time >= last.start && part.time <= endTime) marks.push({ text: "", start: part.time });
  }
  const pieces = marks.map(({ text, start }, index) => ({ text, start, end: marks[index + 1]?.start ?? endTime }));
  return pieces.filter(({ text }) => text !== "");
}

type Mark = { readonly time: number };

/** Texts and times in the order in which they are read. Tags may be nested deeply, so that recursion could end. */
function* partsOf(nodes: readonly VTTNode[]): Generator<string | Mark> {
  const open = nodes.toReversed();
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.type === "text") yield node.data;
    // the reading aid above a character is no text of its own
    if (node.type === "text" || node.type === "rt") continue;
    if (node.type === "timestamp") yield { time: node.time };
    open.push(...node.children.toReversed());
  }
}
